import {expect, test} from 'vitest';
import {toMarkdown} from '../../../src/command/export/export-text.ts';
import {answered, called, done, folded, said, start, thought, transcriptOf, user} from '../../core/records.ts';

test('a conversation reads well elsewhere', () => {
	const transcript = transcriptOf(
		{type: 'rename', title: 'Parser'},
		start,
		user('Read it'),
		thought('Which\nfile?'),
		said('I read.\n'),
		called('one'),
		answered('one', 'line\n'),
		{type: 'notice', level: 'warning', text: 'Slow.'},
		done,
	);
	expect(toMarkdown(transcript)).toBe(`# Parser

## You

Read it

> Which
> file?

## custom/demo

I read.

### Read one (done)

\`\`\`json
{
  "path": "one"
}
\`\`\`

\`\`\`
line
\`\`\`

*Slow.*
`);
});

test('a session without a title is named by its id, and a summary is marked as one', () => {
	expect(toMarkdown(transcriptOf(folded('We talked.')))).toBe(
		'# Session session-\n\n## Summary so far\n\nWe talked.\n',
	);
});

test('output that contains a fence gets a longer one', () => {
	const markdown = toMarkdown(transcriptOf(start, called('one'), answered('one', '````\nx\n````')));
	expect(markdown).toContain('\n`````\n````\nx\n````\n`````\n');
});

test('a blank text has no heading', () => {
	expect(toMarkdown(transcriptOf(start, said('  ')))).toBe('# Session session-\n');
});

test('a title is one line', () => {
	expect(toMarkdown(transcriptOf({type: 'rename', title: 'One\n# Two'}))).toBe('# One # Two\n');
});

test('a change is a diff, a todo list a list, and a call of several lines one heading', () => {
	const change = {path: 'a.ts', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-old\n+new'};
	const items = [
		{text: 'Read', state: 'done'},
		{text: 'Fix', state: 'active'},
	];
	const tool = {type: 'tool-call', messageId: 'm'} as const;
	const ended = {type: 'tool-result', output: '', failed: false, milliseconds: 1} as const;
	const markdown = toMarkdown(
		transcriptOf(
			start,
			{...tool, id: 'a', name: 'edit_file', arguments: {path: 'a.ts', edits: []}},
			{...ended, id: 'a', output: 'Changed a.ts.', change},
			{...tool, id: 'b', name: 'todo', arguments: {items}},
			{...ended, id: 'b'},
			{...tool, id: 'c', name: 'run_command', arguments: {command: 'cd a\nls'}},
			{...ended, id: 'c'},
		),
	);
	expect(markdown).toContain(
		'### Edit a.ts (done)\n\n```diff\n@@ -1 +1 @@\n-old\n+new\n```\n\n```\nChanged a.ts.\n```\n',
	);
	expect(markdown).toContain('### Todo 1 of 2 done · Fix (done)\n\n- [x] Read\n- [ ] Fix\n');
	expect(markdown).toContain('### Run cd a ls (done)\n');
});

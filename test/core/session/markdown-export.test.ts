import {expect, test} from 'vitest';
import {toMarkdown} from '../../../src/core/session/markdown-export.ts';
import {answered, called, done, folded, said, start, thought, transcriptOf, user} from '../records.ts';

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

### read_file (done)

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

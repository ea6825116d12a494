import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {renderResult} from '../../../src/command/render/render.ts';
import type {Result} from '../../../src/command/result.ts';
import type {Block} from '../../../src/core/session/block.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createMarkdownStream} from '../../../src/terminal/markdown/markdown-stream.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {blockItem} from '../../../src/ui/transcript/block-item.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {draftLines} from '../../../src/ui/transcript/draft-lines.ts';
import type {Shown} from '../../../src/ui/transcript/read-group.ts';
import {expectSpoken} from './spoken.ts';

const at = '2026-01-01T00:00:00.000Z';
const tool = {
	...{kind: 'tool', id: 'a', messageId: 'm', model: 'custom/demo', name: 'read_file', arguments: {path: 'a.ts'}},
	...{status: 'done', output: '1\tconst a = 1;\n', milliseconds: 12, open: false, at},
} as const satisfies Block;
const markdown = [
	'# Title\n\nA **bold** `word`.\n\n> quoted\n> twice\n\n- one\n  - [x] two\n\n1. first\n\n---\n',
	'| name | value |\n| --- | ---: |\n| a | 1 |\n| b | 2 |\n\n```ts\nconst a = 1;\n```\n\n    indented\n',
].join('\n');

/** A block of each kind. A new kind does not compile until it is here. */
const blocks: Readonly<Record<Shown['kind'], readonly Shown[]>> = {
	user: [{kind: 'user', id: 'u', text: 'Fix it\nnow', open: false}],
	command: (['running', 'done', 'failed', 'interrupted'] as const).map(status => ({
		...{kind: 'command', id: 'c', command: 'ls', status, output: 'a\nb\n', end: 'exit 0', milliseconds: 1},
		...{open: false, at},
	})),
	attachment: (['file', 'folder', 'image', 'log', 'none'] as const).map(source => ({
		...{kind: 'attachment', message: 'u', source, name: 'a.ts', text: '[a.ts is not found]', tokens: 10, open: false},
	})) as readonly Block[],
	text: [
		{kind: 'text', id: 't', messageId: 'm', text: markdown, model: 'x', open: false, at, endedAt: at},
	] as readonly Block[],
	reasoning: [true, false].map(open => ({
		...{kind: 'reasoning', id: 'r', messageId: 'm', text: 'Hm.', model: 'x', open, at, endedAt: open ? undefined : at},
	})) as readonly Block[],
	tool: [
		...(['running', 'asking', 'done', 'failed', 'interrupted'] as const).map(status => ({...tool, status})),
		{...tool, name: 'run_command', arguments: {command: 'npm test'}, output: 'ok\n'},
		{...tool, name: 'ask_user', arguments: {question: 'Which?'}, output: 'The user answered: A'},
		{...tool, name: 'ask_user', arguments: {question: 'Which?'}, output: 'The user declined.'},
		{...tool, name: 'edit_file', change: {path: 'a.ts', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-a\n+b\n'}},
	],
	reads: [{kind: 'reads', calls: [tool, tool]}],
	notice: (['info', 'warning', 'error'] as const).map(level => ({
		...{kind: 'notice', level, text: 'Something.', hint: 'Do this.', open: false},
	})),
	restore: [{kind: 'restore', id: 'x', how: 'undo', paths: ['a.ts'], count: 1, open: false}],
	compaction: [
		{kind: 'compaction', id: 'x', open: false, beforeTokens: 10, afterTokens: 5},
	] as unknown as readonly Block[],
	end: (['error', 'interrupted'] as const).map(reason => ({
		...{kind: 'end', reason, text: 'It ended.', hint: 'Try again.', open: false},
	})),
};

const tools = {blockLines, draftLines, renderMarkdown, renderMarkdownParts: () => [], createMarkdownStream};

test.each(Object.entries(blocks))(
	'a block of the kind %s is heard: words for signs, and nothing is drawn',
	(_, all) => {
		for (const block of all) {
			for (const color of [false, true]) {
				const palette = createPalette({color, spoken: true});
				expectSpoken(blockItem(block, {palette, tools}).draw(80).join('\n'));
			}
		}
	},
);

/** A result of each kind. A new kind does not compile until it is here. */
const results: Readonly<Record<Result['kind'], readonly Result[]>> = {
	text: [{kind: 'text', text: 'Done.', hint: 'More: `usage`'}],
	record: [{kind: 'record', title: 'Run', fields: [['items', '██████████░░░░░░░░░░ 50%']], data: {}}],
	table: [
		{
			...{kind: 'table', title: 'Keys', columns: [{label: 'name'}, {label: 'count', align: 'right', spare: true}]},
			...{
				rows: [
					['a', '1'],
					['b', '2'],
				],
				empty: 'None.',
				notes: ['A note.'],
				data: [],
			},
		} as Result,
		{kind: 'table', columns: [{label: 'name'}], rows: [], empty: 'None.', data: []},
	],
	plot: [
		{
			kind: 'plot',
			title: 'Bars',
			plot: {
				shape: 'bars',
				bars: [
					['a', 3],
					['b', 10],
				],
			},
		},
		{
			kind: 'plot',
			title: 'Curve',
			plot: {
				shape: 'curve',
				points: [
					[0, 1],
					[1, 4],
					[2, 2],
				],
			},
		},
		{kind: 'plot', title: 'Nothing', plot: {shape: 'curve', points: []}},
	],
	page: [{kind: 'page', markdown, draw: renderMarkdown, data: {}}],
	group: [{kind: 'group', parts: [{kind: 'text', text: 'One.'}], data: {}}],
	running: [{kind: 'running', shown: {kind: 'text', text: 'Listening.'}, data: {}, ended: Promise.resolve()}],
	lines: [{kind: 'lines', lines: ['one', 'two']}],
	stream: [],
	panel: [{kind: 'panel', panel: {show: 'clear'}}],
	quit: [{kind: 'quit'}],
};

test.each(Object.entries(results))('a result of the kind %s is heard, too', (_, all) => {
	for (const result of all) {
		for (const color of [false, true]) {
			const palette = createPalette({color, spoken: true});
			expectSpoken(renderResult(result, {width: 80, palette}).join('\n'));
		}
	}
});

const palette = createPalette({color: false, spoken: true});
const heard = (result: Result) => renderResult(result, {width: 80, palette});

test('a table is a record for each row, a chart its numbers', () => {
	expect(results.table.flatMap(heard)).toEqual([
		'Keys',
		'name: a',
		'count: 1',
		'',
		'name: b',
		'count: 2',
		'A note.',
		'None.',
	]);
	const lists = {kind: 'table', columns: [{label: 'name'}, {label: 'about'}], empty: '', data: []} as const;
	const rows = [
		['a', 'one'],
		['b', 'two'],
		['c', 'three'],
	];
	expect(heard({...lists, rows, groups: ['Chat', 'Chat', 'Keys']})).toEqual([
		...['Chat', 'a: one', 'b: two', ''],
		...['Keys', 'c: three'],
	]);
	expect(results.record.flatMap(heard)).toEqual(['Run', 'items: 50%']);
	expect(results.plot.flatMap(heard)).toEqual([
		...['Bars', 'a: 3', 'b: 10'],
		...['Curve', '3 points, from 1 at 0 to 2 at 2; lowest 1, highest 4'],
		...['Nothing', 'Nothing to draw.'],
	]);
});

test('each block says first who speaks or what happened', () => {
	const first = Object.values(blocks).flatMap(all =>
		all.map(block => blockItem(block, {palette, tools}).draw(80)[0]?.trim()),
	);
	expect(first).toEqual([
		'You: Fix it',
		...[
			'Command running: ls',
			'Command done: ls · exit 0',
			'Command failed: ls · exit 0',
			'Command interrupted: ls · exit 0',
		],
		...[
			'Attached: a.ts · about 10 tokens',
			'Attached: folder a.ts · about 10 tokens',
			'Attached: a.ts · about 10 tokens',
		],
		...['Attached: a.ts · about 10 tokens', 'Attached: a.ts is not found'],
		'Answer:',
		...['Thinking… Hm.', 'Thought: Hm.'],
		...['Tool running: Read a.ts · 1 const a = 1;', 'Tool waiting: Read a.ts · waiting for you'],
		...[
			'Tool done: Read a.ts · 1 line',
			'Tool failed: Read a.ts · 1 const a = 1;',
			'Tool interrupted: Read a.ts · interrupted',
		],
		'Command done: Run npm test · 1 line',
		...['Question: Which?', 'Question: Which?'],
		'Tool done: Edit a.ts · +1 −1',
		expect.stringMatching(/^Tools done: /),
		...['Note: Something.', 'Warning: Something.', 'Error: Something.'],
		expect.stringMatching(/^Restored: /),
		expect.stringMatching(/^Compacted: /),
		...['Error: It ended.', 'Stopped: It ended.'],
	]);
});

test('Markdown is heard: rows by column, quotes and code by name', () => {
	const lines = renderMarkdown(markdown, {width: 80, palette});
	expect(lines.join('\n')).toContain('Row 1 of 2\nname: a\nvalue: 1\nRow 2 of 2\nname: b\nvalue: 2');
	expect(lines.join('\n')).toContain('Code in ts:\nconst a = 1;\nEnd of code.');
	expect(lines.join('\n')).toContain('Quote: quoted');
});

/** What line mode has in place of each view of the whole window. A new view is missing here until it has something. */
const instead: Readonly<Record<string, string>> = {
	'src/ui/changes/review-view.ts': 'prints the changes as /diff does in a shell, because `review` is left out',
	'src/ui/logs/app-logs.ts': 'prints the lines of the log as they arrive (log-linear.ts)',
	'src/ui/transcript/open-transcript.ts': 'has printed everything already; no key opens it',
};

test('every view of the whole window has something in its place, and line mode opens none', () => {
	const files = readdirSync('src/ui', {recursive: true, encoding: 'utf8'}).filter(name => /\.tsx?$/.test(name));
	const opens = files
		.map(name => `src/ui/${name}`)
		.filter(path => /fullScreen\.open\(/.test(readFileSync(path, 'utf8')));
	expect(opens.toSorted()).toEqual(Object.keys(instead).toSorted());
	for (const path of ['src/ui/linear.ts', ...readdirSync('src/ui/line').map(name => `src/ui/line/${name}`)]) {
		expect(readFileSync(path, 'utf8'), path).not.toMatch(/fullScreen\.open|full-screen\.ts|ink\.ts/);
	}
});

test('a call is heard whole, however narrow the window is', () => {
	const command = `npm test -- ${'a-long-name '.repeat(20)}last`;
	const style = {width: 40, palette: createPalette({color: false, spoken: true})};
	const call = {
		...tool,
		name: 'run_command',
		arguments: {command},
		status: 'failed',
		output: 'x\n[exit status 1]',
	} as const;
	expect(blockLines(call, style)[0]).toContain('last · ');
	const paths = Array.from({length: 12}, (_, index) => `folder/name-${index}.ts`);
	const calls = paths.map(path => ({...tool, arguments: {path}}));
	expect(blockLines({kind: 'reads', calls}, style)[0]).toContain('name-11.ts');
});

import {expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {detailLines} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {palette} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
const call = {
	kind: 'tool',
	messageId: 'm1',
	model: '',
	status: 'done',
	milliseconds: 12_000,
	open: false,
	at,
} as const;
const read = {...call, id: 'c2', name: 'read_file', arguments: {path: 'src/\u001b[2Ja.ts'}, output: '1\tx'} as const;
const task = {
	...call,
	id: 'c1',
	name: 'task',
	output: 'It is in a.ts.',
	arguments: {prompt: 'Find it.', description: 'Find the parser'},
	task: {
		calls: 3,
		tokens: 12_400,
		doing: 'Read src/\u001b[2Ja.ts',
		open: [],
		settled: [
			{kind: 'user', id: 'u', text: 'Find it.', open: false},
			read,
			{kind: 'text', id: 't', messageId: 'm2', text: 'It is in a.ts.', model: '', open: false, at, endedAt: at},
		],
	},
} as const satisfies Block;

const plain = (lines: readonly string[]) => lines.map(plainText);

test('a sub-agent is one line that says what it does, and how much', () => {
	const going = {...task, status: 'running', open: true, output: ''} as const;
	expect(plain(blockLines(going, {width: 80, palette, now: Date.parse(at) + 5000}))).toEqual([
		expect.stringMatching(/^\S Task Find the parser · 3 calls · 12k tokens · Read src\/␛\[2Ja\.ts +5 s$/),
	]);
	expect(plain(blockLines(task, {width: 80, palette}))).toEqual([
		`✓ Task Find the parser · 3 calls · 12k tokens${' '.repeat(30)} 12 s`,
	]);
	for (const width of [12, 40]) {
		expect(blockLines(going, {width, palette}).map(lineWidth)).toEqual([expect.toSatisfy(cells => cells <= width)]);
	}
});

test('opened, the line shows everything that the sub-agent was told, did and said', () => {
	const lines = plain(detailLines(task, {width: 60, palette}));
	expect(lines.filter(line => line.startsWith('  │ '))).toEqual([
		'  │ ❯ Find it.',
		expect.stringMatching(/^ {2}│ ✓ Read src\/␛\[2Ja\.ts/),
		expect.stringMatching(/^ {2}│ {3}read_file · started/),
		'  │   {',
		String.raw`  │     "path": "src/\u001b[2Ja.ts"`,
		'  │   }',
		'  │   1   x',
		'  │ ● It is in a.ts.',
	]);
	expect(lines.every(line => lineWidth(line) <= 60)).toBe(true);
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {styledOutput} from '../../../src/agent/tools/command/styled-output.ts';
import {type RecordedOutput, toRecorded} from '../../../src/core/output/recorded-output.ts';
import type {Block} from '../../../src/core/session/block.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {detailLines} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {textOf} from '../../../src/ui/transcript/block-text.ts';
import {palette as plain} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
const colored = createPalette({color: true});
const written = (raw: string) => toRecorded(styledOutput(raw));

const typed = (output: RecordedOutput, isRunning = false): Block => ({
	...{kind: 'command', id: 'c1', command: 'git diff', end: isRunning ? '' : 'exit status 0 after 2 s', milliseconds: 3},
	...{status: isRunning ? 'running' : 'done', open: isRunning, at},
	...output,
});
const run = ({output, styles}: RecordedOutput): Block => ({
	...{kind: 'tool', id: 'c1', messageId: 'm1', model: '', name: 'run_command', arguments: {command: 'npm test'}},
	...{status: 'done', output: `${output}\n[exit status 0 after 2 s]`, styles, milliseconds: 3, open: false, at},
});
const task = (block: Block): Block => ({
	...{kind: 'tool', id: 't1', messageId: 'm1', model: '', name: 'task', arguments: {prompt: 'x', description: 'x'}},
	...{status: 'done', output: 'done', milliseconds: 3, open: false, at},
	task: {settled: [block], open: [], calls: 1, tokens: 1, doing: ''},
});

const diff = written('\u001B[1mdiff a b\u001B[m\n same\n\u001B[31m-old\n-older\u001B[m\n\u001B[32m+new\u001B[m');
const drawnDiff = [
	'\u001B[1mdiff a b\u001B[0m',
	'\u001B[2m same\u001B[0m',
	'\u001B[31m-old\u001B[0m',
	'\u001B[31m-older\u001B[0m',
	'\u001B[32m+new\u001B[0m',
];

describe('colours of a command', () => {
	test('are drawn while it runs, when it is done, and when it is opened', () => {
		for (const isRunning of [true, false]) {
			expect(blockLines(typed(diff, isRunning), {width: 60, palette: colored}).slice(1)).toEqual(drawnDiff);
		}

		expect(detailLines(typed(diff), {width: 60, palette: colored}).slice(1)).toEqual(
			drawnDiff.map(line => `  ${line.replace(/\u001B\[2m same.*/, ' same')}`),
		);
	});

	test('of the agent are drawn below its call, and in full', () => {
		expect(blockLines(run(diff), {width: 60, palette: colored}).slice(-3)).toEqual(drawnDiff.slice(-3));
		const opened = detailLines(run(diff), {width: 60, palette: colored});
		expect(opened.slice(-5)).toEqual(drawnDiff.map(line => `  ${line.replace(/\u001B\[2m same.*/, ' same')}`));
		expect(opened.join()).not.toContain('exit status');
	});

	test('are drawn in the conversation of a sub-agent', () => {
		const lines = detailLines(task(run(diff)), {width: 60, palette: colored});
		expect(lines.filter(line => line.endsWith('\u001B[31m-older\u001B[0m'))).toHaveLength(1);
	});

	test('end with each line, so that what is drawn behind has none of them', () => {
		const open = written('\u001B[41mone\ntwo');
		for (const line of blockLines(typed(open), {width: 60, palette: colored}).slice(1)) {
			expect(line).toMatch(/^\u001B\[41m\w+\u001B\[0m$/);
		}
	});

	test('are on both sides of lines that are left out', () => {
		const long = written(`\u001B[33m${Array.from({length: 100}, (_, index) => `line ${index}`).join('\n')}`);
		const lines = blockLines(typed(long), {width: 60, palette: colored}).slice(1);
		expect(lines).toHaveLength(31);
		expect(lines.filter(line => line.startsWith('\u001B[33mline '))).toHaveLength(30);
	});

	test('are in nothing without colour, and in no text that is copied or searched', () => {
		expect(blockLines(typed(diff), {width: 60, palette: plain}).join('')).not.toContain('\u001B');
		expect(
			blockLines(run(diff), {width: 60, palette: createPalette({color: false, spoken: true})}).join(''),
		).not.toContain('\u001B');
		expect(textOf(typed(diff))).not.toContain('\u001B');
	});

	test('change neither the rows nor their text', () => {
		const raws = fc
			.array(
				fc.constantFrom(
					...[
						'word ',
						'\n',
						'{"a":1}',
						'{"a":[1,2,{"b":"xxxxxxxxxxxxxxxxxxxx"}]}',
						'Error: failed',
						'12345678901234567890',
					],
					...[
						'    at run (/app/a.js:1:2)',
						'    at run (node:internal/x:1:2)',
						'\u001B[31m',
						'\u001B[1;44m',
						'\u001B[m',
						'漢字',
					],
				),
				{maxLength: 60},
			)
			.map(parts => parts.join(''));
		fc.assert(
			fc.property(raws, fc.integer({min: 20, max: 80}), (raw, width) => {
				const output = written(raw);
				const without = {output: output.output};
				for (const block of [typed, run]) {
					for (const draw of [blockLines, detailLines]) {
						const lines = draw(block(output), {width, palette: colored});
						expect(lines.map(plainText)).toEqual(draw(block(without), {width, palette: colored}).map(plainText));
						expect(lines.filter(line => lineWidth(line) > width)).toEqual([]);
					}
				}
			}),
		);
	});
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {detailLines} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {textOf} from '../../../src/ui/transcript/block-text.ts';
import {outputRows} from '../../../src/ui/transcript/output-rows.ts';
import {anyText} from '../../any-text.ts';
import {traceOf, traces} from '../../core/stack-trace/traces.ts';
import {expectLinear} from '../../growth.ts';
import {hostileJson, hostileTrace, hugeJson} from '../../sinks/structured-texts.ts';
import {hostileTexts, obeyedIn} from '../../sinks/tricks.ts';
import {palette} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
type Tool = Extract<Block, {kind: 'tool'}>;
const run = (output: string, change: Partial<Tool> = {}): Tool => ({
	...{kind: 'tool', id: 'c1', messageId: 'm1', model: '', name: 'run_command', arguments: {command: 'npm test'}},
	...{status: 'done', output, milliseconds: 3, open: false, at},
	...change,
});
const typed = (output: string): Block => ({
	...{kind: 'command', id: 'c1', command: 'node a.js', status: 'failed', end: 'exit status 1', output, milliseconds: 3},
	...{open: false, at},
});
const below = (block: Block, width = 70) => blockLines(block, {width, palette}).slice(1);
const opened = (block: Block, width = 70) => detailLines(block, {width, palette}).map(line => line.slice(2));

const record = {
	id: 7,
	name: 'web-shop',
	ports: [80, 443],
	owner: {id: 1, mail: 'ada@example.com'},
	note: 'x'.repeat(60),
};
const json = JSON.stringify(record);

describe('JSON in the output of a command', () => {
	test('stays on one line where it fits', () => {
		expect(below(run('{"a":1,"b":[2]}\n'))).toEqual(['{"a":1,"b":[2]}']);
	});

	test('is folded to its first lines, counted, and whole when it is opened', () => {
		expect(below(run(json))).toEqual(['{', '  "id": 7,', '  "name": "web-shop",', '… 4 more lines']);
		const lines = opened(run(json));
		expect(lines).toContain('  "owner": {"id": 1, "mail": "ada@example.com"},');
		expect(JSON.parse(lines.slice(lines.lastIndexOf('{')).join('\n'))).toEqual(record);
	});

	test('with colours of its own gets ours, and no other sequence in it is left out [2]', () => {
		expect(below(run('\u001B[34m{"a":1}\u001B[m\n'))).toEqual(['{"a":1}']);
		expect(below(run('{"a":"\u001B]8;;https://x.example\u0007b\u001B]8;;\u0007"}'))).toEqual([
			'{"a":"␛]8;;https://x.example␇b␛]8;;␇"}',
		]);
	});

	test('that has lines already keeps them, between other lines', () => {
		const pretty = JSON.stringify(record, undefined, 4).split('\n');
		const block = typed(['begin', ...pretty, ...pretty, 'end'].join('\n'));
		const rows = below(block);
		expect(rows.slice(0, 4)).toEqual(['begin', '{', '    "id": 7,', '    "name": "web-shop",']);
		expect(rows.filter(row => row.includes('more line'))).toEqual(['… 3 more lines', '… 3 more lines']);
		expect(opened(block).filter(line => line === '    "ports": [')).toHaveLength(2);
	});

	test('is coloured in both', () => {
		const colored = createPalette({color: true});
		const {attribute, number} = colored.syntax;
		const row = `${attribute('"id"')}: ${number('7')},`;
		expect(blockLines(run(json), {width: 70, palette: colored})[2]).toBe(`  ${row}`);
		expect(detailLines(run(json), {width: 70, palette: colored}).join('\n')).toContain(row);
	});

	test('of 1 MB in one line costs no more than a beginning of it', () => {
		const many = JSON.stringify(Array.from({length: 20_000}, (_, id) => ({...record, id})));
		expect(many.length).toBeGreaterThan(1_000_000);
		const rows = below(typed(many));
		expect([rows[0], rows.at(-1)]).toEqual(['[', '… cut (3.2 MB in total)']);
		expect(rows).toHaveLength(11);
		expectLinear(size => below(typed('['.repeat(size))), 4000);
	});
});

describe('a stack trace in the output of a command', () => {
	test('shows what failed and the frames of the program; others are counted', () => {
		expect(
			below(
				run(traceOf('Node').join('\n'), {status: 'failed', output: `${traceOf('Node').join('\n')}\n[exit status 1]`}),
			),
		).toEqual([
			'… 2 more lines',
			'Error: connect ECONNREFUSED 127.0.0.1:5432',
			'    at loadRates (/app/src/rates.ts:31:9)',
			'    … 4 frames',
			'    at async file:///app/src/main.mjs:3:1',
			'    … 3 frames',
			'Node.js v20.20.2',
		]);
	});

	test('of each language keeps its own frames, and the others when it is opened', () => {
		for (const {lines, kinds} of traces) {
			const own = lines.filter((_, index) => kinds[index] !== 'minor').map(line => line.replace('\t', '    '));
			const block = typed(lines.join('\n'));
			const shown = below(block, 200);
			expect(
				shown.filter(row => !row.includes('… ')),
				lines[0],
			).toEqual(expect.arrayContaining(own));
			const whole = opened(block, 200);
			expect(whole).toEqual(expect.arrayContaining(lines.map(line => line.replaceAll('\t', '    ').trimEnd())));
			expect(textOf(block)).toContain(lines.join('\n'));
		}
	});

	test('counts the frames, not their lines', () => {
		expect(below(typed(traceOf('Go').join('\n')))).toEqual([
			...['panic: no rate', '', 'goroutine 1 [running]:', '    … 1 frame'],
			...['main.total(0xc000012345, {0x1, 0x2})', '    /app/rates.go:31 +0x1d'],
			...['    … 3 frames', '', 'exit status 2'],
		]);
	});

	test('of 100,000 frames is drawn in linear time', () => {
		const frames = (count: number) => Array.from({length: count}, (_, index) => `\tat com.acme.A${index}.b(A.java:1)`);
		expect(below(typed(frames(100_000).join('\n')))).toHaveLength(31);
		expect(below(typed(`Error\n${'    at f (node:fs:1:1)\n'.repeat(100_000)}`))).toEqual([
			'Error',
			'    … 100,000 frames',
		]);
		expectLinear(size => below(typed(frames(size).join('\n'))), 2000);
	});
});

const line = fc.oneof(
	anyText(),
	fc.json(),
	fc.constantFrom(...traces.flatMap(trace => trace.lines), '{', '}', '[', ']', json),
);

test('rows stand for every line once and in order, and are safe and no wider than the window [1] [2]', () => {
	const width = 60;
	fc.assert(
		fc.property(fc.array(line, {maxLength: 20}), fc.boolean(), (pieces, folds) => {
			const lines = pieces.join('\n').split('\n');
			let next = 0;
			for (const {from, lines: count} of outputRows(lines, {width, jsonRows: folds ? 4 : 1000, folds})) {
				expect(count === 0 ? from < next : from === next).toBe(true);
				next += count;
			}

			expect(next).toBe(lines.length);
			const block = typed(pieces.join('\n'));
			for (const row of [...blockLines(block, {width, palette}), ...detailLines(block, {width, palette})]) {
				expect(lineWidth(row)).toBeLessThanOrEqual(width);
				expect(plainText(row)).not.toMatch(/\p{Cc}/u);
			}
		}),
	);
});

test('lines that look like the beginning of JSON again and again take linear time', () => {
	expectLinear(
		size =>
			outputRows(
				Array.from({length: size}, () => '{'),
				{width: 80, jsonRows: 4, folds: true},
			),
		2000,
	);
	expectLinear(
		size =>
			outputRows(
				Array.from({length: size}, () => '{"a": ['),
				{width: 80, jsonRows: 4, folds: true},
			),
		2000,
	);
});

test.each([
	['JSON', hostileJson],
	['JSON of a megabyte that is not checked', hugeJson],
	['a stack trace', hostileTrace],
])('%s of somebody else is never obeyed, closed or open', (_, form) => {
	for (const text of hostileTexts('mark')) {
		const block = run(`${form(text)}\n[exit status 1 after 2 s]`);
		const drawn = [...below(block), ...opened(block), ...below(typed(form(text))), ...opened(typed(form(text)))];
		expect(obeyedIn(drawn.join(' '))).toEqual([]);
		expect(drawn.join(' ')).toContain(text.split(' ')[0]);
	}
});

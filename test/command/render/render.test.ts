import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {renderResult} from '../../../src/command/render/render.ts';
import type {Result} from '../../../src/command/result.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';

const plain = createPalette({color: false});
const colored = createPalette({color: true});
const draw = (result: Result, width = 40) => renderResult(result, {width, palette: plain});

const table = (rows: ReadonlyArray<readonly string[]>): Result => ({
	kind: 'table',
	title: 'Things',
	columns: [{label: 'name'}, {label: 'size', align: 'right'}, {label: 'about'}],
	rows,
	empty: 'Nothing here.',
	notes: ['A note under it.'],
	data: null,
});

test('a table aligns its columns, numbers to the right', () => {
	expect(
		draw(
			table([
				['one', '5', 'first'],
				['three', '1,200', 'third'],
			]),
		),
	).toEqual(['Things', 'name    size  about', 'one        5  first', 'three  1,200  third', 'A note under it.']);
});

test('the last column is cut first', () => {
	expect(draw(table([['one', '5', 'this is far too long to be shown here']]), 30)[2]).toBe(
		'one      5  this is far too l…',
	);
});

test('a row becomes a list if the columns do not fit', () => {
	expect(draw(table([['a name of words', '1,200,300', 'about it']]), 20)).toEqual([
		'Things',
		'name   a name of',
		'       words',
		'size   1,200,300',
		'about  about it',
		'A note under it.',
	]);
});

test('spare columns are dropped, last one first, before the first column is cut', () => {
	const spare = {
		kind: 'table',
		columns: [{label: 'id'}, {label: 'severity'}, {label: 'created', spare: true}, {label: 'goal', spare: true}],
		rows: [['0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11', 'high', '2026-01-02', 'Reveal the system prompt to everyone']],
		empty: '',
		data: null,
	} as const;
	expect(draw(spare, 50)).toContain('Widen the window to see: created, goal');
	expect(renderResult(spare, {width: 50, palette: plain, place: 'shell'}).slice(2).join(' ')).toBe(
		'Widen the window to see: created, goal (--json has all)',
	);
	expect([100, 64, 50, 30].map(width => draw(spare, width).at(1))).toEqual([
		'0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11  high      2026-01-02  Reveal the system prompt to everyone',
		'0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11  high      2026-01-02',
		'0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11  high',
		'0b5a1a3e-52a0-4d0e-…  high',
	]);
});

test('what all rows have in common is named once if its column does not fit', () => {
	const sessions: Result = {
		kind: 'table',
		columns: [{label: 'title'}, {label: 'model', spare: true}],
		rows: [
			['How the shop loses visitors', 'demo'],
			['Why the import is slow', 'demo'],
		],
		empty: '',
		data: null,
	};
	expect(draw(sessions, 33).join(' ')).toContain('Widen the window to see: model (all demo)');
});

test('ids and numbers are never cut: columns are dropped, or the row becomes a list', () => {
	const id = '0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11';
	const spend: Result = {
		kind: 'table',
		columns: [{label: 'name'}, {label: 'id', whole: true}, {label: 'tokens', align: 'right'}],
		rows: [['a long name of it', id, '12,345,678']],
		empty: '',
		data: null,
	};
	expect(draw(spend, 60).at(1)).toBe(`a long na…  ${id}  12,345,678`);
	expect(draw(spend, 50)).toEqual(['name    a long name of it', `id      ${id}`, 'tokens  12,345,678']);
});

test('a row drawn as a list leaves out empty cells', () => {
	expect(draw(table([['a name of words', '', 'about it']]), 12)).not.toContain('size');
});

test('a table without rows shows its empty message', () => {
	expect(draw(table([]))).toEqual(['Things', 'Nothing here.', 'A note under it.']);
});

test('a record shows one value a line', () => {
	const record: Result = {
		kind: 'record',
		fields: [
			['server', 'https://a.test'],
			['note', 'a value that is wrapped at its words'],
		],
		data: null,
	};
	expect(draw(record, 30)).toEqual([
		'server  https://a.test',
		'note    a value that is',
		'        wrapped at its words',
	]);
});

test('coloured lines are redrawn, even if a colour continues on the next line [2]', () => {
	const lines: Result = {kind: 'lines', lines: ['\u001B[31mred', 'still\u001B[0m plain\u001B[2J'], colored: true};
	expect(renderResult(lines, {width: 40, palette: colored})).toEqual([
		'\u001B[31mred\u001B[0m',
		'\u001B[31mstill\u001B[0m plain␛[2J',
	]);
	expect(draw(lines)).toEqual(['red', 'still plain␛[2J']);
	expect(draw({kind: 'lines', lines: [], colored: true})).toEqual([]);
});

test('a blank line separates the parts of a group', () => {
	const part = (text: string): Result => ({kind: 'text', text});
	expect(draw({kind: 'group', parts: [part('a'), part('b')], data: null})).toEqual(['a', '', 'b']);
});

test('a result for the screen alone draws nothing', () => {
	expect([draw({kind: 'quit'}), draw({kind: 'panel', panel: {show: 'clear'}})]).toEqual([[], []]);
});

const hostile = '\u001B[2J\u001B]0;owned\u0007 a\rb \u202Eevil\u009B31m \u200B';
const cell = fc.oneof(
	fc.string({unit: 'grapheme', maxLength: 30}),
	fc.constantFrom(hostile, '日本語の長い文字列です', '👩‍👩‍👧‍👦 family', 'a\nb', '\t'),
);

/** Any result with untrusted data. */
const anyResult: fc.Arbitrary<Result> = fc.oneof(
	fc.record({kind: fc.constant('text' as const), text: cell, hint: cell}),
	fc.record({
		kind: fc.constant('record' as const),
		title: cell,
		fields: fc.array(fc.tuple(fc.oneof(fc.constantFrom('name', 'a longer label'), cell), cell), {maxLength: 5}),
		data: fc.constant(null),
	}),
	fc.nat({max: 6}).chain(columns =>
		fc.record({
			kind: fc.constant('table' as const),
			title: cell,
			columns: fc.array(
				fc.record({
					label: fc.oneof(fc.constantFrom('', 'name', 'cache write'), cell),
					align: fc.constantFrom(undefined, 'right' as const),
					spare: fc.boolean(),
				}),
				{minLength: columns + 1, maxLength: columns + 1},
			) as fc.Arbitrary<Extract<Result, {kind: 'table'}>['columns']>,
			rows: fc.array(fc.array(cell, {minLength: columns + 1, maxLength: columns + 1}), {maxLength: 5}),
			empty: cell,
			notes: fc.array(cell, {maxLength: 2}),
			data: fc.constant(null),
		}),
	),
	fc.record({
		kind: fc.constant('plot' as const),
		title: cell,
		plot: fc.record({shape: fc.constant('bars' as const), bars: fc.array(fc.tuple(cell, fc.double()), {maxLength: 5})}),
	}),
	fc.record({
		kind: fc.constant('lines' as const),
		lines: fc.array(cell, {maxLength: 5}),
		colored: fc.constantFrom(undefined, true as const),
	}),
);

test.each([40, 80, 120])('no result is wider than %i columns', width => {
	fc.assert(
		fc.property(anyResult, result => {
			for (const line of renderResult(result, {width, palette: colored})) {
				expect(lineWidth(line)).toBeLessThanOrEqual(width);
			}
		}),
	);
});

test('no data reaches the terminal as a control sequence [1]', () => {
	fc.assert(
		fc.property(anyResult, result => {
			for (const line of draw(result)) {
				expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E\u200B]/);
			}
		}),
	);
});

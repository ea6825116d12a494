import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {
	arrange,
	compareCells,
	drawRow,
	fitColumns,
	headOf,
	rowsOf,
	sortAfter,
} from '../../../src/ui/panels/table-rows.ts';

const rows = rowsOf(
	{
		rows: [
			['beta', '1.3k', 'red'],
			['alpha', '950', ''],
			['gamma', '2M', 'Blue red'],
		],
	},
	false,
);
const names = (found: ReturnType<typeof arrange>) => found.map(({cells}) => cells[0]);

describe('the order', () => {
	test('steps from unsorted through each column, ascending and descending, and wraps around', () => {
		const up = (column: number) => ({column, descending: false});
		const down = (column: number) => ({column, descending: true});
		expect([0, 1, 2, 3, 4, 5].map(steps => sortAfter(steps, 2))).toEqual([
			undefined,
			up(0),
			down(0),
			up(1),
			down(1),
			undefined,
		]);
		expect([sortAfter(-1, 2), sortAfter(-5, 2), sortAfter(3, 0)]).toEqual([down(1), undefined, undefined]);
	});

	test('compares numbers by size, and empty cells come last in both directions', () => {
		expect(names(arrange(rows, '', undefined))).toEqual(['beta', 'alpha', 'gamma']);
		expect(names(arrange(rows, '', {column: 0, descending: false}))).toEqual(['alpha', 'beta', 'gamma']);
		expect(names(arrange(rows, '', {column: 1, descending: true}))).toEqual(['gamma', 'beta', 'alpha']);
		expect(names(arrange(rows, '', {column: 2, descending: false}))).toEqual(['gamma', 'beta', 'alpha']);
		expect(names(arrange(rows, '', {column: 2, descending: true}))).toEqual(['beta', 'gamma', 'alpha']);
		expect(names(arrange(rows, '', {column: 9, descending: true}))).toEqual(['beta', 'alpha', 'gamma']);
	});

	test.each([
		['9', '10'],
		['-1', '0'],
		['999', '1,000'],
		['900 ms', '1 s'],
		['$0.0043', '$1.20'],
		['2 kB', '1 MB'],
		['12%', '100%'],
		['7', 'seven'],
		['item 9', 'item 10'],
		['2026-01-02', '2026-01-10'],
	])('%s comes before %s', (first, second) => {
		expect(compareCells(first, second)).toBeLessThan(0);
		expect(compareCells(second, first)).toBeGreaterThan(0);
		expect(compareCells(first, first)).toBe(0);
	});
});

test.each([false, true])('times are sorted by their instant, the oldest first, told exactly or not: %s', exact => {
	const at = (hours: number) => ({at: new Date(Date.now() - hours * 3_600_000).toISOString()});
	const timed = rowsOf(
		{
			rows: [
				['new', at(0)],
				['old', at(500)],
				['none', ''],
				['odd', {at: 'soon'}],
				['next', at(-9)],
			],
		},
		exact,
	);
	const up = {column: 1, descending: false};
	expect(
		names(
			arrange(
				timed.filter(({cells}) => cells[0] !== 'odd'),
				'',
				up,
			),
		),
	).toEqual(['old', 'new', 'next', 'none']);
	expect(timed.map(({cells}) => cells[1])[0]).toMatch(exact ? /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/ : /^now$/);
	expect(timed[3]?.cells).toEqual(['odd', 'soon']);
});

test('the filter keeps rows that contain every word', () => {
	expect(names(arrange(rows, 'RED', undefined))).toEqual(['beta', 'gamma']);
	expect(names(arrange(rows, 'red  gam', undefined))).toEqual(['gamma']);
	expect(names(arrange(rows, 'nothing', undefined))).toEqual([]);
	expect(arrange(rows, 'gamma', undefined).map(({index}) => index)).toEqual([2]);
});

const columns = [{label: 'name'}, {label: 'count', align: 'right'}, {label: 'tag'}] as const;

test('columns are aligned, numbers to the right', () => {
	const fit = fitColumns(columns, rows, 80);
	expect(fit).toEqual({shown: [0, 1, 2], widths: [6, 7, 8], dropped: []});
	expect(drawRow(headOf(columns, {column: 1, descending: true}), columns, fit)).toBe('name    count ↓  tag');
	expect(rows.map(({cells}) => drawRow(cells, columns, fit))).toEqual([
		'beta       1.3k  red',
		'alpha       950',
		'gamma        2M  Blue red',
	]);
});

test('columns that do not fit are dropped from the right, and named', () => {
	expect(fitColumns(columns, rows, 16)).toEqual({shown: [0, 1], widths: [6, 7], dropped: ['tag']});
	expect(fitColumns(columns, rows, 4)).toEqual({shown: [0], widths: [4], dropped: ['count', 'tag']});
});

test('spare columns are dropped before the ones after them', () => {
	const spare = [{label: 'name'}, {label: 'count', spare: true}, {label: 'tag'}];
	const fit = fitColumns(spare, rows, 16);
	expect(fit).toEqual({shown: [0, 2], widths: [6, 8], dropped: ['count']});
	expect(drawRow(rows[2]?.cells ?? [], spare, fit)).toBe('gamma   Blue red');
});

test('an id is never cut: it is whole or dropped', () => {
	const id = '0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11';
	const listed = rowsOf({rows: [['a name', `run/${id}/${id}`, 'x']]}, false);
	const whole = [{label: 'name'}, {label: 'id', whole: true}, {label: 'tag'}];
	expect(fitColumns(whole, listed, 100).widths).toEqual([6, 77, 5]);
	expect(fitColumns(whole, listed, 60)).toEqual({shown: [0], widths: [6], dropped: ['id', 'tag']});
});

test('a long cell is cut at 40 cells unless it is the last one', () => {
	const long = rowsOf({rows: [['x'.repeat(100), 'y'.repeat(100)]]}, false);
	expect(fitColumns([{label: 'a'}, {label: 'b'}], long, 110).widths).toEqual([40, 68]);
});

test('no row is wider than the room, and no cell contains a sequence [1]', () => {
	const cell = fc.oneof(fc.string({unit: 'grapheme', maxLength: 60}), fc.constant('\u001B[2J\u202E日本'));
	fc.assert(
		fc.property(
			fc.array(fc.array(cell, {maxLength: 4}), {maxLength: 6}),
			fc.integer({min: 1, max: 120}),
			(given, room) => {
				const safe = rowsOf({rows: given}, false);
				const fit = fitColumns(columns, safe, room);
				for (const {cells} of safe) {
					const line = drawRow(cells, columns, fit);
					expect(lineWidth(line)).toBeLessThanOrEqual(room);
					expect(line).not.toMatch(/[\u001B\u202E\n]/);
				}
			},
		),
	);
});

import {describe, expect, test} from 'vitest';
import {rowsOf} from '../../../src/command/render/table-layout.ts';
import {arrange, compareCells, sortAfter} from '../../../src/ui/panels/table-panel.tsx';

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

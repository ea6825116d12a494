import fc from 'fast-check';
import {expect, test} from 'vitest';
import {cutMiddle, drawRow, fitColumns, rowsOf} from '../../../src/command/render/table-layout.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {fitFirst} from '../../../src/ui/panels/table-panel.tsx';

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
const columns = [{label: 'name'}, {label: 'count', align: 'right'}, {label: 'tag'}] as const;

test('columns are aligned, numbers to the right', () => {
	const fit = fitFirst(columns, rows, 80);
	expect(fit).toEqual({shown: [0, 1, 2], widths: [5, 5, 8], dropped: []});
	expect(
		drawRow(
			columns.map(({label}) => label),
			columns,
			fit,
		),
	).toBe('name   count  tag');
	expect(rows.map(({cells}) => drawRow(cells, columns, fit))).toEqual([
		'beta    1.3k  red',
		'alpha    950',
		'gamma     2M  Blue red',
	]);
});

test('a list drops columns from the right that do not fit, and names them', () => {
	expect(fitColumns(columns, rows, 16)).toBeUndefined();
	expect(fitFirst(columns, rows, 16)).toEqual({shown: [0, 1], widths: [5, 5], dropped: [2]});
	expect(fitFirst(columns, rows, 4)).toEqual({shown: [0], widths: [4], dropped: [1, 2]});
});

test('spare columns are dropped before the ones after them', () => {
	const spare = [{label: 'name'}, {label: 'count', spare: true}, {label: 'tag'}];
	const fit = fitFirst(spare, rows, 16);
	expect(fit).toEqual({shown: [0, 2], widths: [5, 8], dropped: [1]});
	expect(drawRow(rows[2]?.cells ?? [], spare, fit)).toBe('gamma  Blue red');
});

test('spare columns with one value in all rows are dropped before another is cut', () => {
	const title = 'How the shop loses visitors at night';
	const sessions = rowsOf(
		{
			rows: [
				[title, '3', 'demo', 'web'],
				[title.toUpperCase(), '4', 'demo', 'api'],
			],
		},
		false,
	);
	const spare = [
		{label: 'title'},
		{label: 'n', spare: true},
		{label: 'model', spare: true},
		{label: 'in', spare: true},
	];
	expect(fitColumns(spare, sessions, 51)).toEqual({shown: [0, 1, 2, 3], widths: [36, 1, 5, 3], dropped: []});
	expect(fitColumns(spare, sessions, 50)).toEqual({
		shown: [0, 1, 3],
		widths: [36, 1, 3],
		dropped: [2],
	});
	expect(fitColumns(spare, sessions.slice(0, 1), 50)?.dropped).toEqual([3]);
});

test('a column without any value is not drawn, and is not missing', () => {
	const empty = rowsOf({rows: [['a', '', 'x']]}, false);
	expect(fitColumns(columns, empty, 80)).toEqual({shown: [0, 2], widths: [4, 3], dropped: []});
});

test('an id is never cut: it is whole or dropped', () => {
	const id = '0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11';
	const listed = rowsOf({rows: [['a name', `run/${id}/${id}`, 'x']]}, false);
	const whole = [{label: 'name'}, {label: 'id', whole: true}, {label: 'tag'}];
	expect(fitColumns(whole, listed, 100)?.widths).toEqual([6, 77, 3]);
	expect(fitFirst(whole, listed, 60)).toEqual({shown: [0], widths: [60], dropped: [1, 2]});
});

test('long columns share the room, short ones are whole, and every cell of the window is used', () => {
	const long = rowsOf({rows: [['x'.repeat(100), 'short', 'y'.repeat(100)]]}, false);
	const three = [{label: 'a'}, {label: 'b'}, {label: 'c'}];
	expect(fitColumns(three, long, 110)?.widths).toEqual([50, 5, 51]);
	expect(fitColumns(three, long, 50)?.widths).toEqual([20, 5, 21]);
});

test.each([
	['src/command/render/table-rows.ts', 20, 'src/comman…e-rows.ts'],
	['anthropic/claude-opus-5', 12, 'anthro…pus-5'],
	['日本語の長い文字列です', 12, '日本語…です'],
	['abc', 3, 'abc'],
	['abcd', 3, 'a…d'],
	['abcd', 1, '…'],
	['abcd', 0, ''],
])('%s loses its middle in %i cells', (text, width, expected) => {
	expect(cutMiddle(text, width)).toBe(expected);
});

test('no row is wider than the room, and no cell contains a sequence [1]', () => {
	const cell = fc.oneof(fc.string({unit: 'grapheme', maxLength: 60}), fc.constant('\u001B[2J\u202E日本'));
	fc.assert(
		fc.property(
			fc.array(fc.array(cell, {maxLength: 4}), {maxLength: 6}),
			fc.integer({min: 1, max: 120}),
			(given, room) => {
				const safe = rowsOf({rows: given}, false);
				const fit = fitFirst(columns, safe, room);
				for (const {cells} of safe) {
					const line = drawRow(cells, columns, fit);
					expect(lineWidth(line)).toBeLessThanOrEqual(room);
					expect(line).not.toMatch(/[\u001B\u202E\n]/);
				}
			},
		),
	);
});

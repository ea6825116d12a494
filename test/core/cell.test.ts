import {expect, test} from 'vitest';
import {type Cell, cellText, cellTime} from '../../src/core/cell.ts';

const now = Date.parse('2026-01-01T12:00:00Z');

test.each<[Cell, string, string]>([
	['3 h ago', '3 h ago', '3 h ago'],
	[{at: '2026-01-01T09:00:00.5Z'}, '2 h ago', '2026-01-01T09:00:00Z'],
	[{at: '2026-01-01T16:04:05+01:00'}, 'in 3 h', '2026-01-01T15:04:05Z'],
	[{at: '2020-01-02T03:04:05.123456+00:00'}, '2020-01-02', '2020-01-02T03:04:05Z'],
	[{at: 'tomorrow'}, 'tomorrow', 'tomorrow'],
	[{at: ''}, '', ''],
	[{id: '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'}, '0b5e0a1c', '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'],
])('%j is “%s”, and exactly “%s”', (cell, brief, exact) => {
	expect([cellText(cell, {exact: false, now}), cellText(cell, {exact: true, now})]).toEqual([brief, exact]);
});

test('a time is compared by its instant; text and invalid times have none', () => {
	expect([{at: '2026-01-01T13:00:00+01:00'}, {at: 'soon'}, {id: '2026'}, '2026-01-01'].map(cellTime)).toEqual([
		now,
		undefined,
		undefined,
		undefined,
	]);
});

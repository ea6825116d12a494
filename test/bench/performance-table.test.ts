import {expect, test} from 'vitest';
import {performanceTable, type Report} from '../../.scripts/performance-table.ts';
import figures from './figures.json' with {type: 'json'};

const stored: Report = figures;
const lines = (report: Report) => performanceTable(report).split('\n');

/** The stored report with a second program, which took part only in one scene. */
const withPeer: Report = {
	...stored,
	columns: [
		{name: 'service', version: '0.1.0'},
		{name: 'other', version: ''},
	],
	figures: {
		...Object.fromEntries(Object.entries(stored.figures).map(([label, [own]]) => [label, [own ?? null, null]])),
		'first frame, ms': [
			{median: 123.4, least: 99.96, most: 1000},
			{median: 12.34, least: 1.234, most: 0},
		],
	},
};

test('the table names the machine, the versions, the rounds and the day', () => {
	const report = {...withPeer, at: '2026-01-02T03:04:05.678Z', rounds: 5};
	const machine = {node: 'v24.1.0', system: 'Linux 6.1', processors: 2, model: 'Some CPU'};
	const [about, , head] = lines({...report, machine});
	expect(about).toBe('Medians (least to most) of 5 rounds, 2026-01-02: 2 x Some CPU, Linux 6.1, Node 24.1.0.');
	expect(head).toBe('|  | service 0.1.0 | other |');
});

test('a figure has about three digits, and a scene without another program leaves its cell empty', () => {
	const rows = lines(withPeer);
	expect(rows).toContain('| first frame, ms | 123 (100.0 to 1000) | 12.3 (1.23 to 0.00) |');
	expect(rows.find(row => row.startsWith('| idle, MB |'))).toMatch(/\) \| {2}\|$/);
});

test('figures of a database are shown if it was measured', () => {
	const reads = {'PostgreSQL, reads/s': [{median: 1000, least: 900, most: 1100}]};
	const [without, having] = [stored.figures, {...stored.figures, ...reads}].map(shown =>
		lines({...stored, figures: shown}),
	);
	expect(having?.filter(row => !without?.includes(row))).toEqual(['| PostgreSQL, reads/s | 1000 (900 to 1100) |']);
});

test.each([
	['is missing', {...stored.figures, 'idle, MB': []}],
	['was not measured of ours', {...stored.figures, 'idle, MB': [null, {median: 1, least: 1, most: 1}]}],
])('figures of which one %s make no table', (_, changed) => {
	expect(() => performanceTable({...stored, figures: changed})).toThrow('no “idle, MB”. Measure all scenes');
});

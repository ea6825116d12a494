import fc from 'fast-check';
import {expect, test} from 'vitest';
import {keymapOf} from '../../../src/editor/keymap/keymap.ts';
import {viewerKeys} from '../../../src/editor/keymap/view-keys.ts';
import {createLogBuffer} from '../../../src/logs/log-buffer.ts';
import {createMatcher} from '../../../src/logs/matcher.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {createLogRenderer} from '../../../src/ui/logs/log-screen.ts';
import {visibleRows} from '../../../src/ui/logs/log-scroll.ts';
import type {LogEntries} from '../../../src/ui/logs/merged-log.ts';
import {chosenPlaces, copyLines} from '../../../src/ui/logs/viewer/log-chosen.ts';
import {findLine} from '../../../src/ui/logs/viewer/log-find.ts';
import {reduceLogViewer} from '../../../src/ui/logs/viewer/log-viewer.ts';
import {emptyViewer, type LogViewer, positionOf, withOpenedAt} from '../../../src/ui/logs/viewer/log-viewer-state.ts';
import {traceOf, traces} from '../../core/stack-trace/traces.ts';
import {logOf, openLog, push, shop, tokensOf} from '../log-parts.ts';

/** The panel folds all frames, with the line above them. */
const panel: LogViewer = {...emptyViewer, folding: 'all'};

/** A log as the viewer or the panel draws it, with all of its rows. */
function openView(log: LogEntries, viewer: LogViewer = emptyViewer) {
	const palette = createPalette({color: false});
	const renderer = createLogRenderer(palette, error => {
		throw error;
	});
	let shown = viewer;
	const render = () => {
		const request = {viewer: shown, logs: [openLog()], focus: shop, log, rows: 200_000, width: 100};
		while (renderer.render(request).isFiltering) {}
		return renderer.render(request);
	};
	return {
		rows() {
			const {viewport, drawn} = render();
			const top = viewport.shown.placeAt(0);
			return top === undefined
				? []
				: visibleRows(viewport, {top, row: 0}).map(([place, row]) => drawn(place).rows[row] ?? '');
		},
		press(keys: string) {
			for (const token of tokensOf(keys)) {
				const given = {
					focus: shop,
					places: [shop],
					viewport: render().viewport,
					fileName: '',
					keymap: keymapOf(viewerKeys),
				};
				shown = reduceLogViewer(shown, token, given).viewer;
			}
		},
		viewport: () => render().viewport,
		position: () => positionOf(shown, shop),
		viewer: () => shown,
		show(next: LogViewer) {
			shown = next;
		},
	};
}

const node = traceOf('Node');
const foldedNode = [
	'Error: connect ECONNREFUSED 127.0.0.1:5432',
	'    at loadRates (/app/src/rates.ts:31:9)',
	'    … 4 frames',
	'    at async file:///app/src/main.mjs:3:1',
	'    … 3 frames',
];

test('a trace that arrives line by line is folded as it grows, and no line is held back', () => {
	const log = createLogBuffer();
	const view = openView(log);
	const heights = node.map(line => {
		push(log, line);
		return view.rows().length;
	});
	expect(heights).toEqual([1, 2, 3, 3, 3, 3, 4, 5, 5, 5, 6, 7, 8]);
	expect(view.rows().slice(0, 5)).toEqual(foldedNode);
});

test('Enter opens and closes a fold; p shows every line as it was received', () => {
	const view = openView(logOf(['before', ...node, 'after']));
	view.press('g');
	view.press('jjj\r');
	expect(view.rows()).toHaveLength(view.viewport().log.end() - 2);
	expect(view.rows().slice(3, 7)).toEqual(node.slice(2, 6));
	view.press('jj\r');
	expect(view.rows().slice(1, 6)).toEqual(foldedNode);
	expect(view.position().scroll?.cursor).toBe(3);
	view.press('p');
	expect(view.rows()).toEqual(['before', ...node, 'after']);
});

test('the panel shows a trace in the row of its error, as it grows', () => {
	const log = createLogBuffer();
	const view = openView(log, panel);
	const heights = ['before', ...node, 'after'].map(line => {
		push(log, line);
		return view.rows().length;
	});
	expect(heights).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 5, 6]);
	expect(view.rows()).toEqual([
		'before',
		'Error: connect ECONNREFUSED 127.0.0.1:5432 · 9 frames',
		'  errno: -2',
		'}',
		'Node.js v20.20.2',
		'after',
	]);
	const filters = new Map([[shop, {patterns: ['rates'], minLevel: undefined}]]);
	view.show({...panel, filters});
	expect(view.rows()).toEqual(node.filter(line => line.includes('rates')));
	view.show({...panel, raw: true});
	expect(view.rows()).toHaveLength(node.length + 2);
});

test.each([
	['Python', ['Traceback (most recent call last): · 5 frames', 'ValueError: no rate']],
	['Java', ['Exception in thread "main" java.lang.IllegalStateException: no rate · 5 frames']],
	['Java', ['Caused by: java.net.ConnectException: refused · 2 frames']],
	['Go', ['goroutine 1 [running]: · 5 frames']],
] as const)('the panel counts the frames of %s', (name, rows) => {
	expect(openView(logOf(traceOf(name)), panel).rows()).toEqual(expect.arrayContaining([...rows]));
});

test('frames without an error above them are counted in a row of their own', () => {
	const frames = ['    at a (/app/a.ts:1:1)', '    at b (/app/b.ts:1:1)'];
	const other = '5eefeae8-0000-4000-8000-000000000000';
	const lines = ['Error: no rate', '', ...frames];
	expect(openView(logOf(lines), panel).rows()).toEqual(['Error: no rate', '', '    … 2 frames']);
	const log = logOf(['Error: no rate', 'of another log', ...frames]);
	const merged = {...log, environmentAt: (place: number) => (place === 1 ? other : shop)};
	expect(
		openView(merged, panel)
			.rows()
			.map(row => row.trim()),
	).toEqual(['Error: no rate', 'of another log', '… 2 frames']);
	const gap = logOf(['Error: no rate']);
	gap.push({kind: 'mark', seq: 2, at: 0, mark: 'gap'});
	for (const text of frames) {
		push(gap, text);
	}

	expect(openView(gap, panel).rows()).toEqual(['Error: no rate', '-- lines may be missing here --', '    … 2 frames']);
});

test('a long error keeps the number of its frames, and its path is shown from the working folder', () => {
	const log = logOf([`Error: Cannot find /app/rates.json ${'x'.repeat(200)}`, '    at a (/app/a.ts:1:1)']);
	const palette = createPalette({color: false});
	const renderer = createLogRenderer(palette, () => undefined, '/app');
	const request = {logs: [openLog()], focus: shop, log, rows: 10, width: 50};
	const rowsOf = (viewer: LogViewer) => {
		const {viewport, drawn} = renderer.render({...request, viewer});
		return visibleRows(viewport, {top: 0, row: 0}).map(([place, row]) => drawn(place).rows[row]);
	};
	expect(rowsOf(panel)).toEqual([`Error: Cannot find rates.json ${'x'.repeat(9)}… · 1 frame`]);
	expect(rowsOf({...emptyViewer, wrap: true}).at(-1)).toBe('    at a (a.ts:1:1)');
	expect(rowsOf(panel)).toHaveLength(1);
});

test('a copy of folded frames has all of them', () => {
	const view = openView(logOf(['before', ...node, 'after']));
	view.press('gjmjjj');
	let copied = '';
	const places = chosenPlaces(view.viewport(), view.position());
	const copy = (text: string) => {
		copied = text;
		return undefined;
	};
	const refused = copyLines(view.viewport(), places, copy, ' Press s to save a file.');
	expect(refused).toBe('Not copied: too long, or not supported by this terminal. Press s to save a file.');
	expect(copyLines(view.viewport(), places, () => 'OSC 52', '')).toBe('Copied 7 lines (OSC 52).');
	expect(copied).toBe(node.slice(0, 7).join('\n'));
});

test('a search finds a folded frame, and opens its fold', async () => {
	const view = openView(logOf(['before', ...node, 'after']));
	view.press('g');
	const {scroll} = view.position();
	const {signal} = new AbortController();
	const matcher = createMatcher('express');
	const found = await findLine({viewport: view.viewport(), scroll, matcher, direction: 'forward', signal});
	expect(found?.place).toBe(4);
	view.show(withOpenedAt(view.viewer(), shop, view.viewport(), found?.place ?? -1));
	expect(view.rows()).toContain(node[3]);
});

test('a filter by text shows the frames that match', () => {
	const filters = new Map([[shop, {patterns: ['node:'], minLevel: undefined}]]);
	expect(openView(logOf([...node]), {...emptyViewer, filters}).rows()).toEqual(
		node.filter(line => line.includes('node:')),
	);
});

test('Enter opens a line of JSON, and a line with nothing more to show says so', () => {
	const line = `{"level":"info","msg":"up","request":{"path":"/","headers":["${'x'.repeat(60)}","${'y'.repeat(60)}"]}}`;
	const view = openView(logOf([line, 'plain']));
	view.press('g\r');
	expect(view.rows()).toEqual([
		...['{', '  "level": "info",', '  "msg": "up",', '  "request": {', '    "path": "/",', '    "headers": ['],
		...[`      "${'x'.repeat(60)}",`, `      "${'y'.repeat(60)}"`, '    ]', '  }', '}', 'plain'],
	]);
	view.press('\r');
	expect(view.rows()).toHaveLength(2);
	view.press('j\r');
	expect(view.viewer().note).toBe('Nothing more to show.');
});

test('however lines arrive, the end is what drawing all of them at once gives', () => {
	const line = fc.constantFrom('one', '', '\u001b[31mError\u202e\u0007', ...traces.flatMap(trace => trace.lines));
	fc.assert(
		fc.property(
			fc.array(fc.array(line, {maxLength: 12}), {maxLength: 12}),
			fc.integer({min: 3, max: 60}),
			fc.constantFrom(emptyViewer, panel),
			(batches, most, viewer) => {
				const log = createLogBuffer({entries: most});
				const grown = openView(log, viewer);
				for (const lines of batches) {
					for (const text of lines) {
						push(log, text);
					}

					grown.rows();
				}

				const all = batches.flat();
				// A full log forgets where a trace began, which an oldest line of it can't tell.
				if (all.length <= most) {
					expect(grown.rows()).toEqual(openView(logOf(all), viewer).rows());
					const shown = openView(logOf(all), viewer === panel ? emptyViewer : panel);
					shown.rows();
					shown.show(viewer);
					expect(grown.rows()).toEqual(shown.rows());
				}

				const {log: kept, shown} = grown.viewport();
				const places = Array.from({length: shown.count()}, (_, index) => shown.placeAt(index) ?? -1).flatMap(
					shown.spanOf,
				);
				expect(places).toEqual(Array.from({length: kept.end() - kept.start()}, (_, index) => kept.start() + index));
			},
		),
		// The log drops the first frame of a fold with the line after it, and with the next frame.
		{
			examples: [
				[[['    at a (node:a:1:1)', '    at b (node:b:1:1)', '    at c (node:c:1:1)'], ['one']], 3, emptyViewer],
				[[['    at a (node:a:1:1)'], ['    at b (node:b:1:1)', 'one', 'one']], 3, emptyViewer],
				[
					[
						['Error', '    at a (node:a:1:1)'],
						['    at b (/a:1:1)', 'one', 'one'],
					],
					3,
					panel,
				],
			],
		},
	);
});

test('100,000 frames in a full log keep rows, and all lines that are left', () => {
	const log = createLogBuffer({entries: 5000});
	const view = openView(log);
	push(log, 'Error: no rate');
	for (let index = 0; index < 100_000; index++) {
		push(log, '    at f (node:fs:1:1)');
		if (index % 3000 === 0) {
			view.rows();
		}
	}

	const rows = view.rows();
	expect(rows.length).toBeLessThan(10);
	expect(rows.every(row => /^ {4}… [\d,]+ frames$/.test(row))).toBe(true);
	const {shown} = view.viewport();
	expect(Array.from({length: shown.count()}, (_, index) => shown.spanOf(shown.placeAt(index) ?? -1).length)).toEqual(
		rows.map(row => Number(row.replace(/\D/g, ''))),
	);
});

import {describe, expect, test} from 'vitest';
import {AppError} from '../../../../src/core/error.ts';
import {setComposerText} from '../../../../src/editor/editor.ts';
import {emptyComposer} from '../../../../src/editor/editor-state.ts';
import {allLogs} from '../../../../src/store/logs-slice.ts';
import {lineWidth} from '../../../../src/terminal/text/width.ts';
import {titleOf} from '../../frame.ts';
import {framesOf} from '../../log-frames.ts';
import {logOf, numbered, openLog, shop, triage} from '../../log-parts.ts';

const requests = [
	'ts=1 level=info msg=request path=/',
	'ts=2 level=error msg=request path=/checkout',
	'ts=3 level=debug msg=health',
];
const error = new AppError('network', 'Nothing listens there.');

test('the panel shows the state, the keys and the end of the log', () => {
	expect(
		framesOf({log: logOf(requests)})
			.panel(4)
			.map(titleOf),
	).toEqual([
		'web-shop 5eefeae8 · live, complete · 3 lines · Ctrl+G open · Alt+L hide',
		'  1 info  request path=/',
		'  2 error request path=/checkout',
		'  3 debug health',
	]);
	expect(
		framesOf({log: logOf(requests), columns: 120})
			.panel(2)
			.map(titleOf),
	).toEqual([
		'web-shop 5eefeae8 · live, complete · 3 lines · Ctrl+G open · Alt+L hide · Alt+↑↓ resize',
		'  3 debug health',
	]);
});

test('the viewer shows the title, the lines, the filter and the keys', () => {
	const filters = new Map([[shop, {patterns: ['request'], minLevel: undefined}]]);
	const {screen} = framesOf({log: logOf(requests), rows: 7, viewer: {filters, search: 'check'}});
	expect(screen()).toEqual([
		'web-shop 5eefeae8 · live, complete · 3 lines',
		'  1 info  request path=/',
		' •2 error request path=/checkout',
		'',
		'',
		'filter request · 1 hidden · search check',
		'? help · / search · & filter · End latest · m mark · a attach · Esc close',
	]);
});

test('an empty log differs from one whose lines are all hidden', () => {
	const filters = new Map([[shop, {patterns: ['nowhere'], minLevel: undefined}]]);
	const empty = framesOf({log: logOf([])});
	const hidden = framesOf({log: logOf(requests), viewer: {filters}});
	expect([empty.panel(2)[1], empty.screen()[1]]).toEqual(['  No log lines yet.', 'No log lines yet.']);
	expect([hidden.panel(2)[1], hidden.screen()[1]]).toEqual([
		'  No line matches the filter.',
		'No line matches the filter.',
	]);
});

test('help is complete in any window: it wraps and has pages', () => {
	const pages = (columns: number, rows: number, count: number) =>
		Array.from({length: count}, (_, help) => framesOf({log: logOf(requests), columns, rows, viewer: {help}}).screen());
	const words = (frames: readonly (readonly string[])[]) =>
		frames
			.flatMap(lines => lines.slice(1, -1))
			.join(' ')
			.replace(/\s+/g, ' ')
			.trim();
	const whole = pages(200, 24, 1);
	expect(whole[0]?.at(-1)).toBe('Esc close');
	const small = pages(60, 14, 3);
	expect(small.map(lines => lines.at(-1))).toEqual([1, 2, 3].map(page => `page ${page} of 3 · Space next · Esc close`));
	expect(words(small)).toBe(words(whole));
	expect(pages(60, 14, 4)[3]).toEqual(small[0]);
});

test('a title that ends in the beginning of the id gets the rest of it', () => {
	const logs = [openLog({title: `web-shop ${shop.slice(0, 4)}`, lines: 3}), openLog({environment: triage, hue: 1})];
	expect(
		framesOf({log: logOf(requests), logs})
			.screen()
			.slice(0, 2),
	).toEqual(['web-shop 5eefeae8 · live, complete · 3 lines', `[web-shop ${shop.slice(0, 4)}]  web-shop   all`]);
});

test('a rejected input line stays open, with the error after it', () => {
	const field = {kind: 'filter', composer: setComposerText(emptyComposer, '(a')} as const;
	const {screen} = framesOf({log: logOf(requests), viewer: {field, note: 'Unterminated group.'}});
	expect(screen().at(-1)).toBe('Filter: (a  Unterminated group.');
});

test('a paused viewer shows the number of new lines, the selection and the cursor', () => {
	const position = {scroll: {cursor: 2, top: 1, row: 0, since: 3}, mark: 1};
	const {screen} = framesOf({log: logOf(numbered(315)), rows: 5, viewer: {positions: new Map([[shop, position]])}});
	expect(screen()).toEqual([
		'web-shop 5eefeae8 · paused +312 · live, complete · 315 lines',
		'▌ line 2',
		'❯ line 3',
		'  line 4',
		'? help · / search · & filter · End latest · m mark · a attach · Esc close',
	]);
});

test.each([
	[{name: 'live', isComplete: false}, 'live'],
	[{name: 'gap'}, 'gap'],
	[{name: 'stale', since: -42_000}, 'stale 42 s'],
	[{name: 'reconnecting', attempt: 2, retryAt: 3000, error}, 'reconnecting in 3 s (attempt 2)'],
	[{name: 'ended', why: 'connected elsewhere', error}, 'ended: connected elsewhere'],
	[{name: 'login', error}, 'login needed'],
	[{name: 'held'}, 'on hold: connected elsewhere'],
] as const)('the state %j is in the title of the panel and of the viewer, however narrow they are', (state, text) => {
	for (const columns of [40, 80, 120]) {
		const {panel, screen} = framesOf({log: logOf(requests), columns, logs: [openLog({state, title: 'a'.repeat(99)})]});
		expect([panel(1)[0], screen()[0]]).toEqual([expect.stringContaining(text), expect.stringContaining(text)]);
	}
});

test('each of several logs has a tab with its unread lines; all together show each state that is not live', () => {
	const state = {name: 'reconnecting', attempt: 2, retryAt: 3000, error} as const;
	const logs = [openLog({lines: 1200}), openLog({environment: triage, title: 'triage', hue: 1, unread: 12, state})];
	expect(
		framesOf({log: logOf(requests), logs})
			.screen()
			.slice(0, 2),
	).toEqual(['web-shop 5eefeae8 · live, complete · 1,200 lines', '[web-shop]  triage +12   all']);
	expect(
		framesOf({log: logOf(requests), logs, focus: allLogs})
			.panel(5)
			.slice(0, 2)
			.map(titleOf),
	).toEqual([
		'all 2 logs · triage reconnecting in 3 s (attempt 2) · 12 unread · Ctrl+G open',
		' web-shop   triage +12  [all]',
	]);
});

test('a narrow window has the tabs around the focused one, and counts the unread lines of the others', () => {
	const names = ['web-shop', 'triage', 'payments', 'search', 'mail', 'reports'];
	const logs = names.map((title, index) =>
		openLog({title, environment: `${index}`, hue: index, unread: index === 4 ? 7 : 0}),
	);
	const tabs = (focus: string, columns: number) => framesOf({log: logOf(requests), logs, focus, columns}).screen()[1];
	expect(tabs('0', 80)).toBe('[web-shop]  triage   payments   search   mail +7   reports   all');
	expect([30, 20, 10, 6].map(columns => tabs('0', columns))).toEqual([
		'[web-shop]  triage  …+7',
		'[web-shop] …+7',
		'[web-shop]',
		'[web-…',
	]);
	expect([50, 40, 30].map(columns => tabs('3', columns))).toEqual([
		' web-shop   triage   payments  [search] …+7',
		'…  triage   payments  [search] …+7',
		'…  payments  [search] …+7',
	]);
	expect(['4', '5', allLogs].map(focus => tabs(focus, 30))).toEqual([
		'…  payments   search  [mail] …',
		'…  mail +7  [reports]  all',
		'…  mail +7   reports  [all]',
	]);
	for (const [focus] of names.entries()) {
		for (let columns = 1; columns < 90; columns++) {
			const shown = tabs(`${focus}`, columns) ?? '';
			expect(lineWidth(shown)).toBeLessThanOrEqual(columns);
			expect(columns < 10 || shown.includes(`[${names[focus]}]`)).toBe(true);
		}
	}
});

test('gaps and dropped lines are counted, and a waiting question is shown', () => {
	const logs = [openLog({lines: 60_000, gaps: 2, droppedLines: 10_000})];
	const {screen} = framesOf({log: logOf(requests), logs, columns: 120, notice: 'A question waits.'});
	expect([screen()[0], screen().at(-1)]).toEqual([
		'web-shop 5eefeae8 · live, complete · 60,000 lines · 2 gaps · 10,000 oldest dropped',
		'A question waits.',
	]);
});

test('the end of the input line stays visible', () => {
	const field = {kind: 'filter', composer: setComposerText(emptyComposer, `${'x'.repeat(100)}\u001bend`)} as const;
	const {screen} = framesOf({log: logOf(requests), columns: 40, viewer: {field}});
	expect(screen().at(-1)).toBe(`Filter: ${'x'.repeat(27)}␛end`);
});

describe.each([
	[20, 5],
	[40, 10],
	[80, 24],
	[120, 40],
])('in a window of %i x %i', (columns, rows) => {
	test.each([true, false])('no line is wider than the window, and none is left out, colour %j', color => {
		const lines = [
			...numbered(100),
			'日本語 '.repeat(80),
			'\u001b[31mred\u001b[2J'.repeat(30),
			`${'e\u0301'.repeat(200)}`,
		];
		const logs = [openLog({title: '日本'.repeat(20)}), openLog({environment: triage, hue: 1, unread: 5000})];
		for (const viewer of [
			{},
			{wrap: true, times: 'local'},
			{help: 0},
			{help: -1},
			{highlights: ['e', 'd'], sideways: 16},
		] as const) {
			const {screen, panel} = framesOf({log: logOf(lines), columns, rows, viewer, logs, color});
			for (const frame of [screen(), panel(5)]) {
				expect(frame.filter(line => lineWidth(line) > columns)).toEqual([]);
				expect(color || !frame.join('').includes('\u001b')).toBe(true);
			}

			expect([screen().length, panel(5).length]).toEqual([rows, 5]);
		}
	});
});

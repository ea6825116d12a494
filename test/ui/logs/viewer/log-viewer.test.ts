import {expect, test} from 'vitest';
import {keymapOf} from '../../../../src/editor/keymap/keymap.ts';
import {viewerKeys} from '../../../../src/editor/keymap/view-keys.ts';
import {allLogs} from '../../../../src/store/logs-slice.ts';
import {reduceLogViewer} from '../../../../src/ui/logs/viewer/log-viewer.ts';
import {
	emptyViewer,
	filterOf,
	type LogViewer,
	type ViewerAction,
} from '../../../../src/ui/logs/viewer/log-viewer-state.ts';
import {esc, keys} from '../../key-presses.ts';
import {logOf, numbered, push, shop, tokensOf, triage, viewportOf} from '../../log-parts.ts';

const end = `${esc}[F`;
const home = `${esc}[H`;

/** The viewer at a log of a hundred lines, and what keys make of it. */
function viewing(lines = numbered(100)) {
	const log = logOf(lines);
	const given = {
		focus: shop,
		places: [shop, triage, allLogs],
		viewport: viewportOf(log),
		fileName: 'web-shop.log',
		keymap: keymapOf(viewerKeys),
	};
	let viewer: LogViewer = emptyViewer;
	const actions: ViewerAction[] = [];
	return {
		log,
		actions,
		viewer: () => viewer,
		filter: (focus = shop) => filterOf(viewer, focus),
		scroll: () => viewer.positions.get(shop)?.scroll,
		press(...inputs: readonly string[]) {
			for (const token of inputs.flatMap(tokensOf)) {
				const step = reduceLogViewer(viewer, token, given);
				viewer = step.viewer;
				actions.push(...(step.action ? [step.action] : []));
			}
		},
	};
}

test('scrolling up pauses, End resumes, and scrolling down at the end does nothing', () => {
	const {press, scroll, log} = viewing();
	press(keys.down, ' ');
	expect(scroll()).toBeUndefined();
	press(keys.up);
	expect(scroll()).toEqual({cursor: 98, top: 90, row: 0, since: 100});
	push(log, 'one more');
	press('k', 'j', 'j', 'j');
	expect(scroll()).toEqual({cursor: 100, top: 91, row: 0, since: 100});
	press(home);
	expect(scroll()?.cursor).toBe(0);
	press(keys.pageDown);
	expect(scroll()).toMatchObject({cursor: 9, top: 9});
	press(end);
	expect(scroll()).toBeUndefined();
});

test('p shows structured lines as received, and again with their message first', () => {
	const {press, viewer} = viewing();
	press('p');
	expect([viewer().raw, viewer().note]).toEqual([true, 'Showing lines as received.']);
	press('p');
	expect([viewer().raw, viewer().note]).toEqual([false, 'Showing time, level and message first.']);
});

test('each letter of a text is a key, and the letters after / are the search', () => {
	const {press, viewer, actions} = viewing();
	press('kkw/GET .*shop', keys.enter);
	expect([viewer().wrap, viewer().search, viewer().field]).toEqual([true, 'GET .*shop', undefined]);
	press('n', 'N', 'q');
	expect(actions).toEqual([
		{type: 'search', direction: 'forward'},
		{type: 'search', direction: 'forward'},
		{type: 'search', direction: 'backward'},
		{type: 'close'},
	]);
});

test('filters add up, Enter without text removes one, and an invalid one stays open', () => {
	const {press, viewer, filter} = viewing();
	press('&GET', keys.enter, '&!health', keys.enter);
	expect(filter().patterns).toEqual(['GET', '!health']);
	press('&(', keys.enter);
	expect([filter().patterns, viewer().note]).toEqual([['GET', '!health'], 'Invalid regex “(”: unterminated group.']);
	expect(viewer().field).toMatchObject({kind: 'filter', composer: {text: '('}});
	press('b');
	expect(viewer().note).toBe('');
	press(')', keys.enter, '&', keys.enter, '&', keys.enter);
	expect(filter().patterns).toEqual(['GET']);
	press('&[', keys.enter, keys.escape);
	expect([filter().patterns, viewer().field, viewer().note]).toEqual([['GET'], undefined, '']);
});

test('l cycles the minimum level, t the times, h highlights', () => {
	const {press, viewer, filter} = viewing();
	const levels: unknown[] = [];
	const times: unknown[] = [];
	for (let count = 0; count < 6; count++) {
		press('l', 't');
		levels.push(filter().minLevel);
		times.push(viewer().times);
	}

	expect(levels).toEqual(['debug', 'info', 'warn', 'error', 'fatal', undefined]);
	expect(times).toEqual(['local', 'UTC', 'delta', 'off', 'local', 'UTC']);
	press('hshop', keys.enter);
	expect(viewer().highlights).toEqual(['shop']);
});

test('a filter and a level apply to the log in front, until = applies them to all logs', () => {
	const {press, filter, viewer} = viewing();
	press('&GET', keys.enter, 'lll');
	const everything = {patterns: [], minLevel: undefined};
	const narrow = {patterns: ['GET'], minLevel: 'warn'};
	expect([shop, triage, allLogs].map(filter)).toEqual([narrow, everything, everything]);
	press('=');
	expect([shop, triage, allLogs].map(filter)).toEqual([narrow, narrow, narrow]);
	expect(viewer().note).toBe('All logs use this filter and level now.');
	press('&', keys.enter, 'lll');
	expect([filter(shop), filter(triage)]).toEqual([everything, narrow]);
	press('=');
	expect([filter(triage), viewer().note]).toEqual([everything, 'All logs show all lines now.']);
});

test('m sets a mark and pauses; m again or closing the viewer removes it', () => {
	const {press, viewer, scroll} = viewing();
	press('m', 'k', 'k');
	expect([viewer().positions.get(shop)?.mark, scroll()?.cursor]).toEqual([99, 97]);
	press('m');
	expect(viewer().positions.get(shop)?.mark).toBeUndefined();
	press('m', 'q');
	expect([viewer().positions.get(shop)?.mark, scroll()?.cursor]).toEqual([undefined, 97]);
});

test('saving suggests a file name that can be changed', () => {
	const {press, actions} = viewing();
	press('s', keys.enter, 's', '\u0015', ' other.log ', keys.enter, 's', keys.escape, 's', '\u0015', keys.enter);
	expect(actions).toEqual([
		{type: 'save', path: 'web-shop.log'},
		{type: 'save', path: 'other.log'},
	]);
});

test('an open input line gets the keys; a paste is one line there, and ignored elsewhere', () => {
	const {press, viewer, actions} = viewing();
	press('/q', `${esc}[200~two\nlines${esc}[201~`, keys.enter);
	expect([viewer().search, actions.length]).toEqual(['qtwo lines', 1]);
	press(`${esc}[200~q${esc}[201~`);
	expect(actions).toHaveLength(1);
	press('/x', '\n', keys.ctrlC);
	expect([viewer().field, viewer().search, actions.length]).toEqual([undefined, 'qtwo lines', 1]);
});

test.each([
	['q', 'close'],
	[keys.escape, 'close'],
	[keys.ctrlC, 'close'],
	['\u0007', 'close'],
	[keys.ctrlL, 'redraw'],
	[keys.ctrlZ, 'suspend'],
	['c', 'copy'],
	['a', 'attach'],
])('%j asks to %s', (input, type) => {
	const {press, actions} = viewing();
	press(input);
	expect(actions).toEqual([{type}]);
});

test('any key that does not turn a page closes the help, and does nothing else', () => {
	const {press, viewer, actions} = viewing();
	press('?');
	expect(viewer().help).toBe(0);
	press(' ', keys.down, keys.up);
	expect(viewer().help).toBe(1);
	press('q');
	expect([viewer().help, actions]).toEqual([undefined, []]);
});

test('keys at an empty log change nothing', () => {
	const {press, viewer} = viewing([]);
	press(keys.up, keys.pageUp, home, 'm', 'k');
	expect(viewer().positions.get(shop)?.scroll).toBeUndefined();
});

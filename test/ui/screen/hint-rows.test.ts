import {createElement} from 'react';
import {expect, test} from 'vitest';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {App} from '../../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {openReview, twoHunks} from '../changes/reviewer.ts';
import {draw, titleOf} from '../frame.ts';
import {framesOf} from '../log-frames.ts';
import {logOf, shop} from '../log-parts.ts';
import {key, openReader} from '../transcript/reader.ts';

const long = 'Sandboxes of the organization with a name that is longer than most windows are wide';
const rows = Array.from({length: 40}, (_, index) => [`item ${index}`, {at: '2026-01-01T00:00:00Z'}]);
const choices = ['alpha', 'beta'].map(id => ({id, label: id}));
const login = {server: 'https://app.example.com', page: 'https://app.example.com/device', pageWithCode: ''};

const panels: Readonly<Record<string, Panel>> = {
	picker: {kind: 'pick', title: long, choices},
	table: {
		...{kind: 'table', title: long, columns: [{label: 'name'}, {label: 'made'}], rows},
		opens: {ids: rows.map((_, index) => `${index}`)},
	},
	lines: {kind: 'lines', title: long, lines: () => Array.from({length: 60}, (_, index) => `line ${index}`)},
	editor: {kind: 'edit', label: long, does: 'save', text: 'draft'},
	question: {kind: 'ask', question: 'Which?', choices, isFollowUp: false, askedAt: -1e6},
	'field of a question': {kind: 'ask', question: 'Which?', choices: [], isFollowUp: false, askedAt: -1e6},
	field: {kind: 'field', label: long, masked: true},
	login: {kind: 'device', ...login, code: 'WDJB-MJHT', expiresAt: Date.now() + 9e5, opens: true},
	'login without a code': {
		kind: 'device',
		...login,
		code: '',
		expiresAt: Date.now() + 9e5,
		opens: true,
		others: ['paste'],
	},
};

/** Every hint that these panels show, whole. */
const whole =
	/^(?:Enter (?:open|select|save|send|confirm)|Tab sort|Ctrl\+T exact times|↑↓ (?:move|scroll)|(?:c )?copy code|u copy URL|c, u copy|p paste the address it ends on|\d+ m(?: \d+ s)? left|\d+-\d+ of 60|Esc (?:close|cancel|back))$/;

test.each(
	Object.entries(panels).flatMap(([name, panel]) => [30, 47, 80].map(columns => [name, columns, panel] as const)),
)('a %s in %i columns leaves out whole hints, and says how it is closed', async (_, columns, panel) => {
	const {store, settle, lines} = draw(createElement(App), {columns, rows: 24});
	openPanel(store, panel);
	await settle(20);
	const row = lines().findLast(line => line.includes('Esc '));
	expect(row).toBeDefined();
	const [first = '', ...others] = titleOf(row ?? '')
		.trim()
		.split(' · ');
	const hints = ['ask', 'device', 'field'].includes(panel.kind) ? [first, ...others] : others;
	expect(hints.filter(hint => !whole.test(hint))).toEqual([]);
});

/** Returns the bottom row of a view at each of these widths, and the widest one. */
function narrower(bottom: (columns: number) => string | undefined) {
	const all = new Set(bottom(300)?.split(' · '));
	return Array.from({length: 100}, (_, index) => index + 12).flatMap(columns => {
		const row = bottom(columns) ?? '';
		expect(lineWidth(row)).toBeLessThanOrEqual(columns);
		return row.split(' · ').filter(hint => !all.has(hint));
	});
}

test('the views leave out whole hints in a narrow window, too', () => {
	const logs = (columns: number, viewer = {}) => framesOf({log: logOf(['one']), columns, viewer}).screen();
	const review = openReview([twoHunks]);
	const chosen = openReview([twoHunks]);
	chosen.type(' ');
	const replaced = openReview([twoHunks], {isReadOnly: true});
	const {view} = openReader(
		{},
		{type: 'user-message', id: 'u1', text: 'one'},
		{type: 'user-message', id: 'u2', text: 'two'},
	);
	const transcript = (columns: number) => view.draw({columns, rows: 12});
	expect(narrower(columns => logs(columns).at(-1))).toEqual([]);
	expect(narrower(columns => review.draw(columns).at(-1))).toEqual([]);
	expect(narrower(columns => chosen.draw(columns).at(-1))).toEqual([]);
	expect(narrower(columns => replaced.draw(columns).at(-1))).toEqual([]);
	expect(narrower(columns => transcript(columns).at(-1))).toEqual([]);
	view.press(key('up'));
	expect(narrower(columns => transcript(columns)[0])).toEqual([]);
});

test('a long filter and search don’t hide how many lines they hide', () => {
	const filters = new Map([[shop, {patterns: ['one of the many requests of this shop'], minLevel: 'warn' as const}]]);
	const at = (columns: number) =>
		framesOf({log: logOf(['one', 'two']), columns, rows: 9, viewer: {filters, search: 'checkout'}})
			.screen()
			.at(-2);
	expect([90, 60, 40].map(at)).toEqual([
		'filter one of the many requests of this shop · level>=warn · 2 hidden · search checkout',
		'filter one of t… · level>=warn · 2 hidden · search checkout',
		'filter one … · level>=warn · 2 hidden',
	]);
});

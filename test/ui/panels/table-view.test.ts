import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {command, noun} from '../../../src/command/command.ts';
import {titleOf} from '../frame.ts';
import {runApp} from '../running-app.ts';

const bell = '\u0007';
const names = ['beta', 'alpha', ...Array.from({length: 38}, (_, index) => `item${index + 3}`)];

const dated = command({
	name: 'dated',
	summary: 'List parts by their time',
	args: z.object({}),
	run: () => ({
		kind: 'table',
		title: 'Parts',
		columns: [{label: 'name'}, {label: 'made'}],
		rows: names.map((name, index) => [name, {at: new Date(Date.now() - (index + 1) * 3_600_000 - 1).toISOString()}]),
		empty: '',
		data: null,
	}),
});
const list = command({
	name: 'list',
	summary: 'List parts',
	args: z.object({long: z.optional(z.boolean())}),
	run: ({long = false}) => ({
		kind: 'table',
		title: 'Parts',
		columns: [
			{label: 'name'},
			{label: 'size', align: 'right'},
			{label: 'about'},
			{label: 'place', spare: true, whole: true},
		],
		rows: names
			.slice(0, long ? 40 : 3)
			.map((name, index) => [name, `${40 - index}`, `${'x'.repeat(50)}${bell}`, 'far away, in yet another town']),
		empty: '',
		notes: ['As of today.', 'Sorted by name.'],
		opens: {words: ['part', 'show'], ids: names.map(name => (name === 'alpha' ? '--yes' : `id-${name}`))},
		data: null,
	}),
});
const show = command({
	name: 'show',
	summary: 'Show a part',
	args: z.object({id: z.string()}),
	positional: ['id'],
	run: ({id}) => ({kind: 'text', text: `This is ${id}.`}),
});

const keys = {
	up: '\u001b[A',
	down: '\u001b[B',
	pageDown: '\u001b[6~',
	escape: '\u001b[27u',
	tab: '\t',
	back: '\u001b[Z',
};

async function opened({columns = 80, rows = 24, line = '/part list --long'} = {}) {
	const app = runApp({columns, rows, more: [noun({name: 'part', summary: 'Parts', verbs: [list, dated, show]})]});
	await app.waitFor('Demo model');
	app.type(`${line}\r`);
	await app.waitFor('filter');
	/** The panel, from its title to the rule above the prompt. */
	const panel = () => {
		const lines = app.lines();
		const start = lines.findIndex(line => titleOf(line).startsWith('Parts '));
		return start < 0
			? []
			: lines.slice(
					start,
					lines.findLastIndex(line => line.startsWith('──────────')),
				);
	};
	return {...app, panel};
}

test('a table that fits is printed', async () => {
	const app = runApp({more: [noun({name: 'part', summary: 'Parts', verbs: [list, show]})]});
	await app.waitFor('Demo model');
	app.type('/part list\r');
	await app.waitFor('As of today.');
	expect(app.store.getState().panel).toBe(undefined);
});

test.each([60, 80, 120])(
	'a longer one opens in a panel of %d columns, safe and below the height of the window [1]',
	async columns => {
		const {panel, lines, waitFor} = await opened({columns});
		await waitFor('❯ beta');
		const [title, filter, head, first, ...others] = panel();
		expect(titleOf(title ?? '')).toBe(
			columns < 120
				? 'Parts (40) without place · Enter open · Tab sort · Esc close'
				: 'Parts (40) · Enter open · Tab sort · Esc close',
		);
		expect(filter).toBe('filter');
		expect(head).toMatch(columns < 120 ? /^ {2}name +size {2}about$/ : /^ {2}name +size {2}about +place$/);
		expect(first).toMatch(
			{60: /^❯ beta +40 {2}x+…/, 80: /^❯ beta +40 {2}x{50}␇$/}[columns] ?? /^❯ beta +40 {2}x{50}␇ {2}far/,
		);
		expect(others.length).toBeLessThan(20);
		expect(lines().some(line => line.length > columns)).toBe(false);
	},
);

test('its notes stand below its rows, and nothing of it stays once it is closed', async () => {
	const {type, waitFor, lines} = await opened();
	type(keys.pageDown.repeat(9));
	await waitFor('As of today.');
	type(keys.escape);
	await waitFor('Ask something');
	expect(lines().join('\n')).not.toMatch(/part list|As of today|Sorted by name/);
});

test('arrows and pages move, and stop at both ends', async () => {
	const {type, waitFor, store} = await opened();
	type(keys.down);
	await waitFor('❯ alpha');
	type(keys.up.repeat(5));
	await waitFor('❯ beta');
	await expect.poll(() => store.getState().scroll).toBe(0);
	type(keys.down);
	await waitFor('❯ alpha');
	type(keys.pageDown.repeat(9));
	await waitFor('❯ item40');
	type(keys.up);
	await waitFor('❯ item39');
});

test('Enter opens the row that the keys before it in the same chunk moved to', async () => {
	const {type, waitFor} = await opened();
	type(`${keys.down}${keys.down}\r`);
	await waitFor('This is id-item3.');
});

test('Tab sorts by each column in both directions, with an arrow in the head', async () => {
	const {type, waitFor} = await opened();
	type(keys.tab);
	await waitFor('name ↑');
	await waitFor('❯ alpha');
	type(keys.tab);
	await waitFor('name ↓');
	await waitFor('❯ item40');
	type(keys.tab);
	await waitFor('size ↑');
	await waitFor('❯ item40');
	type(keys.back.repeat(3));
	await waitFor('❯ beta');
});

test('dropped columns are not even counted if that would hide the key hints', async () => {
	const {panel, waitFor} = await opened({columns: 23});
	await waitFor('❯ beta');
	expect(panel()[0]).toBe('Parts (40) · Esc close');
});

test('Ctrl+T toggles exact times, and --exact starts with them', async () => {
	const {type, waitFor, lines} = await opened({line: '/part dated'});
	await waitFor('Parts (40) · Tab sort · Ctrl+T exact times · Esc close');
	expect(lines()).toContainEqual(expect.stringMatching(/^❯ beta +1 h ago$/));
	type('\u0014');
	await waitFor('Ctrl+T ages');
	expect(lines()).toContainEqual(expect.stringMatching(/^❯ beta +\d{4}-\d\d-\d\dT[\d:]{8}Z$/));
	type('\u0014');
	await waitFor('1 h ago');
	type(keys.escape);
	await waitFor('Ask something');
	type('/part dated --exact\r');
	await waitFor('Ctrl+T ages');
});

test('typing filters, and Enter opens the row by the command of the table', async () => {
	const {type, waitFor, store} = await opened();
	type('item4');
	await waitFor('Parts (2 of 40)');
	type(keys.down);
	await waitFor('❯ item40');
	type('\r');
	await waitFor('This is id-item40.');
	await waitFor('❯ /part show id-item40');
	expect(store.getState().panel).toBe(undefined);
});

test('a filter without matches shows a note, and Enter opens nothing', async () => {
	const {type, waitFor, store} = await opened();
	type('zzz');
	await waitFor('Nothing matches.');
	type('\r');
	await waitFor('Parts (0 of 40)');
	expect(store.getState().panel?.kind).toBe('table');
});

test('an id that is a flag opens nothing [1]', async () => {
	const {type, waitFor, lines} = await opened();
	type('alpha');
	await waitFor('❯ alpha');
	type('\r');
	await waitFor('Ask something');
	expect(lines().some(line => line.includes('/part show'))).toBe(false);
});

test.each([
	[20, 5],
	[20, 10],
	[200, 60],
])('a window of %d by %d draws it', async (columns, rows) => {
	const app = runApp({columns, rows, more: [noun({name: 'part', summary: 'Parts', verbs: [list, show]})]});
	await expect.poll(() => app.store.getState().connection.state, {interval: 10}).toBeDefined();
	app.type('/part list --long\r');
	await app.waitFor(rows === 60 ? 'far' : '❯ beta');
});

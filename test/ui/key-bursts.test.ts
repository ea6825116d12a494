import fc from 'fast-check';
import {createElement} from 'react';
import {describe, expect, test} from 'vitest';
import {App} from '../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../src/ui/panels/panels.ts';
import {openAppLogs} from './app-logs-harness.ts';
import {openReview, twoHunks} from './changes/reviewer.ts';
import {draw} from './frame.ts';
import {esc, handler, keys} from './key-presses.ts';
import {tokensOf} from './log-parts.ts';
import {runApp} from './running-app.ts';
import {openReader} from './transcript/reader.ts';

const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const choices = names.map(id => ({id, label: id}));
const answers = names.map((value, index) => ({key: `${index + 1}`, label: value, value}));

/** Every panel in which keys select what Enter does. */
const panels: Readonly<Record<string, Panel>> = {
	picker: {kind: 'pick', title: 'Resume', choices},
	table: {
		...{kind: 'table', title: 'Parts', columns: [{label: 'name'}, {label: 'size'}]},
		...{rows: names.map((name, index) => [name, `${9 - index}`]), opens: {ids: names}},
	},
	'approval with several answers': {kind: 'confirm', question: 'Run it?', answers, askedAt: 0},
	'question of the agent': {kind: 'ask', question: 'Which?', choices, isFollowUp: false, askedAt: 0},
	'field of a question': {kind: 'ask', question: 'Which?', choices: [], isFollowUp: false, askedAt: 0},
	field: {kind: 'field', label: 'Name:', masked: true},
	editor: {kind: 'edit', label: 'Text', does: 'save', text: 'one two'},
};

const [left, home, end] = [`${esc}[D`, `${esc}[H`, `${esc}[F`];
const pressed = fc.array(
	fc.constantFrom(
		keys.up,
		keys.down,
		keys.pageUp,
		keys.pageDown,
		left,
		home,
		end,
		keys.tab,
		keys.backspace,
		'a',
		'el',
		'2',
	),
	{maxLength: 12},
);

/** Presses keys in an open panel, and returns what it was answered and what it shows. */
function inPanel(panel: Panel, turns: readonly (readonly string[])[]) {
	const {store, press, asked, wait} = handler();
	openPanel(store, panel);
	wait(5000);
	for (const turn of turns) {
		press(...turn);
	}

	return {store, asked};
}

describe.each(Object.entries(panels))('keys that arrive in one chunk in a %s', (_, panel) => {
	test('do what they do one by one', () => {
		fc.assert(
			fc.property(pressed, given => {
				const typed = [...given, keys.enter];
				const one = inPanel(
					panel,
					typed.map(key => [key]),
				);
				expect(inPanel(panel, [typed]).asked).toEqual(one.asked);
			}),
			{numRuns: 40},
		);
	});
});

const marked = (lines: readonly string[]) => lines.find(line => /^❯ (?!Ask|$)/.test(line));

test.each(['picker', 'table'])('in a %s, Enter selects the row that is marked after the last key', async name => {
	const panel = panels[name] as Panel;
	const drawn = draw(createElement(App), {columns: 60, rows: 20});
	for (const turn of [
		[keys.down, keys.down],
		[keys.up, keys.up, keys.up, keys.down],
		['ta', keys.down],
		[keys.pageDown, keys.pageDown, keys.up],
	]) {
		const {store} = inPanel(panel, [turn]);
		const {scroll, filter, sorted} = store.getState();
		openPanel(drawn.store, panel);
		drawn.store.setState({scroll, filter, sorted});
		await drawn.settle(10);
		const answered = inPanel(panel, [[...turn, keys.enter]]).asked;
		expect(answered).toEqual([`answer ${marked(drawn.lines())?.split(/ +/)[1]}`]);
	}
});

test('in a table, steps beyond an end don’t count', () => {
	const table = panels['table'] as Panel;
	expect(inPanel(table, [[...Array.from({length: 9}, () => keys.down), keys.up, keys.enter]]).asked).toEqual([
		'answer delta',
	]);
	expect(inPanel(table, [[keys.down, keys.enter, keys.down, keys.enter]]).asked[0]).toEqual('answer beta');
});

test('no key of the chunk that answers an approval answers the next one', () => {
	const {store, press, asked, wait} = handler();
	openPanel(store, panels['approval with several answers']);
	wait(5000);
	press(keys.up, keys.enter);
	openPanel(store, {...panels['approval with several answers'], askedAt: 5000} as Panel);
	press('1', keys.up, keys.enter);
	expect([asked, store.getState().composer.text]).toEqual([['answer epsilon'], '']);
});

test('the completion takes keys that arrive in one chunk as one by one', () => {
	const completed = (turns: readonly (readonly string[])[]) => {
		const {press, asked, prompt} = handler();
		for (const turn of turns) {
			press(...turn);
		}

		return [asked, prompt()];
	};
	const moves = fc.array(fc.constantFrom(keys.up, keys.down, keys.backspace, 'u', 'r', keys.tab), {maxLength: 8});
	fc.assert(
		fc.property(moves, given => {
			const typed = ['/', ...given, keys.down, keys.enter];
			expect(completed([typed])).toEqual(completed(typed.map(key => [key])));
		}),
		{numRuns: 60},
	);
});

const words = ['one', 'two', 'three', 'four'];

/** Returns the rows of a view after each of these chunks. */
const views: Readonly<Record<string, (turns: readonly string[]) => readonly string[]>> = {
	'transcript view'(turns) {
		const {
			press,
			draw: rows,
			copied,
		} = openReader({}, ...words.map(text => ({type: 'user-message', id: text, text}) as const));
		for (const turn of turns) {
			press(...tokensOf(turn));
		}

		return [...rows(60, 6), ...copied];
	},
	review(turns) {
		const {press, draw: rows, ended} = openReview([twoHunks, twoHunks]);
		for (const turn of turns) {
			tokensOf(turn).forEach(press);
			rows();
		}

		return [...rows(), JSON.stringify(ended)];
	},
};

test.each(Object.entries(views))('the %s takes keys that arrive in one chunk as one by one', (_, shown) => {
	const typed = fc.array(
		fc.constantFrom(keys.up, keys.down, 'j', 'k', ' ', 'c', '\t', keys.enter, keys.pageUp, home, '[', 'x'),
		{
			maxLength: 10,
		},
	);
	fc.assert(
		fc.property(typed, given => {
			expect(shown([given.join('')])).toEqual(shown(given));
		}),
		{numRuns: 40},
	);
});

test('the log viewer takes keys that arrive in one chunk as one by one', async () => {
	const after = async (turns: readonly string[]) => {
		const {follow, lines, appLogs, fullScreen, press, window, copied} = openAppLogs(60, 10);
		const text = Array.from({length: 40}, (_, index) => `level=${index % 2 ? 'warn' : 'info'} msg=${index}\n`).join('');
		follow(async () => ({kind: 'window', text}));
		await expect.poll(lines, {interval: 5}).toBe(40);
		appLogs.openViewer();
		for (const turn of turns) {
			press(turn);
			fullScreen.redraw();
		}

		return [window(), copied];
	};
	for (const given of [
		['l', 'l', 'l', 'k', 'k', 'c'],
		['m', 'k', 'k', 'c', 'k', 'c'],
		['w', 'k', keys.pageUp, 'm', 'j', 'c'],
		['/', 'msg=1', '2', keys.enter, 'k', 'c'],
	]) {
		expect(await after([given.join('')])).toEqual(await after(given));
	}
});

test('what is typed in one chunk with the keys that open and close a view goes to what is open by then', async () => {
	const {type, waitFor, lines, store} = runApp();
	await waitFor('Demo model');
	type('\u000f/x');
	await waitFor('/x');
	expect([lines()[0], store.getState().composer.text]).toEqual(['Transcript · no messages yet', '']);
	type(`${keys.enter}qhello`);
	await waitFor('❯ hello');
});

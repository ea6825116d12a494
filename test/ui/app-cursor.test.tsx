import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {App} from '../../src/ui/app.tsx';
import {openPanel} from '../../src/ui/panels/panels.ts';
import {draw} from './frame.ts';

function app(columns = 80, rows = 24) {
	const drawn = draw(<App />, {columns, rows});
	const type = (text: string) => {
		const {composer, setComposer} = drawn.store.getState();
		setComposer(setComposerText(composer, text));
	};

	return {...drawn, type};
}

const rowOf = (lines: readonly string[], start: string) => lines.findIndex(line => line.startsWith(start));

test("the terminal's cursor is at the caret", async () => {
	const {lines, cursor, settle, type} = app();
	type('hello');
	await settle();
	expect(lines()).toEqual(['', '─'.repeat(80), '❯ hello', 'local starting… · ○ idle']);
	expect(cursor()).toEqual({row: 2, column: 7});
});

test.each([
	['wide characters', '日本', {row: 0, column: 6}],
	['a second line', 'a\nbc', {row: 1, column: 4}],
	['a full row', 'x'.repeat(78), {row: 1, column: 3}],
	['a word that does not fit any more', `${'x'.repeat(70)} ${'y'.repeat(9)}`, {row: 1, column: 11}],
])('the cursor is after %s', async (_, text, {row, column}) => {
	const {lines, cursor, settle, type} = app();
	type(text);
	await settle();
	expect(cursor()).toEqual({row: rowOf(lines(), '❯') + row, column});
});

test('the cursor stays at the caret when the rest of the screen changes', async () => {
	const {store, lines, cursor, settle, setLive, type} = app();
	type('hello');
	await settle();
	const state = store.getState();
	const changes = [
		() => state.setConnection({profile: 'local', server: 'http://127.0.0.1:1', state: 'ready'}),
		() => state.setModel('custom/demo'),
		() => state.setUnsaved('disk full'),
		() => setLive(['one', 'two']),
		() => state.enqueue({id: '1', text: 'next'}),
		() => openPanel(store, {kind: 'lines', title: '/usage', lines: () => ['a', 'b']}),
		() => state.scrollBy(1),
		() => state.setBusy(true),
		() => state.setToast('Press Ctrl+C again to quit.'),
	];
	for (const change of changes) {
		change();
		await settle();
		expect([change.toString(), cursor()]).toEqual([change.toString(), {row: rowOf(lines(), '❯ hello'), column: 7}]);
	}
});

test('the cursor stays at the caret while the seconds of a run are counted', async () => {
	const {store, lines, cursor, settle, type} = app();
	const startedAt = new Date(Date.now() - 1980).toISOString();
	store.setState(({transcript}) => ({transcript: {...transcript, run: {id: 'r', model: 'm', server: 's', startedAt}}}));
	type('hello');
	await settle();
	const before = lines().at(-1);
	await expect.poll(() => lines().at(-1), {interval: 20}).not.toBe(before);
	await settle();
	expect(cursor()).toEqual({row: rowOf(lines(), '❯ hello'), column: 7});
});

test('a panel that has the focus hides the cursor', async () => {
	const {store, cursor, settle} = app();
	openPanel(store, {kind: 'confirm', question: 'Sure?', askedAt: 0});
	await settle();
	expect(cursor()).toBe(undefined);
});

import {expect, test} from 'vitest';
import {reduceVim} from '../../../src/editor/vim/vim.ts';
import {initialVim} from '../../../src/editor/vim/vim-state.ts';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {handler, keys} from '../key-presses.ts';
import {runApp} from '../running-app.ts';

function withVim(options: Parameters<typeof handler>[0] = {}) {
	const app = handler(options);
	app.store.getState().setVim({state: initialVim, reduce: reduceVim});
	return app;
}

test('Esc leaves insert mode first, and interrupts a run in normal mode', () => {
	const {press, asked, prompt} = withVim({running: true});
	press('next', keys.escape);
	expect([asked, prompt()]).toEqual([[], 'next']);
	press(keys.escape);
	expect(asked).toEqual(['interrupt']);
});

test('Ctrl+C works in every mode', () => {
	const {press, asked, prompt} = withVim({running: true});
	press('next', keys.escape, 'v', keys.ctrlC);
	expect(prompt()).toBe('');
	press(keys.ctrlC);
	expect(asked).toEqual(['interrupt']);
});

test('a command of normal mode counts as typing: it answers no question that appears meanwhile', () => {
	const {press, asked, store, wait} = withVim();
	press('one two', keys.escape);
	wait(5000);
	press('b');
	openPanel(store, {kind: 'confirm', question: 'Run it?', askedAt: 5000});
	wait(600);
	press('y', 'w');
	expect([asked, store.getState().composer.kills]).toEqual([[], ['two']]);
});

test('/vim switches the mode on and off, and the status line shows it', async () => {
	const {type, waitFor, store} = runApp();
	await waitFor('❯ Ask something');
	type('/vim\r');
	await waitFor('Vim mode is on');
	await waitFor('INSERT · ');
	type('one two');
	await waitFor('❯ one two');
	type('\u001b[27u2d');
	await waitFor('NORMAL 2 d · ');
	type('b');
	await waitFor('❯ o');
	expect(store.getState().composer.text).toBe('o');
	type('cc/vim off');
	await waitFor('❯ /vim off');
	type('\r');
	await waitFor('Vim mode is off.');
	expect(store.getState().vim).toBe(undefined);
});

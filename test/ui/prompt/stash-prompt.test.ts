import {expect, test} from 'vitest';
import {expandedText} from '../../../src/editor/editor.ts';
import {esc, handler, keys} from '../key-presses.ts';

const ctrlS = '\u0013';
const paste = `${esc}[200~1\n2\n3${esc}[201~`;

test('Ctrl+S puts a draft aside, and on an empty prompt brings it back with its pastes and its caret', () => {
	const {press, prompt, store, toast} = handler();
	press('see ', paste);
	press(' please', `${esc}[D`, ctrlS);
	expect([prompt(), store.getState().stash.length, toast()]).toEqual([
		'',
		1,
		'Draft stashed. Ctrl+S on an empty prompt brings it back.',
	]);
	press(ctrlS, '!');
	expect(expandedText(store.getState().composer)).toBe('see 1\n2\n3 pleas!e');
	expect(store.getState().stash).toEqual([]);
});

test('a stashed draft survives a message, and several come back the latest first', () => {
	const {press, prompt, asked} = handler();
	press('one', ctrlS, 'two', ctrlS, 'sent', keys.enter, ctrlS);
	expect([asked, prompt()]).toEqual([['submit sent'], 'two']);
	press(keys.ctrlC, ctrlS);
	expect(prompt()).toBe('one');
});

test('an own paste and a killed one stay what they are beside a stashed draft with pastes', () => {
	const {press, store} = handler();
	press(paste);
	press('\u0017');
	press(`${esc}[200~a\nb\nc${esc}[201~`);
	press(ctrlS, '\u0019');
	expect(expandedText(store.getState().composer)).toBe('1\n2\n3');
	press(keys.ctrlC, ctrlS, '\u0019');
	expect(expandedText(store.getState().composer)).toBe('a\nb\nc1\n2\n3');
});

test('no draft is lost for another one', () => {
	const {press, prompt, toast, store} = handler();
	for (let count = 0; count < 20; count++) {
		press(`draft ${count}`, ctrlS);
	}

	press('one more', ctrlS);
	expect([prompt(), toast()]).toEqual(['one more', '20 drafts are stashed already. Send this one first.']);
	expect(store.getState().stash).toHaveLength(20);
});

test('with nothing to stash or to bring back, it says so', () => {
	const {press, toast} = handler();
	press(ctrlS);
	expect(toast()).toBe('No draft is stashed.');
});

test('a stashed draft no longer replaces an earlier message', () => {
	const {press, store} = handler();
	press(keys.escape, keys.escape, '!', ctrlS, ctrlS);
	expect([store.getState().composer.text, store.getState().editing]).toEqual(['second!', undefined]);
});

import {expect, test} from 'vitest';
import {handler, keys} from '../key-presses.ts';

/** An app whose transcript opens with Ctrl+X Ctrl+T and with Ctrl+X and the letter t. */
function withSequences(text = '') {
	const app = handler({text});
	app.store.getState().setOwnKeys({'app.transcript': ['ctrl+x ctrl+t', 'ctrl+x t']});
	return app;
}

const ctrlX = '\u0018';

test.each([
	['two chords', '\u0014'],
	['a chord and a letter', 't'],
])('a sequence of %s is one key, and types nothing', (_, second) => {
	const {press, asked, prompt, toast} = withSequences('draft');
	press(ctrlX);
	expect([toast(), asked]).toEqual(['Ctrl+X …', []]);
	press(second);
	expect([toast(), asked, prompt()]).toEqual(['', ['transcript'], 'draft']);
});

test('a sequence that has no action says so, and its second key does nothing else', () => {
	const {press, asked, prompt, toast} = withSequences('draft');
	press(ctrlX, '\u0015');
	expect([toast(), asked, prompt()]).toEqual(['Ctrl+X Ctrl+U is not bound to anything.', [], 'draft']);
	press('\u0015');
	expect(prompt()).toBe('');
});

test.each([
	['Esc cancels a sequence and nothing else', keys.escape, [], 'draft'],
	['Ctrl+C in a sequence does what it always does', keys.ctrlC, [], ''],
])('%s', (_, key, asked, text) => {
	const app = withSequences('draft');
	app.press(ctrlX, key);
	expect([app.toast(), app.asked, app.prompt()]).toEqual(['', asked, text]);
	app.press('t');
	expect(app.prompt()).toBe(`${text}t`);
});

test('a paste, or typing that arrives as one, ends a sequence and is typed', () => {
	const {press, prompt} = withSequences();
	press(ctrlX, 'two words', ctrlX, '\u001b[200~ and a paste\u001b[201~');
	expect(prompt()).toBe('two words and a paste');
});

test('a sequence of the user suspends the program, too', () => {
	const {store, press, asked} = handler();
	store.getState().setOwnKeys({'app.suspend': ['ctrl+x z']});
	press(keys.ctrlZ, '\u0018', 'z');
	expect(asked).toEqual(['suspend']);
});

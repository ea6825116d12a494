import {describe, expect, test} from 'vitest';
import {expandedText} from '../../src/editor/editor.ts';
import {setHistory} from '../../src/editor/editor-history.ts';
import {pasted} from '../store/composer-helpers.ts';
import {esc, handler, keys} from './key-presses.ts';

describe('Escape', () => {
	test.each([
		['the run, whatever is typed', {running: true, text: 'next'}],
		['a command that works', {busy: true}],
	])('interrupts %s', (_, given) => {
		const {press, asked, prompt} = handler(given);
		press(keys.escape);
		expect(asked).toEqual(['interrupt']);
		expect(prompt()).toBe('text' in given ? given.text : '');
	});

	test('twice on an empty prompt edits the previous message', () => {
		const {press, store, prompt, toast} = handler();
		press(keys.escape);
		expect([prompt(), toast()]).toEqual(['', 'Press Esc again to edit your previous message.']);
		press(keys.escape);
		expect([prompt(), store.getState().editing, toast()]).toEqual(['second', 'u2', '']);
	});

	test('twice clears a prompt', () => {
		const {press, prompt, toast} = handler({text: 'hello'});
		press(keys.escape);
		expect([prompt(), toast()]).toEqual(['hello', 'Press Esc again to clear the prompt.']);
		press(keys.escape);
		expect([prompt(), toast()]).toEqual(['', '']);
	});

	test.each([
		['too late', (app: ReturnType<typeof handler>) => app.wait(2000)],
		['after another key', (app: ReturnType<typeof handler>) => app.press('x', keys.backspace)],
	])('a second time %s counts as the first', (_, between) => {
		const app = handler();
		app.press(keys.escape);
		between(app);
		app.press(keys.escape);
		expect(app.prompt()).toBe('');
		expect(app.toast()).toBe('Press Esc again to edit your previous message.');
	});

	test.each([
		['an arrow', keys.up],
		['a key of the app', keys.ctrlL],
	])('no longer shows what a second press does after %s', (_, key) => {
		const {press, asked, toast} = handler({text: 'hello'});
		press(keys.escape, key);
		expect([toast(), asked.filter(what => what !== 'redraw')]).toEqual(['', []]);
	});

	test('takes no character from a command that arrives in one read with it', () => {
		const {press, asked} = handler();
		press(`${esc}/usage${keys.enter}`);
		expect(asked).toEqual(['submit /usage']);
	});

	test('with a letter is a key with Alt, as before, if that is bound', () => {
		const {press, prompt} = handler({text: 'one two'});
		press(`${esc}bx`);
		expect(prompt()).toBe('one xtwo');
	});

	test('does nothing before the first message', () => {
		const {press, store, prompt, toast} = handler();
		store.setState(({transcript}) => ({transcript: {...transcript, settled: []}}));
		press(keys.escape, keys.escape);
		expect([prompt(), toast()]).toEqual(['', '']);
	});
});

test('emptying an edited message ends the editing', () => {
	const {press, store} = handler();
	press(keys.escape, keys.escape, ...Array.from({length: 6}, () => keys.backspace), 'new');
	expect(store.getState().editing).toBe(undefined);
	press(keys.ctrlC, keys.escape, keys.escape, '!', keys.enter);
	expect(store.getState().editing).toBe('u2');
});

describe('Ctrl+C', () => {
	test('clears a prompt, then interrupts the run', () => {
		const {press, asked, prompt} = handler({running: true, text: 'x'});
		press(keys.ctrlC);
		expect([prompt(), asked]).toEqual(['', []]);
		press(keys.ctrlC);
		expect(asked).toEqual(['interrupt']);
	});

	test('ends a running command', () => {
		const {press, asked} = handler({busy: true});
		press(keys.ctrlC);
		expect(asked).toEqual(['interrupt']);
	});

	test.each([
		['Ctrl+C', keys.ctrlC],
		['Ctrl+D', keys.ctrlD],
	])('quits on the second %s if sandboxes would end with the app, and says so', (name, key) => {
		const {press, asked, store, toast} = handler();
		store.getState().setOwnSandboxes(2);
		press(key);
		expect([asked, toast()]).toEqual([[], `2 running sandboxes will end with the app. Press ${name} again to quit.`]);
		press(key);
		expect(asked).toEqual(['quit']);
	});

	test('quits on the second Ctrl+C if a run in the background would end with the app, and says so', () => {
		const {press, asked, store, toast} = handler();
		store.setState({
			background: [
				{id: 'a', about: '', unread: 0, state: 'running'},
				{id: 'b', about: '', unread: 0, state: 'waiting'},
				{id: 'c', about: '', unread: 0, state: 'ended'},
			],
		});
		press(keys.ctrlC);
		expect([asked, toast()]).toEqual([[], '2 background runs will end with the app. Press Ctrl+C again to quit.']);
		press(keys.ctrlC);
		expect(asked).toEqual(['quit']);
	});

	test('twice quits while nothing runs, and says so first', () => {
		const {press, asked, toast} = handler();
		press(keys.ctrlC);
		expect([asked, toast()]).toEqual([[], 'Press Ctrl+C again to quit.']);
		press(keys.ctrlC);
		expect(asked).toEqual(['quit']);
	});

	test('says so only while it is true', () => {
		const {press, wait, asked, toast} = handler();
		press(keys.ctrlC);
		wait(1000);
		expect(toast()).toBe('Press Ctrl+C again to quit.');
		wait(1000);
		expect(toast()).toBe('');
		press(keys.ctrlC);
		expect(asked).toEqual([]);
	});

	test('keeps a toast that appeared later', () => {
		const {press, wait, store, toast} = handler();
		press(keys.ctrlC);
		store.getState().setToast('Another one.');
		wait(2000);
		expect(toast()).toBe('Another one.');
	});
});

test.each([
	['Ctrl+D on an empty prompt quits', '', keys.ctrlD, ['quit']],
	['Ctrl+D on text does not', 'abc', keys.ctrlD, []],
	['Ctrl+L redraws', 'abc', keys.ctrlL, ['redraw']],
	['Ctrl+Z suspends', 'abc', keys.ctrlZ, ['suspend']],
	['Enter sends', 'abc', keys.enter, ['submit abc']],
	['Enter on blanks does not', '  ', keys.enter, []],
])('%s', (_, text, key, expected) => {
	const {press, asked} = handler({text});
	press(key);
	expect(asked).toEqual(expected);
});

test('the arrows do not replace an earlier message that is being edited', () => {
	const {press, prompt, store} = handler();
	const {setComposer, composer} = store.getState();
	setComposer(setHistory(composer, ['an older one', 'second']));
	press(keys.escape, keys.escape);
	expect([prompt(), store.getState().editing]).toEqual(['second', 'u2']);
	press(keys.up, keys.up, 'x', keys.down);
	expect([prompt(), store.getState().editing]).toEqual(['secondx', 'u2']);
});

test('many tokens of one turn are applied in order', () => {
	const {press, asked, prompt} = handler();
	press('one', keys.enter, 'two', keys.backspace, keys.enter, 'three', `${esc}[I`);
	expect([asked, prompt()]).toEqual([['submit one', 'submit tw'], 'three']);
});

test('what is typed after a pause is undone by itself', () => {
	const {press, wait, prompt} = handler();
	press('a', 'b');
	wait(2000);
	press('c', 'd', '\u001f');
	expect(prompt()).toBe('ab');
	press('\u001f', '\u001b\u001f', '\u001b\u001f');
	expect(prompt()).toBe('abcd');
});

test('undo brings back a prompt that Ctrl+C cleared', () => {
	const {press, prompt} = handler({text: 'hello'});
	press(keys.ctrlC, '\u001f');
	expect(prompt()).toBe('hello');
});

test('keys that follow a paste at once edit in order, and neither send nor switch anything [4]', () => {
	const {press, asked, prompt, store} = handler({text: 'at the end'});
	press(
		'\u001b[200~one\u001b[201~',
		'\u0001',
		'begin ',
		keys.enter,
		'\u001b[Z',
		'\u0018\u0005',
		keys.backspace,
		keys.enter,
	);
	expect(prompt()).toBe('begin \nat the endon\n');
	expect(asked).toEqual([]);
	expect(store.getState().approvalMode).toBe('ask');
});

test('what is selected is copied, and the way that it went is said', () => {
	const {press, asked, toast} = handler({text: 'abc'});
	press(`${esc}[1;2D${esc}[1;2D`, `${esc}w`);
	expect([asked, toast()]).toEqual([['copy bc'], 'Copied 2 characters (OSC 52).']);
});

test('Tab completes what follows a paste, and the paste stays', () => {
	const {press, store} = handler();
	press('/rename 🔑 ', pasted('one\ntwo\nthree'));
	press(' --s');
	press(keys.tab);
	const {composer} = store.getState();
	expect(expandedText(composer)).toBe('/rename 🔑 one\ntwo\nthree --session ');
	expect(composer.caret).toBe(composer.text.length);
});

describe('the key that sends a command to the background', () => {
	const ctrlB = '\u0002';

	test('moves the caret while no command runs', () => {
		const {press, asked, store} = handler({text: 'ab', running: true});
		press(ctrlB);
		press('x');
		expect([store.getState().composer.text, asked]).toEqual(['axb', []]);
	});

	test('sends what runs there, and leaves the draft and its caret', () => {
		const {press, asked, store} = handler({text: 'ab', running: true});
		store.getState().setForeground(1);
		press(ctrlB);
		press('x');
		expect([store.getState().composer.text, asked]).toEqual(['abx', ['move to background']]);
	});

	test('is no part of a paste', () => {
		const {press, asked, store} = handler({running: true});
		store.getState().setForeground(1);
		press(`${esc}[200~one${esc}[201~`, ctrlB, 'x');
		expect([expandedText(store.getState().composer), asked]).toEqual(['onex', []]);
	});

	test('is another one if the user says so', () => {
		const {press, asked, store} = handler({text: 'ab', running: true});
		store.getState().setForeground(1);
		store.getState().setOwnKeys({'app.background': ['ctrl+t']});
		press(ctrlB, 'x', '\u0014');
		expect([store.getState().composer.text, asked]).toEqual(['axb', ['move to background']]);
	});
});

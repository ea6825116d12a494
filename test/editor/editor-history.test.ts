import {expect, test} from 'vitest';
import {setHistory} from '../../src/editor/editor-history.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {keyToken} from '../../src/terminal/input/token.ts';
import {keys, pasted, typed, withCaret} from '../store/composer-helpers.ts';

const {up, down, home, enter} = keys;
const composer = setHistory(emptyComposer, ['one', 'two', 'two', '', 'a\nb']);

test('equal neighbours are one entry, and empty ones none', () => {
	expect({history: composer.history, position: composer.position}).toEqual({
		history: ['one', 'two', 'a\nb'],
		position: 3,
	});
});

test('Up shows earlier prompts, Down later ones, and the draft comes back', () => {
	const shown = (input: string) => withCaret(typed(`draft${input}`, composer).state);
	expect([up, `${up}${up}`, `${up}${up}${up}`, `${up}${up}${up}${down}`].map(shown)).toEqual([
		'a\nb|',
		'a|\nb',
		'two|',
		'a\nb|',
	]);
	expect(shown(`${up}${up}${up}${up}${down}${down}${down}`)).toBe('draft|');
});

test('changes of an entry come back too, until a prompt is sent', () => {
	const {state} = typed(`${up}!${home}${up}${up}${down}${down}`, setHistory(emptyComposer, ['one', 'two']));
	expect(state.text).toBe('');
	expect(typed(up, state).state.text).toBe('two!');
	expect(typed(`x${enter}${up}`, state).state.text).toBe('two');
});

test('beyond both ends the key is left to the caller', () => {
	expect(typed(`${up}${up}`, setHistory(emptyComposer, ['one'])).actions).toEqual([
		{type: 'key', token: keyToken('up')},
	]);
	expect(typed(down, composer).actions).toEqual([{type: 'key', token: keyToken('down')}]);
});

test('a new list keeps the current draft', () => {
	const {state} = typed('draft', composer);
	const {text, position} = setHistory(state, ['x']);
	expect({text, position}).toEqual({text: 'draft', position: 1});
});

test('a new list keeps what was typed before the user looked at an earlier prompt', () => {
	const {state} = typed(`long draft${up}!${up}`, setHistory(emptyComposer, ['one', 'two', 'one', 'four']));
	expect(withCaret(state)).toBe('one|');
	for (const list of [
		['one', 'two', 'one', 'four', 'sent meanwhile'],
		['two', 'one', 'four', 'sent meanwhile'],
	]) {
		const later = setHistory(state, list);
		expect(typed(down, later).state.text).toBe('four!');
		expect(typed(`${down}${down}`, later).state.text).toBe('sent meanwhile');
		expect(withCaret(typed(`${down}${down}${down}`, later).state)).toBe('long draft|');
	}

	const replaced = setHistory(state, ['another']);
	expect(withCaret(replaced)).toBe('one|');
	expect(typed(up, replaced).state.text).toBe('another');
});

test('undo and redo work on each entry by itself, and on the draft when it is back', () => {
	const list = setHistory(emptyComposer, ['one']);
	const {state} = typed(`draft${up}!${keys.undo}${keys.undo}`, list);
	expect(withCaret(state)).toBe('one|');
	expect(withCaret(typed(`${keys.redo}${down}${keys.undo}`, state).state)).toBe('|');
	expect(withCaret(typed(`${down}${keys.undo}${keys.redo}`, state).state)).toBe('draft|');
});

test('after a message was sent, nothing of it can be undone or redone, not even a paste', () => {
	const {state} = typed(`a${pasted('1\n2\n3')}${keys.undo}b${enter}${keys.undo}${keys.redo}`);
	expect([state.text, state.folds]).toEqual(['', []]);
	expect(withCaret(typed(`${up}!${keys.undo}${keys.undo}`, setHistory(state, ['sent'])).state)).toBe('sent|');
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {parseKey} from '../../src/command/keymap/parse-key.ts';
import {readKeys} from '../../src/command/keymap/read-keys.ts';
import {defaultKeys} from '../../src/editor/keymap/default-keys.ts';
import {actionOf, defaultKeymap} from '../../src/editor/keymap/keymap.ts';
import {anyText} from '../any-text.ts';

describe('a key', () => {
	test.each([
		['Ctrl+X Ctrl+E', 'ctrl+x ctrl+e'],
		['shift+alt+Up', 'alt+shift+up'],
		['Option+Z', 'alt+z'],
		['control+/', 'ctrl+_'],
		['F5', 'f5'],
		['alt++', 'alt++'],
		['ctrl+x u', 'ctrl+x u'],
		['PageDown', 'page-down'],
	])('%s is %s', (typed, key) => {
		expect(parseKey(typed)).toEqual({key});
	});

	test.each([
		['a', 'types text'],
		['shift+a', 'types text'],
		['space', 'types text'],
		['ctrl+c', 'always does what it does'],
		['ctrl+x esc', 'always does what it does'],
		['ctrl+i', 'is Tab in most terminals'],
		['super+a', 'has an unknown modifier “super” (ctrl, alt and shift are known)'],
		['ctrl+foo', 'has an unknown key “foo”'],
		['ctrl+', 'names no key'],
		['', 'names no key'],
		['ctrl+a ctrl+b ctrl+d', 'has more than two chords'],
		['ctrl+\u001b', 'has an unknown key “\u001b”'],
	])('%j is none', (typed, fault) => {
		expect(parseKey(typed)).toEqual({fault});
	});
});

describe('the keys of a user', () => {
	test('replace the default ones of an action, and are taken from others', () => {
		const {keymap, faults} = readKeys({'prompt.undo': ['ctrl+z', 'Alt+U'], 'app.suspend': 'ctrl+x ctrl+z'});
		expect(faults).toEqual([]);
		expect([keymap.keys['prompt.undo'], keymap.keys['app.suspend']]).toEqual([['ctrl+z', 'alt+u'], ['ctrl+x ctrl+z']]);
		expect(['ctrl+z', 'ctrl+_', 'ctrl+x ctrl+z'].map(key => actionOf(keymap, key))).toEqual([
			'prompt.undo',
			undefined,
			'app.suspend',
		]);
	});

	test('an empty list unbinds an action without a word', () => {
		const {keymap, faults} = readKeys({'prompt.transpose': []});
		expect([keymap.keys['prompt.transpose'], actionOf(keymap, 'ctrl+t'), faults]).toEqual([[], undefined, []]);
	});

	test.each<[string, unknown, string, Partial<Record<string, readonly string[]>>]>([
		[
			'an unknown action',
			{'prompt.undoo': 'ctrl+z'},
			'Unknown action “prompt.undoo”. Did you mean “prompt.undo”? /keys-help lists all.',
			{},
		],
		[
			'an action without its group',
			{undo: 'ctrl+z'},
			'Unknown action “undo”. Did you mean “prompt.undo”? /keys-help lists all.',
			{},
		],
		[
			'an invalid key',
			{'prompt.undo': 'ctrl+zz'},
			'prompt.undo: “ctrl+zz” has an unknown key “zz”; Ctrl+_, Alt+Z stay.',
			{'prompt.undo': ['ctrl+_', 'alt+z']},
		],
		[
			'an invalid key beside a valid one',
			{'prompt.undo': ['u', 'alt+u']},
			'prompt.undo: “u” types text; its other keys are used.',
			{'prompt.undo': ['alt+u']},
		],
		['no key', {'prompt.undo': 7}, 'prompt.undo must be a key or a list of keys; Ctrl+_, Alt+Z stay.', {}],
		[
			'a key of two actions',
			{'prompt.undo': 'alt+u', 'prompt.redo': ['alt+u', 'alt+r']},
			'Alt+U is bound to prompt.undo and prompt.redo; prompt.undo has it, and prompt.redo has Alt+R.',
			{'prompt.undo': ['alt+u'], 'prompt.redo': ['alt+r']},
		],
		[
			'a key that begins a sequence',
			{'prompt.undo': 'ctrl+x ctrl+u', 'prompt.redo': 'ctrl+x'},
			'Ctrl+X Ctrl+U is bound to prompt.undo and Ctrl+X to prompt.redo, but one begins the other; prompt.undo has it, and prompt.redo has Ctrl+Alt+_, Alt+Shift+Z, Ctrl+Shift+Z.',
			{'prompt.editor': ['ctrl+x ctrl+e']},
		],
		[
			'the only key that sends',
			{'prompt.newline': 'enter'},
			'prompt.send needs a key; the default keys are used.',
			{'prompt.send': ['enter']},
		],
		['a list', ['ctrl+z'], 'keys must be an object: actions with their keys.', {}],
	])('%s is named, with what is used instead', (_, value, fault, keys) => {
		const {keymap, faults} = readKeys(value);
		expect(faults).toEqual([fault]);
		expect(keymap.keys).toMatchObject(keys);
	});

	test('the only key of another action is used, and noted', () => {
		const {keymap, faults, notes} = readKeys({'prompt.undo': 'ctrl+o'});
		expect([faults, notes]).toEqual([[], ['app.transcript has no key now: Ctrl+O is bound to prompt.undo.']]);
		expect(keymap.keys).toMatchObject({'app.transcript': [], 'prompt.undo': ['ctrl+o']});
	});

	test('no value throws, every action keeps a list of keys, and no key has two actions', () => {
		const anyKey = fc.oneof(fc.constantFrom(...Object.values(defaultKeys).flat()), anyText());
		const anyKeys = fc.dictionary(
			fc.oneof(fc.constantFrom(...Object.keys(defaultKeys)), anyText()),
			fc.oneof(anyKey, fc.array(anyKey, {maxLength: 3}), fc.jsonValue()),
		);
		fc.assert(
			fc.property(fc.oneof(anyKeys, fc.jsonValue()), value => {
				const {keymap} = readKeys(value);
				expect(Object.keys(keymap.keys)).toEqual(Object.keys(defaultKeys));
				const all = Object.values(keymap.keys).flat();
				expect(new Set(all).size).toBe(all.length);
				expect(all.filter(key => [...keymap.prefixes].includes(key))).toEqual([]);
				expect(keymap.keys['prompt.send'].length).toBeGreaterThan(0);
			}),
		);
	});
});

test('no two actions have the same default key, and none begins another', () => {
	const all: readonly string[] = Object.values(defaultKeys).flat();
	expect(all.filter((key, index) => all.indexOf(key) !== index || defaultKeymap.prefixes.has(key))).toEqual([]);
	expect(all.filter(key => parseKey(key).key !== key)).toEqual([]);
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {actionSummaries} from '../../../src/command/keymap/key-list.ts';
import {parseKey, readKeys} from '../../../src/command/keymap/read-keys.ts';
import type {Json} from '../../../src/core/json.ts';
import {actionsIn, allKeys, contexts} from '../../../src/editor/keymap/contexts.ts';
import {defaultKeys} from '../../../src/editor/keymap/default-keys.ts';
import {actionOf, keymapOf} from '../../../src/editor/keymap/keymap.ts';
import {anyText} from '../../any-text.ts';

/** Where the user types, and sequences work. */
const prompt = {isTyping: true, joins: true} as const;
const view = {isTyping: false};

/** The keys of every action, those of the user included. */
function keysWith(value: unknown) {
	const {own, ...said} = readKeys(value);
	return {...said, keymap: keymapOf(defaultKeys, own), keys: {...allKeys, ...own}};
}

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
		expect(parseKey(typed, prompt)).toEqual({key});
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
		expect(parseKey(typed, prompt)).toEqual({fault});
	});

	test.each([
		['a', {key: 'a'}],
		['A', {key: 'A'}],
		['shift+a', {key: 'A'}],
		['Space', {key: 'space'}],
		['?', {key: '?'}],
		['+', {key: '+'}],
		['Ctrl+A', {key: 'ctrl+a'}],
		['shift+7', {fault: 'types another character; bind that one'}],
		['ctrl+x t', {fault: 'has more than one chord, which only the prompt supports'}],
		['esc', {fault: 'always does what it does'}],
		['Ctrl+C', {fault: 'always does what it does'}],
	])('%s where nothing is typed is %j', (typed, parsed) => {
		expect(parseKey(typed, view)).toEqual(parsed);
	});
});

describe('the keys of a user', () => {
	test('replace the default ones of an action, and are taken from others', () => {
		const {keymap, faults} = keysWith({'prompt.undo': ['ctrl+z', 'Alt+U'], 'app.suspend': 'ctrl+x ctrl+z'});
		expect(faults).toEqual([]);
		expect([keymap.keys['prompt.undo'], keymap.keys['app.suspend']]).toEqual([['ctrl+z', 'alt+u'], ['ctrl+x ctrl+z']]);
		expect(['ctrl+z', 'ctrl+_', 'ctrl+x ctrl+z'].map(key => actionOf(keymap, key))).toEqual([
			'prompt.undo',
			undefined,
			'app.suspend',
		]);
	});

	test('an empty list unbinds an action without a word', () => {
		const {keymap, faults} = keysWith({'prompt.transpose': []});
		expect([keymap.keys['prompt.transpose'], actionOf(keymap, 'ctrl+t'), faults]).toEqual([[], undefined, []]);
	});

	test.each<[string, unknown, string, Partial<Record<string, readonly string[]>>]>([
		['an unknown action', {'prompt.undoo': 'ctrl+z'}, 'Unknown action “prompt.undoo”. Did you mean “prompt.undo”?', {}],
		['an action without its group', {undo: 'ctrl+z'}, 'Unknown action “undo”. Did you mean “prompt.undo”?', {}],
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
		const {keys: found, faults} = keysWith(value);
		expect(faults).toEqual([fault]);
		expect(found).toMatchObject(keys);
	});

	test('the only key of another action is used, and noted', () => {
		const {keymap, faults, notes} = keysWith({'prompt.undo': 'ctrl+o'});
		expect([faults, notes]).toEqual([[], ['app.transcript has no key now: Ctrl+O is bound to prompt.undo.']]);
		expect(keymap.keys).toMatchObject({'app.transcript': [], 'prompt.undo': ['ctrl+o']});
	});

	test.each<[string, Json, readonly string[], readonly string[], Readonly<Record<string, readonly string[]>>]>([
		[
			'a character alone, where nothing is typed',
			{'transcript.copy': ['y', 'Y']},
			[],
			[],
			{'transcript.copy': ['y', 'Y']},
		],
		[
			'a key that another action of the view has by default',
			{'transcript.copy': 'L'},
			[],
			['transcript.log has no key now: L is bound to transcript.copy.'],
			{'transcript.copy': ['L'], 'transcript.log': []},
		],
		[
			'a key that an action of another place has',
			{'transcript.copy': 'ctrl+s'},
			[],
			[],
			{'transcript.copy': ['ctrl+s'], 'prompt.stash': ['ctrl+s']},
		],
		[
			'a key of two actions of the view',
			{'transcript.copy': 'x', 'transcript.log': ['x', 'y']},
			['x is bound to transcript.copy and transcript.log; transcript.copy has it, and transcript.log has y.'],
			[],
			{'transcript.copy': ['x'], 'transcript.log': ['y']},
		],
		[
			'a key that is global in the view',
			{'transcript.copy': 'ctrl+l'},
			['Ctrl+L is bound to app.redraw and transcript.copy; app.redraw has it, and transcript.copy has c.'],
			[],
			{'transcript.copy': ['c'], 'app.redraw': ['ctrl+l']},
		],
		[
			'a global key of the user that an action of the view has by default',
			{'app.redraw': 'shift+up', 'app.suspend': 'ctrl+x z'},
			[],
			['prompt.select-up has no key now: Shift+↑ is bound to app.redraw.'],
			{'transcript.previous-message': ['['], 'transcript.open': ['enter']},
		],
		[
			'a key that closes everything',
			{'transcript.open': ['escape', 'o']},
			['transcript.open: “escape” always does what it does; its other keys are used.'],
			[],
			{'transcript.open': ['o']},
		],
		[
			'a sequence',
			{'transcript.close': 'ctrl+x q'},
			['transcript.close: “ctrl+x q” has more than one chord, which only the prompt supports; q stays.'],
			[],
			{'transcript.close': ['q']},
		],
		[
			'an action of a view with a wrong letter',
			{'transcript.cpy': 'y'},
			['Unknown action “transcript.cpy”. Did you mean “transcript.copy”?'],
			[],
			{},
		],
	])('%s is used, or named', (_, value, faults, notes, keys) => {
		const read = keysWith(value);
		expect([read.faults, read.notes]).toEqual([faults, notes]);
		expect(read.keys).toMatchObject(keys);
	});

	test('no value throws, every action keeps a list of keys, and no key has two actions in one place', () => {
		const anyKey = fc.oneof(fc.constantFrom(...Object.values(allKeys).flat()), anyText());
		const anyKeys = fc.dictionary(
			fc.oneof(fc.constantFrom(...Object.keys(allKeys)), anyText()),
			fc.oneof(anyKey, fc.array(anyKey, {maxLength: 3}), fc.jsonValue()),
		);
		fc.assert(
			fc.property(fc.oneof(anyKeys, fc.jsonValue()), value => {
				const {own} = readKeys(value);
				for (const {keys: table, needs = ''} of contexts) {
					const {keys, prefixes} = keymapOf(table, own);
					expect(Object.keys(keys)).toEqual(Object.keys(table));
					const all = Object.values(keys).flat();
					expect(new Set(all).size).toBe(all.length);
					expect(all.filter(key => prefixes.has(key))).toEqual([]);
					expect(all.filter(key => /escape|ctrl\+c$/.test(key))).toEqual([]);
					expect(keys[needs]?.length).not.toBe(0);
				}
			}),
		);
	});
});

test.each(contexts)('$title: no two actions have the same default key, and none begins another', context => {
	const {prefixes} = keymapOf(context.keys);
	const all: readonly string[] = Object.values(context.keys).flat();
	expect(all.filter((key, index) => all.indexOf(key) !== index || prefixes.has(key))).toEqual([]);
	expect(all.filter(key => parseKey(key, context).key !== key)).toEqual([]);
});

test('an action has one place, where its default keys are those that its table names', () => {
	const all = contexts.flatMap(actionsIn);
	expect(new Set(all).size).toBe(all.length);
	expect(all.toSorted()).toEqual(Object.keys(actionSummaries).toSorted());
});

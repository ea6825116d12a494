import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {type Action, defaultKeys, type KeyTable} from './default-keys.ts';

/** The keys of actions that don't have their default ones: those that the user bound, and those that lost a key to them. */
export type OwnKeys = KeyTable;

export const noOwnKeys: OwnKeys = {};

/** What each key does in the prompt, or in another place with actions of its own. */
export type Keymap<A extends string = Action> = {
	readonly keys: Readonly<Record<A, readonly string[]>>;
	/** The action of a chord, or of a sequence of two chords with a space between them. */
	readonly actions: ReadonlyMap<string, A>;
	/** The chords that begin a sequence. */
	readonly prefixes: ReadonlySet<string>;
};

/** Chords of one physical key, which terminals name differently. */
const sameKey: Readonly<Record<string, string>> = {
	'ctrl+/': 'ctrl+_',
	'ctrl+shift+_': 'ctrl+_',
	'ctrl+shift+-': 'ctrl+_',
	'ctrl+alt+/': 'ctrl+alt+_',
	'ctrl+alt+shift+_': 'ctrl+alt+_',
	'ctrl+alt+shift+-': 'ctrl+alt+_',
	'shift+backspace': 'backspace',
	'ctrl+shift+enter': 'ctrl+enter',
	'ctrl+alt+enter': 'alt+enter',
	'alt+shift+enter': 'alt+enter',
};

/** Returns the name that all chords of the same physical key have in a keymap. */
export function keyNamed(chord: string): string {
	return sameKey[chord] ?? chord;
}

/** Returns the action of a chord or sequence. */
export function actionOf<A extends string>({actions}: Keymap<A>, key: string): A | undefined {
	return actions.get(keyNamed(key));
}

/** Returns the name of what was pressed or typed, as keymaps know it; undefined if it is none, or more than one key. */
export function pressedKey(token: InputToken): string | undefined {
	switch (token.type) {
		case 'key':
			return chordOf(token);
		case 'text':
			return token.text === ' ' ? 'space' : token.text;
		default:
			return undefined;
	}
}

const made = new WeakMap<KeyTable, {readonly own: OwnKeys; readonly keymap: Keymap<string>}>();

/**
 * Returns the keymap of the actions in a table, with the user's own keys. If two actions have the same key, the first one gets
 * it. The last one is kept for each table, since it is asked for with each key and frame.
 */
export function keymapOf<T extends KeyTable>(table: T, own: OwnKeys = noOwnKeys): Keymap<keyof T & string> {
	const known = made.get(table);
	const keymap = known?.own === own ? known.keymap : newKeymap(table, own);
	made.set(table, {own, keymap});
	return keymap as Keymap<keyof T & string>;
}

function newKeymap(table: KeyTable, own: OwnKeys): Keymap<string> {
	const keys: KeyTable = Object.fromEntries(
		Object.keys(table).map(action => [action, own[action] ?? table[action] ?? []]),
	);
	const actions = new Map<string, string>();
	const prefixes = new Set<string>();
	for (const [action, key] of Object.entries(keys).flatMap(([name, all]) => all.map(each => [name, each] as const))) {
		if (!actions.has(key)) {
			actions.set(key, action);
		}

		const [first, second] = key.split(' ');
		if (first && second) {
			prefixes.add(first);
		}
	}

	return {keys, actions, prefixes};
}

export const defaultKeymap: Keymap = keymapOf(defaultKeys);

import {type Action, defaultKeys} from './default-keys.ts';

/** The keys of each action. */
export type KeyBindings = Readonly<Record<Action, readonly string[]>>;

/** What each key does in the prompt. */
export type Keymap = {
	readonly keys: KeyBindings;
	/** The action of a chord, or of a sequence of two chords with a space between them. */
	readonly actions: ReadonlyMap<string, Action>;
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
export function actionOf({actions}: Keymap, key: string): Action | undefined {
	return actions.get(keyNamed(key));
}

/** Returns the keymap of these keys. If two actions have the same key, the first one gets it. */
export function keymapOf(keys: KeyBindings): Keymap {
	const actions = new Map<string, Action>();
	const prefixes = new Set<string>();
	for (const action of Object.keys(defaultKeys) as Action[]) {
		for (const key of keys[action]) {
			if (!actions.has(key)) {
				actions.set(key, action);
			}

			const [first, second] = key.split(' ');
			if (first && second) {
				prefixes.add(first);
			}
		}
	}

	return {keys, actions, prefixes};
}

export const defaultKeymap: Keymap = keymapOf(defaultKeys);

import type {Keymap} from '../../editor/keymap/keymap.ts';
import {chordOf, type InputToken, keyToken} from '../../terminal/input/token.ts';

export type KeySequence = {
	/**
	 * Returns the token to act on: the whole sequence as one key after its second chord, and undefined after its first one.
	 */
	readonly join: (token: InputToken, keymap: Keymap) => InputToken | undefined;
	/** Forgets the first chord of a sequence. */
	readonly forget: () => void;
};

/** True for what a user types, and false for what the terminal says by itself. */
function isTyped({type}: InputToken): boolean {
	return type === 'key' || type === 'text' || type === 'paste';
}

/** Joins the two chords of a sequence such as Ctrl+X Ctrl+E. `note` shows which chord waits for another, and `''` when none does. */
export function createKeySequence(note: (chord: string) => void): KeySequence {
	let first: string | undefined;

	const forget = () => {
		if (first !== undefined) {
			first = undefined;
			note('');
		}
	};

	return {
		forget,
		join(token, {prefixes}) {
			const chord =
				token.type === 'key'
					? chordOf(token)
					: token.type === 'text' && token.text.length === 1
						? token.text
						: undefined;
			if (first !== undefined && chord !== undefined) {
				const name = `${first} ${chord}`;
				forget();
				// Esc only cancels the sequence, and Ctrl+C always does what it does.
				return chord === 'escape' ? undefined : chord === 'ctrl+c' ? token : keyToken(name);
			}

			if (isTyped(token)) {
				forget();
			}

			if (token.type === 'key' && chord !== undefined && prefixes.has(chord)) {
				first = chord;
				note(chord);
				return undefined;
			}

			return token;
		},
	};
}

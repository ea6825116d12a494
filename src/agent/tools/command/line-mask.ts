import {redactKnownLines} from '../../../core/secrets/redact.ts';
import {hideValues} from '../../../core/secrets/value-mask.ts';

/** Lines before a piece in which a private key is still recognized. */
const contextLines = 60;
/** Lines before a piece over which a value may be spread. */
const nearLines = 4;

/**
 * Creates what hides credentials in a text that comes in pieces of whole lines (SAFETY 8): those of known kinds, a private
 * key that began in an earlier piece, and these values.
 */
export function createLineMask(secrets: readonly string[]): (text: string) => string {
	let context: readonly string[] = [];
	return text => {
		const lines = text.split('\n');
		const near = redactKnownLines([...context, ...lines]).slice(Math.max(0, context.length - nearLines));
		context = [...context, ...lines].slice(-contextLines);
		return hideValues(near.join('\n'), secrets).split('\n').slice(-lines.length).join('\n');
	};
}

/** The characters at the end of a line that a credential can consist of, but for the dots of “Loading...”. */
const lastWord = /[\w~+/=.-]*?(?=\.*$)/;
/** Fewer characters say nothing of a credential: those of known kinds begin with a few that all have. */
const maxBegun = 4;

/** A word of a language, or a number: no credential of a known kind begins with so many lower-case letters, or digits alone. */
const plainWord = /^(?:[A-Z]?[a-z]{1,24}|[\d./]{1,12})$/;

/**
 * Returns how many characters of a line of which more may come can be shown: those before what may be the beginning of a
 * credential or of one of these values (SAFETY 8).
 */
export function shownLength(line: string, secrets: readonly string[]): number {
	const {0: word = '', index: start = line.length} = lastWord.exec(line) ?? {};
	const begun = word.length > maxBegun && !plainWord.test(word) ? start : line.length;
	return secrets.reduce((least, secret) => Math.min(least, line.length - endsInBeginning(line, secret)), begun);
}

/** Returns how many characters at the end of a line begin a value. */
function endsInBeginning(line: string, secret: string): number {
	for (let length = Math.min(secret.length - 1, line.length); length > 0; length--) {
		if (line.endsWith(secret.slice(0, length))) {
			return length;
		}
	}

	return 0;
}

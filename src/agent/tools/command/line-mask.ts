import {redactKnownLines} from '../../../core/secrets/redact.ts';
import {hideValues} from './file-secrets.ts';

/** Lines before a piece in which a private key is still recognized. */
const contextLines = 60;

/**
 * Creates what hides credentials in a text that comes in pieces of whole lines (SAFETY 8): those of known kinds, a private
 * key that began in an earlier piece, and these values.
 */
export function createLineMask(secrets: readonly string[]): (text: string) => string {
	let context: readonly string[] = [];
	return text => {
		const lines = text.split('\n');
		const safe = redactKnownLines([...context, ...lines]).slice(context.length);
		context = [...context, ...lines].slice(-contextLines);
		return hideValues(safe.join('\n'), secrets);
	};
}

/** The characters at the end of a line that a credential can consist of, but for the dots of “Loading...”. */
const lastWord = /[\w~+/=.-]*?(?=\.*$)/;
/** Fewer characters say nothing of a credential: those of known kinds begin with a few that all have. */
const maxBegun = 8;

/** True for a line of which more may come if it may end in the beginning of a credential or of one of these values. */
export function mayEndInSecret(line: string, secrets: readonly string[]): boolean {
	const [word = ''] = lastWord.exec(line) ?? [];
	return word.length > maxBegun || secrets.some(secret => endsInBeginning(line, secret));
}

function endsInBeginning(line: string, secret: string): boolean {
	for (let length = Math.min(secret.length - 1, line.length); length > 0; length--) {
		if (line.endsWith(secret.slice(0, length))) {
			return true;
		}
	}

	return false;
}

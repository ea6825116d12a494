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

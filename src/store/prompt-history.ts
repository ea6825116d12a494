import {isProviderName} from '../core/model.ts';
import {redactKnown} from '../core/redact.ts';
import {hasKnownSecret} from '../core/secret-kinds.ts';

/**
 * Commands that take a secret as an argument, behind a slash or as the shell runs them. The words are those of the command
 * table and what people type for them; spaces are any white space, a line end too.
 */
const keysSet = /^\s*(?:\/\s*|(?:service|svc)\s+)(?:keys?|api-?keys?)\s+(?:set|add)(?=\s|$)/i;
const login = /^\s*(?:\/\s*|(?:service|svc)\s+)(?:login|log-?in|sign-?in|auth)(?=\s|$)/i;
const codes = /^\s*(?:\/\s*|(?:service|svc)\s+)mfa(?:\s+verify)?(?=\s|$)/i;

/** Options that have a value and no secret in it. */
const options = /^--(?:server|profile|base-url|org|workspace|project)$/i;

/**
 * Adds a prompt to the history, the latest last, and gives the new list. Blank prompts and the same one twice in a row are
 * not added; at most `max` are kept. Of a command with a secret nothing else is kept, and of any other prompt everything but
 * the credentials of known kinds in it (SAFETY 8, 11).
 */
export function addToHistory(entries: readonly string[], text: string, max = 1000): readonly string[] {
	const entry = redactKnown(withoutSecrets(text.trim()));
	if (entry === '' || entry === entries.at(-1)) {
		return entries;
	}

	return [...entries, entry].slice(-max);
}

/** A command may be broken into lines, and a prompt may hold one among others: both are looked through. */
function withoutSecrets(text: string): string {
	const whole = withoutSecret(text);
	return whole === text ? text.split('\n').map(withoutSecret).join('\n').trim() : whole;
}

function withoutSecret(line: string): string {
	if (keysSet.test(line)) {
		const words = wordsAfter(line, keysSet);
		const provider = positionalsOf(words).find(word => isProviderName(word.toLowerCase()));
		const harmless = words.length === 0 || (words.length === 1 && provider !== undefined);
		return harmless ? line : ['/keys set', provider?.toLowerCase()].filter(Boolean).join(' ');
	}

	if (login.test(line)) {
		return positionalsOf(wordsAfter(line, login)).length === 0 && !hasKnownSecret(line) ? line : '/login';
	}

	if (codes.test(line)) {
		return wordsAfter(line, codes).length === 0 ? line : '/mfa verify';
	}

	// A command misspelt: nobody knows what it was meant to be, so nothing of it is kept.
	return /^\s*\//.test(line) && hasKnownSecret(line) ? '' : line;
}

function wordsAfter(line: string, command: RegExp): readonly string[] {
	return line.replace(command, '').split(/\s+/).filter(Boolean);
}

/** The words that are neither an option nor the value of one. An unknown option makes a secret of what it may hold. */
function positionalsOf(words: readonly string[]): readonly string[] {
	return words.filter((word, index) => {
		const [name = ''] = word.split('=');
		const isValue = options.test(words[index - 1] ?? '');
		return !isValue && !(word.startsWith('--') && (options.test(name) || !word.includes('=')));
	});
}

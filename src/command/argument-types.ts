import * as z from 'zod/mini';
import {AppError} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {providerNames} from '../core/model.ts';

/** A whole number on a command line, without bounds. */
export const wholeNumber = z.pipe(
	z.string().check(z.regex(/^-?\d+$/, 'must be a whole number')),
	z.transform<string, number>(Number),
);

/** A whole number of 1 at least, and of `most` where there is a bound. */
export const countArgument = (most = Number.MAX_SAFE_INTEGER) =>
	z.pipe(wholeNumber, z.number().check(z.gte(1, 'must be at least 1'), z.lte(most, `must be at most ${most}`)));

/** A flag that may be repeated, each time with one more value. */
export const repeatable = z.optional(z.array(z.string()));

/** A task reference as users type it; the server knows which ones exist. */
export const taskArgument = z
	.string()
	.check(z.regex(/^(?:[^\s/@]+\/)?[^\s/@]+(?:@[^\s/@]+)?$/, 'must be [org/]name[@version]'));

/** What help says of a provider that a command takes. */
export const providerHelp = `one of ${providerNames.join(', ')}`;

/** A UUID on a command line, for what is asked about it before the client checks it. */
export const uuidArgument = z.guid('must be a UUID');

/**
 * Reads `name=text` of a flag that may be given again, in order; the text may hold further `=` and may be empty. Throws
 * `usage` for a word without `=` or without a name, and for a name that comes twice.
 */
export function readPairs(flag: string, words: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(pairsOf(flag, words));
}

/**
 * As `readPairs`, where `name:=json` gives a value that is no text: `retries:=3`, `tags:=["a","b"]`. What has a colon
 * before its `=` and is no JSON behind it is `usage`.
 */
export function readInputs(flag: string, words: readonly string[]): Readonly<Record<string, Json>> {
	return Object.fromEntries(
		pairsOf(flag, words).map(([name, text]): [string, Json] => {
			if (!name.endsWith(':')) {
				return [name, text];
			}

			const value = parseJson(text);
			if (value === undefined) {
				throw new AppError('usage', `--${flag} ${name}=… holds no JSON.`, {
					hint: `Write ${name.slice(0, -1)}=… for plain text.`,
				});
			}

			return [name.slice(0, -1), value];
		}),
	);
}

function pairsOf(flag: string, words: readonly string[]): ReadonlyArray<readonly [name: string, text: string]> {
	const seen = new Set<string>();
	return words.map(word => {
		const at = word.indexOf('=');
		const name = word.slice(0, Math.max(0, at));
		const plain = name.replace(/:$/, '');
		if (!plain) {
			throw new AppError('usage', `--${flag} takes name=value, not “${word}”.`);
		}

		if (seen.has(plain)) {
			throw new AppError('usage', `--${flag} has “${plain}” twice.`, {hint: 'Give each name once.'});
		}

		seen.add(plain);
		return [name, word.slice(at + 1)];
	});
}

import * as z from 'zod/mini';
import {mcpScopes} from '../config/mcp/mcp-scope.ts';
import {AppError} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {providerNames} from '../core/model.ts';

/** A whole number as an argument, without bounds. */
export const wholeNumber = z.pipe(
	z.string().check(z.regex(/^-?\d+$/, 'must be a whole number')),
	z.transform<string, number>(Number),
);

/** Returns the type of a whole number from 1 to `most`. */
export const countArgument = (most = Number.MAX_SAFE_INTEGER) =>
	z.pipe(wholeNumber, z.number().check(z.gte(1, 'must be at least 1'), z.lte(most, `must be at most ${most}`)));

/** A flag that may be repeated, each time with one more value. */
export const repeatable = z.optional(z.array(z.string()));

/** Whose file an MCP server is in. */
export const mcpScope = z.enum(mcpScopes, 'must be local (you, in this project), user (you) or project (.mcp.json)');

/** The help of a flag that selects one of several servers with one name. */
export const mcpScopeHelp = `${mcpScopes.slice(0, -1).join(', ')} or ${mcpScopes.at(-1)}, if several have it`;

/** A task reference as users type it; the server checks whether it exists. */
export const taskArgument = z
	.string()
	.check(z.regex(/^(?:[^\s/@]+\/)?[^\s/@]+(?:@[^\s/@]+)?$/, 'must be [org/]name[@version]'));

/** The help of a provider argument. */
export const providerHelp = `a provider, such as ${providerNames.slice(0, 3).join(', ')}`;

/** A UUID or a prefix of one, of four characters or more, checked before the user is asked about it. */
export const idArgument = z
	.string()
	.check(z.regex(/^[\da-f]{4}[\da-f-]{0,32}$/i, 'must be a UUID, or the first four or more characters of one'));

/**
 * Reads the `name=text` values of a repeatable flag, in order; the text may contain `=` and may be empty. Throws
 * AppError("usage") for a word without `=` or name, and for a repeated name.
 */
export function readPairs(flag: string, words: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(pairsOf(flag, words));
}

/**
 * Does the same, and reads `name:=json` as JSON: `retries:=3`, `tags:=["a","b"]`. Throws AppError("usage") for invalid JSON
 * after `:=`, too.
 */
export function readInputs(flag: string, words: readonly string[]): Readonly<Record<string, Json>> {
	return Object.fromEntries(
		pairsOf(flag, words).map(([name, text]): [string, Json] => {
			if (!name.endsWith(':')) {
				return [name, text];
			}

			const value = parseJson(text);
			if (value === undefined) {
				throw new AppError('usage', `--${flag} ${name}=… is not valid JSON.`, {
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
			throw new AppError('usage', `--${flag} names “${plain}” twice.`, {hint: 'Give each name once.'});
		}

		seen.add(plain);
		return [name, word.slice(at + 1)];
	});
}

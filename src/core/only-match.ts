import {AppError} from './error.ts';

const maxNamed = 5;

/**
 * Returns the only thing that the beginning of an id means; undefined for none. Throws AppError("usage") for several, with the
 * names of the first ones.
 */
export function onlyMatch<T>(
	text: string,
	matches: readonly T[],
	{noun, nameOf, hint}: {readonly noun: string; readonly nameOf: (match: T) => string; readonly hint?: string},
): T | undefined {
	if (matches.length < 2) {
		return matches[0];
	}

	const more = matches.length > maxNamed ? ` and ${matches.length - maxNamed} more` : '';
	const names = matches.slice(0, maxNamed).map(nameOf).join(', ');
	throw new AppError('usage', `“${text}” matches ${matches.length} ${noun}: ${names}${more}.`, {
		hint: hint ?? 'Type more characters of the id.',
	});
}

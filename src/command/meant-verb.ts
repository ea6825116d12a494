import {AppError} from '../core/error.ts';
import {closest} from './closest.ts';
import {type Entry, isNoun} from './context.ts';
import {typed} from './table.ts';

/**
 * Returns the error with the verb that was probably meant, if the word behind a noun was read as an argument of its usual verb: in
 * `theme lst`, the name of a theme.
 */
export function withMeantVerb(
	error: unknown,
	[first, second = '']: readonly string[],
	entries: readonly Entry[],
): unknown {
	const noun = entries.find(({name, aliases}) => name === first || aliases?.includes(first ?? ''));
	const isRefused = error instanceof AppError && (error.code === 'usage' || error.code === 'not-found');
	if (!isRefused || !noun || !isNoun(noun) || error.hint?.includes('Did you mean')) {
		return error;
	}

	const verbs = noun.verbs.filter(({isUnlisted}) => !isUnlisted);
	const isVerb = noun.verbs.some(({name, aliases}) => name === second || aliases?.includes(second));
	const near = closest(
		second.toLowerCase(),
		verbs.map(({name}) => name),
	);
	if (isVerb || near === undefined) {
		return error;
	}

	const line = typed(`${noun.name} ${near}`, verbs.find(({name}) => name === near)?.where);
	const hint = [`Did you mean ${line}?`, error.hint].filter(Boolean).join(' ');
	return new AppError(error.code, error.message, {hint, cause: error});
}

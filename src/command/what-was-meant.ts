import {AppError} from '../core/error.ts';
import {shellWord} from '../core/shell-word.ts';
import {flagsOf} from './arguments.ts';
import {closest} from './closest.ts';
import {type Entry, isNoun} from './context.ts';
import {readFlags} from './flags.ts';
import {type CommandMatch, typed} from './table.ts';

/** Returns the error that a command threw with what was probably meant instead; itself if nothing tells. */
export function withWhatWasMeant(
	error: unknown,
	words: readonly string[],
	entries: readonly Entry[],
	found: CommandMatch,
): unknown {
	const isRefused = error instanceof AppError && (error.code === 'usage' || error.code === 'not-found');
	const meant = isRefused ? (meantWords(error, found) ?? meantVerb(error, words, entries)) : undefined;
	return isRefused && meant !== undefined
		? new AppError(error.code, error.message, {hint: [meant, error.hint].filter(Boolean).join(' '), cause: error})
		: error;
}

/** Returns the line to type if the rest of a line has words that only look like flags, such as a command. */
function meantWords({code}: AppError, {command, path, rest}: CommandMatch): string | undefined {
	if (code !== 'usage' || !command.rest) {
		return undefined;
	}

	const {given, behind, unknown, fault} = readFlags(rest, flagsOf(command));
	const line = [path, '--', ...rest.map(shellWord)].join(' ');
	return unknown === undefined || fault !== undefined || behind !== undefined || given.size > 0
		? undefined
		: `If it is no flag: \`${line}\`.`;
}

/** Returns the verb for a word behind a noun that was read as an argument of its usual verb: in `theme lst`, the name of a theme. */
function meantVerb(
	{hint}: AppError,
	[first, second = '']: readonly string[],
	entries: readonly Entry[],
): string | undefined {
	const noun = entries.find(({name, aliases}) => name === first || aliases?.includes(first ?? ''));
	if (!noun || !isNoun(noun) || hint?.includes('Did you mean')) {
		return undefined;
	}

	const verbs = noun.verbs.filter(({isUnlisted}) => !isUnlisted);
	const isVerb = noun.verbs.some(({name, aliases}) => name === second || aliases?.includes(second));
	const near = closest(
		second.toLowerCase(),
		verbs.map(({name}) => name),
	);
	return isVerb || near === undefined
		? undefined
		: `Did you mean ${typed(`${noun.name} ${near}`, verbs.find(({name}) => name === near)?.where)}?`;
}

import {type Command, type Entry, isNoun, type Noun} from '../context.ts';
import {lastWord} from '../words.ts';
import {type Candidate, completeArgument} from './complete-argument.ts';
import type {KnownValues} from './known-values.ts';

/** One line of the slash completion. */
export type Suggestion = {
	/** The whole line after accepting it, with a blank where an argument follows. */
	readonly line: string;
	readonly label: string;
	readonly summary: string;
	/** True where the line is whole as it was typed: Enter sends it as it is, unless this was chosen. */
	readonly isOptional?: boolean;
};

type Options = {
	/** Known values of arguments; none by default. */
	readonly valuesOf?: KnownValues;
	/** Where the line is typed: what does not work there is not offered. */
	readonly place?: 'app' | 'shell';
};

/**
 * What a slash line may become: nouns first, then verbs, then flags and known values. Names that begin with what was typed
 * come before names that only contain it. Empty where the line is no command.
 */
export function complete(entries: readonly Entry[], line: string, options: Options = {}): readonly Suggestion[] {
	if (!/^\/(?:[^\s'"\\]|$)/.test(line) || line.includes('\n')) {
		return [];
	}

	const {before, word: typed, start, quote} = lastWord(line.slice(1));
	const behind = line.slice(0, start + 1);
	return completeWords(entries, [...before, typed], options).map(({word, summary, follows, isOptional, isName}) => ({
		line: `${isName ? `/${[...before, word].join(' ')}` : behind + quote + word + quote}${follows ? ' ' : ''}`,
		label: isName ? `/${[...before, word].join(' ')}` : word,
		summary,
		...(isOptional && {isOptional}),
	}));
}

/** What the last of `words` may become, the words of a command line without its slash or the program's name. */
export function completeWords(
	entries: readonly Entry[],
	words: readonly string[],
	{valuesOf = () => [], place = 'app'}: Options = {},
): ReadonlyArray<Candidate & {readonly isName: boolean}> {
	const [first = '', ...others] = words;
	const works = ({where}: Pick<Command, 'where'>) => where === undefined || where === place;
	if (words.length <= 1) {
		return named(
			entries.filter(entry => (isNoun(entry) ? entry.verbs.some(works) : works(entry))),
			first,
		);
	}

	const entry = entries.find(({name, aliases = []}) => name === first || aliases.includes(first));
	if (!entry) {
		return [];
	}

	const before = others.slice(0, -1);
	const typed = others.at(-1) ?? '';
	const argumentsOf = (command: Command | undefined, behind: readonly string[]) =>
		command && works(command)
			? completeArgument(command, behind, typed, valuesOf).map(found => ({...found, isName: false}))
			: [];
	if (!isNoun(entry)) {
		return argumentsOf(entry, before);
	}

	const fallback = entry.verbs.find(({name}) => name === entry.fallback);
	if (before.length === 0) {
		return [...named(entry.verbs.filter(works), typed), ...argumentsOf(fallback, [])];
	}

	const [verb = '', ...behind] = before;
	const command = entry.verbs.find(({name, aliases = []}) => name === verb || aliases.includes(verb));
	return command ? argumentsOf(command, behind) : argumentsOf(fallback, before);
}

/** Nouns, verbs and commands whose name, alias or part of a name is `typed`. */
function named(entries: readonly Entry[], typed: string): ReadonlyArray<Candidate & {readonly isName: boolean}> {
	const begins = entries.filter(({name}) => name.startsWith(typed));
	const alias = entries.filter(
		({name, aliases = []}) => !name.startsWith(typed) && aliases.some(other => other.startsWith(typed)),
	);
	const contains = entries.filter(
		entry => typed.length > 1 && entry.name.includes(typed) && !begins.includes(entry) && !alias.includes(entry),
	);
	return [...begins, ...alias, ...contains].map(entry => ({
		word: entry.name,
		summary: entry.summary,
		follows: isNoun(entry) ? needsVerb(entry) : (entry.positional?.length ?? 0) > 0,
		isOptional: false,
		isName: true,
	}));
}

function needsVerb({fallback}: Noun): boolean {
	return fallback === undefined;
}

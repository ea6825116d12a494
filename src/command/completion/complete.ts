import {type Command, type Entry, isNoun, type Noun, verbOfAlias} from '../context.ts';
import {lastWord} from '../words.ts';
import {type Candidate, completeArgument} from './complete-argument.ts';
import type {KnownValues} from './known-values.ts';

/** One line of the slash completion. */
export type Suggestion = {
	/** The whole line after accepting it, with a final space if an argument follows. */
	readonly line: string;
	readonly label: string;
	readonly summary: string;
	/** True if the typed line is complete: Enter sends it unless this suggestion was selected. */
	readonly isOptional?: boolean;
};

type Options = {
	/** Known values of arguments; none by default. */
	readonly valuesOf?: KnownValues;
	/** Where the line is typed; commands of the other place are left out. */
	readonly place?: 'app' | 'shell';
};

/**
 * Returns the completions of a slash line: nouns first, then verbs, then flags and known values. Names that start with the
 * typed text come before names that contain it. Returns none if the line isn't a command.
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

/** Returns the completions of the last word of a command line, given without its slash or the program's name. */
export function completeWords(
	entries: readonly Entry[],
	words: readonly string[],
	{valuesOf = () => [], place = 'app'}: Options = {},
): ReadonlyArray<Candidate & {readonly isName: boolean}> {
	const [first = '', ...others] = words;
	const works = ({where}: Command) => where === undefined || where === place;
	if (words.length <= 1) {
		const meant = entries.map(entry => commandOfAlias(entry, first) ?? entry);
		return named(
			meant.filter(entry => (isNoun(entry) ? entry.verbs.some(works) : works(entry))),
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

	const ofAlias = verbOfAlias(entry, first);
	const fallback = ofAlias ?? entry.verbs.find(({name}) => name === entry.fallback);
	if (before.length === 0) {
		// Enter after an alias and a space runs what the alias runs.
		const verbs = ofAlias ? [ofAlias, ...entry.verbs.filter(verb => verb !== ofAlias)] : entry.verbs;
		return [...named(verbs.filter(works), typed), ...argumentsOf(fallback, [])];
	}

	const [verb = '', ...behind] = before;
	const command = entry.verbs.find(({name, aliases = []}) => name === verb || aliases.includes(verb));
	return command ? argumentsOf(command, behind) : argumentsOf(fallback, before);
}

/** Returns the alias of a noun that begins with `typed`, as the command that it runs alone; the name of the noun doesn't. */
function commandOfAlias(entry: Entry, typed: string): Command | undefined {
	const alias = entry.name.startsWith(typed) ? undefined : entry.aliases?.find(other => other.startsWith(typed));
	const verb = alias === undefined ? undefined : verbOfAlias(entry, alias);
	return verb && alias !== undefined ? {...verb, name: alias} : undefined;
}

/**
 * Returns the entry whose name or alias is `typed`, which Enter runs, then those whose name or alias starts with it, or whose
 * name contains it.
 */
function named(all: readonly Entry[], typed: string): ReadonlyArray<Candidate & {readonly isName: boolean}> {
	const entries = all.filter(entry => typed !== '' || !isUnlisted(entry));
	const begins = entries.filter(({name}) => name.startsWith(typed));
	const alias = entries.filter(
		({name, aliases = []}) => !name.startsWith(typed) && aliases.some(other => other.startsWith(typed)),
	);
	const contains = entries.filter(
		entry => typed.length > 1 && entry.name.includes(typed) && !begins.includes(entry) && !alias.includes(entry),
	);
	const found = [...begins, ...alias, ...contains];
	const typedInFull = found.find(({name}) => name === typed) ?? found.find(({aliases = []}) => aliases.includes(typed));
	const others = found.filter(entry => entry !== typedInFull);
	const first = typedInFull === undefined ? [] : [typedInFull];
	// Names of other programs come last.
	return [...first, ...others.filter(entry => !isUnlisted(entry)), ...others.filter(isUnlisted)].map(entry => ({
		word: entry.name,
		summary: entry.summary,
		follows: isNoun(entry) ? needsVerb(entry) : !isUnlisted(entry) && (entry.positional?.length ?? 0) > 0,
		isOptional: false,
		isName: true,
	}));
}

const isUnlisted = (entry: Entry) => !isNoun(entry) && entry.isUnlisted === true;

function needsVerb({fallback}: Noun): boolean {
	return fallback === undefined;
}

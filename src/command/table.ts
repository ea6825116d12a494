import {AppError} from '../core/error.ts';
import {fieldsOf} from './arguments.ts';
import {closest} from './closest.ts';
import {type Command, type Entry, isNoun, type Noun, verbOfAlias} from './context.ts';
import {globalFlags} from './flags.ts';

/** A command found by its words. `path` is its full name, or the alias that runs it; `rest` are the words of its arguments. */
export type CommandMatch = {
	readonly command: Command;
	readonly path: string;
	readonly rest: readonly string[];
	/** The error in a shell, if only the app has something to show. */
	readonly inShell?: AppError;
};

function names(entry: {readonly name: string; readonly aliases?: readonly string[]}): readonly string[] {
	return [entry.name, ...(entry.aliases ?? [])];
}

/** Finds the command that `words` begin with. Throws AppError("usage") with the nearest name. */
export function findCommand(entries: readonly Entry[], words: readonly string[]): CommandMatch {
	const [first, ...rest] = words;
	if (first === undefined) {
		throw new AppError('usage', 'No command was given.', {hint: seeAll});
	}

	const entry = entries.find(candidate => names(candidate).includes(first));
	if (!entry) {
		throw unknownCommand(first, entries);
	}

	if (!isNoun(entry)) {
		return {command: entry, path: entry.name, rest};
	}

	const [second, ...others] = rest;
	// A noun has no flags of its own: `keys --help` is `help keys`.
	const help =
		second && globalFlags.help.names.includes(second) ? entries.find(({name}) => name === 'help') : undefined;
	if (help && !isNoun(help)) {
		return {command: help, path: help.name, rest: [first]};
	}

	const verb = entry.verbs.find(candidate => second !== undefined && names(candidate).includes(second));
	if (verb) {
		return {command: verb, path: `${entry.name} ${verb.name}`, rest: others};
	}

	const ofAlias = verbOfAlias(entry, first);
	const fallback = ofAlias ?? entry.verbs.find(({name}) => name === entry.fallback);
	// A word that isn't a verb may be an argument of the fallback: `/model anthropic/…`.
	if (fallback && (second === undefined || second.startsWith('-') || (fallback.positional?.length ?? 0) > 0)) {
		return {command: fallback, path: ofAlias ? first : `${entry.name} ${fallback.name}`, rest};
	}

	if (second === undefined) {
		const usual = verbOfBareNoun(entry.verbs);
		return usual ? {command: usual, path: `${entry.name} ${usual.name}`, rest} : nounWithoutVerb(entry, entries);
	}

	if (entry.verbs.length === 1 && fallback) {
		throw new AppError('usage', `${entry.name} takes no argument: “${second}”.`, {hint: 'Leave it out.'});
	}

	const verbs = entry.verbs.map(({name}) => name);
	const shows = idLike.test(second) ? entry.verbs.find(({name}) => name === 'show') : undefined;
	const all = verbs.length > 1 ? `Choose one of ${verbs.join(', ')}.` : `Its only verb is ${verbs.join()}.`;
	const hint = `${shows ? `Did you mean ${typed(`${entry.name} show ${second}`, shows.where)}? ` : ''}${all}`;
	throw unknown(`Unknown verb for ${entry.name}: “${second}”.`, second, {
		known: verbs,
		typed: near => typed(`${entry.name} ${near}`, entry.verbs.find(({name}) => name === near)?.where),
		hint,
	});
}

/** A number, or an id or the beginning of one. */
const idLike = /^(?:\d+|(?=[a-f-]*\d)[\da-f-]{4,36})$/;

/** Returns the error for a word that names no command, with the nearest name. */
export function unknownCommand(word: string, entries: readonly Entry[]): AppError {
	const known = entries.flatMap(names);
	// Fingers add signs: `/q!`, `:wq`.
	const bare = word.replace(/[^\p{L}\p{N}-]/gu, '').toLowerCase();
	return unknown(`Unknown command “${word}”.`, known.includes(bare) ? bare : word, {
		known: [...verbNamed(word, entries), ...known],
		typed: near => typed(near, onlyPlaceOf(near, entries)),
		hint: seeAll,
	});
}

/** Returns what a noun alone runs: `list`, a `show` without required arguments, or its only verb. */
function verbOfBareNoun(verbs: readonly Command[]): Command | undefined {
	const list = verbs.find(({name}) => name === 'list');
	const show = verbs.find(({name, args}) => name === 'show' && !fieldsOf(args).some(({required}) => required));
	return list ?? show ?? (verbs.length === 1 ? verbs[0] : undefined);
}

/** Returns the help of a noun for the app, and its usage for a shell. Throws AppError("usage") without a help command. */
function nounWithoutVerb({name, verbs}: Noun, entries: readonly Entry[]): CommandMatch {
	const synopsis = `${name} ${verbs.map(verb => verb.name).join(' | ')}`;
	const usage = new AppError('usage', `${name} needs a verb.`, {
		hint: `Usage: \`${synopsis}\``,
	});
	const help = entries.find(entry => entry.name === 'help');
	if (!help || isNoun(help)) {
		throw usage;
	}

	return {command: help, path: help.name, rest: [name], inShell: usage};
}

const seeAll = 'Run `help` to see them all.';

/** Returns the only command whose verb is `word`, with its noun: `init` may mean `memory init`. */
function verbNamed(word: string, entries: readonly Entry[]): readonly string[] {
	const named = allCommands(entries).filter(({command, path}) => !command.where && path.endsWith(` ${word}`));
	return named.length === 1 ? named.map(({path}) => path) : [];
}

type Known = {
	/** The names that could have been meant. */
	readonly known: readonly string[];
	/** Returns one of them as it is typed. */
	readonly typed: (name: string) => string;
	readonly hint: string;
};

/** Returns a command for a hint: for one place if it works only there. */
export function typed(words: string, where: Command['where']): string {
	const place = where === 'app' ? '/' : where === 'shell' ? '$ ' : '';
	return ['`', place, words, '`'].join('');
}

/** Returns the only place where a command works, if there is one. */
function onlyPlaceOf(path: string, entries: readonly Entry[]): Command['where'] {
	const [name = ''] = path.split(' ');
	const entry = entries.find(candidate => names(candidate).includes(name));
	const command = entry && isNoun(entry) ? verbOfAlias(entry, name) : entry;
	return command?.where;
}

/** Returns the error for a word that is no command. Its hint has the one that was probably meant as it is typed. */
function unknown(message: string, word: string, {known, typed: typedAs, hint}: Known): AppError {
	const verb = known.find(name => name.endsWith(` ${word}`));
	const near = verb ?? (known.includes(word) ? word : closest(word.toLowerCase(), known));
	return new AppError('usage', message, {hint: near ? `Did you mean ${typedAs(near)}? ${hint}` : hint});
}

/** Returns every command with its full name, in the order shown. */
export function allCommands(
	entries: readonly Entry[],
): ReadonlyArray<{readonly path: string; readonly command: Command}> {
	return entries.flatMap(entry =>
		isNoun(entry)
			? entry.verbs.map(command => ({path: `${entry.name} ${command.name}`, command}))
			: entry.isUnlisted
				? []
				: [{path: entry.name, command: entry}],
	);
}

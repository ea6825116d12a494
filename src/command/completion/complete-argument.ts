import {choicesOf, fieldsOf, flagsOf} from '../arguments.ts';
import type {Command} from '../context.ts';
import {type Flag, type FlagReading, type FlagTable, globalFlags, longName, readFlags, runFlags} from '../flags.ts';
import {isPlainWord} from '../words.ts';
import type {KnownValue, KnownValues} from './known-values.ts';

/** A completion of one word of a command line. */
export type Candidate = {
	readonly word: string;
	/** A clause without a full stop; '' if the word is enough. */
	readonly summary: string;
	/** True if another word usually follows. */
	readonly follows: boolean;
	/** True if the line is complete without the candidate. */
	readonly isOptional: boolean;
};

const most = 50;

/**
 * Returns the completions of `typed` after `before`, the words that follow the command's name: flags if it starts like one,
 * values of the flag before it, or values of its position. A secret is never completed.
 */
export function completeArgument(
	command: Command,
	before: readonly string[],
	typed: string,
	valuesOf: KnownValues,
): readonly Candidate[] {
	const {args, positional = [], rest} = command;
	const own = flagsOf(command);
	const table: FlagTable = {...own, ...globalFlags};
	const reading = readFlags(before, table);
	const valuesIn = (name: string) =>
		own[name] || positional.includes(name)
			? valuesOfArgument(command, name, valuesOf)
			: valuesOfFlag(name, table, valuesOf);
	const value = completeFlagValue(reading, table, typed, valuesIn);
	if (value) {
		return value;
	}

	const {words, behind} = reading;
	if (typed.startsWith('-') && !behind) {
		return completeFlag(
			reading,
			Object.entries(table).filter(([name]) => !positional.includes(name)),
			typed,
		);
	}

	const taken = words.length + (behind?.length ?? 0);
	const places = positional.filter(name => !reading.given.has(name));
	const place = places[rest ? Math.min(taken, places.length - 1) : taken];
	const isRequired = fieldsOf(args).some(({name, required}) => name === place && required);
	return place === undefined
		? []
		: completeValue(valuesIn(place), typed, {
				isOptional: typed !== '' || !isRequired,
				follows: places.length > taken + 1,
			});
}

function valuesOfArgument(
	{args, completes = {}, suggests = {}, secret}: Command,
	name: string,
	valuesOf: KnownValues,
): readonly KnownValue[] {
	const kind = completes[name];
	return name === secret ? [] : kind ? valuesOf(kind) : (suggests[name] ?? choicesOf(args, name));
}

function valuesOfFlag(key: string, table: FlagTable, valuesOf: KnownValues): readonly KnownValue[] {
	const flag = table[key];
	return flag?.completes ? valuesOf(flag.completes) : (flag?.choices ?? []);
}

/** Completes the last of `words` on a line without a command: a flag, or the value of the flag before it. */
export function completeRunFlags(words: readonly string[], valuesOf: KnownValues): readonly Candidate[] {
	const typed = words.at(-1) ?? '';
	const reading = readFlags(words.slice(0, -1), runFlags);
	const valuesIn = (key: string) => valuesOfFlag(key, runFlags, valuesOf);
	return (
		completeFlagValue(reading, runFlags, typed, valuesIn) ?? completeFlag(reading, Object.entries(runFlags), typed)
	);
}

/** Completes the value of the flag before `typed`, or in it: `--sort=a`. Returns undefined if there is no such flag. */
function completeFlagValue(
	{open, behind}: FlagReading<string>,
	table: FlagTable,
	typed: string,
	valuesIn: (key: string) => readonly KnownValue[],
): readonly Candidate[] | undefined {
	if (open !== undefined && !(table[open]?.isValueOptional && typed.startsWith('-'))) {
		return completeValue(valuesIn(open), typed, {isOptional: typed !== '', follows: false});
	}

	const [, start = '', value = ''] = /^(-[^=]*=)(.*)$/s.exec(behind ? '' : typed) ?? [];
	const inline = start && readFlags([start.slice(0, -1)], table).open;
	return inline
		? completeValue(valuesIn(inline), value, {isOptional: value !== '', follows: false}).map(found => ({
				...found,
				word: start + found.word,
			}))
		: undefined;
}

function completeFlag(
	{given}: FlagReading<string>,
	flags: ReadonlyArray<readonly [string, Flag]>,
	typed: string,
): readonly Candidate[] {
	const left = flags.filter(([key, {isRepeatable}]) => isRepeatable || !given.has(key)).map(([, flag]) => flag);
	return matching(left, longName, typed).map(flag => ({
		word: longName(flag),
		summary: flag.summary,
		follows: flag.value !== undefined,
		// A single dash is a word: the previous server, or standard input.
		isOptional: typed === '-',
	}));
}

function completeValue(
	values: readonly KnownValue[],
	typed: string,
	{isOptional, follows}: {readonly isOptional: boolean; readonly follows: boolean},
): readonly Candidate[] {
	const plain = values
		.map(known => (typeof known === 'string' ? {value: known, hint: ''} : known))
		.filter(({value}) => isPlainWord(value));
	return matching(plain, ({value}) => value, typed).map(({value, hint}) => ({
		word: value,
		summary: hint,
		follows,
		isOptional,
	}));
}

/** Returns exact matches, then those that start with the typed text, then those that contain it. */
function matching<T>(all: readonly T[], wordOf: (one: T) => string, typed: string): readonly T[] {
	const wanted = typed.toLowerCase();
	const rank = (one: T) => {
		const word = wordOf(one).toLowerCase();
		return word === wanted ? 0 : word.startsWith(wanted) ? 1 : wanted.length > 1 && word.includes(wanted) ? 2 : 3;
	};
	return all
		.map(one => ({one, at: rank(one)}))
		.filter(({at}) => at < 3)
		.toSorted((a, b) => a.at - b.at)
		.slice(0, most)
		.map(({one}) => one);
}

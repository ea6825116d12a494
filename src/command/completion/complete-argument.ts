import type * as z from 'zod/mini';
import {fieldsOf, flagOf} from '../arguments.ts';
import type {Command} from '../context.ts';
import {findFlag, globalFlags, longName, runFlags, splitFlag} from '../flags.ts';
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

type Argument = {
	readonly name: string;
	readonly isFlag: boolean;
	readonly takesValue: boolean;
	readonly required: boolean;
	readonly multiple: boolean;
	readonly summary: string;
	readonly values: (valuesOf: KnownValues) => readonly KnownValue[];
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
	const known = argumentsOf(command);
	const afterDashes = before.includes('--');
	const flags = known.filter(({isFlag}) => isFlag);
	const flagNamed = (word: string) => flags.find(({name}) => word === `--${flagOf(name)}`);
	const open = afterDashes ? undefined : flagNamed(before.at(-1) ?? '');
	if (open?.takesValue) {
		return completeValue(open, typed, valuesOf);
	}

	if (typed.startsWith('-') && !afterDashes) {
		const [head = '', ...tail] = typed.split('=');
		const inline = tail.length > 0 ? flagNamed(head) : undefined;
		return inline
			? completeValue(inline, tail.join('='), valuesOf).map(found => ({...found, word: `${head}=${found.word}`}))
			: completeFlag(
					flags.filter(({name, multiple}) => multiple || !before.some(word => isFlagWord(word, name))),
					typed,
				);
	}

	const taken = before.filter(
		(word, index) => !word.startsWith('-') && !flagNamed(before[index - 1] ?? '')?.takesValue,
	).length;
	const places = (command.positional ?? []).flatMap(
		name => known.find(place => place.name === name && !place.isFlag) ?? [],
	);
	const place = places[command.rest ? Math.min(taken, places.length - 1) : taken];
	return place ? completeValue(place, typed, valuesOf, places.length > taken + 1) : [];
}

function isFlagWord(word: string, name: string): boolean {
	return word === `--${flagOf(name)}` || word.startsWith(`--${flagOf(name)}=`);
}

/** Returns the command's own arguments, then the flags of every command. */
function argumentsOf(command: Command): readonly Argument[] {
	const {args, positional = [], describe = {}, completes = {}, suggests = {}, secret} = command;
	const own = fieldsOf(args).map(({name, type, required, multiple}): Argument => {
		const kind = completes[name];
		const choices = choicesOf(args, name);
		return {
			name,
			isFlag: !positional.includes(name),
			takesValue: type === 'string',
			required,
			multiple,
			summary: describe[name] ?? '',
			values: valuesOf => (name === secret ? [] : kind ? valuesOf(kind) : (suggests[name] ?? choices)),
		};
	});
	const global = Object.values(globalFlags).map(
		(flag): Argument => ({
			name: longName(flag).slice(2),
			isFlag: true,
			takesValue: flag.value !== undefined,
			required: false,
			multiple: false,
			summary: flag.summary,
			values: valuesOf => (flag.completes ? valuesOf(flag.completes) : []),
		}),
	);
	return [...own, ...global];
}

function completeFlag(flags: readonly Argument[], typed: string): readonly Candidate[] {
	return matching(flags, ({name}) => `--${flagOf(name)}`, typed).map(({name, summary, takesValue}) => ({
		word: `--${flagOf(name)}`,
		summary,
		follows: takesValue,
		// A single dash is a word: the previous server, or standard input.
		isOptional: typed === '-',
	}));
}

function completeValue(
	{values, required, isFlag}: Argument,
	typed: string,
	valuesOf: KnownValues,
	follows = false,
): readonly Candidate[] {
	const plain = values(valuesOf)
		.map(known => (typeof known === 'string' ? {value: known, hint: ''} : known))
		.filter(({value}) => isPlainWord(value));
	const isOptional = typed !== '' || !(required || isFlag);
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

/** Returns the words of an argument whose schema is an enum or a list of one; none for others. */
export function choicesOf(schema: z.ZodMiniObject, name: string): readonly string[] {
	const type: z.core.$ZodType | undefined = schema.def.shape[name];
	return type ? wordsOf(type) : [];
}

function wordsOf(type: z.core.$ZodType): readonly string[] {
	const {def} = type._zod;
	if (def.type === 'enum' && 'entries' in def) {
		return Object.values(def.entries as z.core.util.EnumLike).map(String);
	}

	const inner = 'innerType' in def ? def.innerType : 'element' in def ? def.element : undefined;
	return inner ? wordsOf(inner as z.core.$ZodType) : [];
}

/** Completes the last of `words` on a line without a command: a flag, or the value of the flag before it. */
export function completeRunFlags(words: readonly string[], valuesOf: KnownValues): readonly Candidate[] {
	const typed = words.at(-1) ?? '';
	const [name, inline] = splitFlag(typed);
	const flag = findFlag(runFlags, inline === undefined ? (words.at(-2) ?? '') : name)?.flag;
	if (flag?.value) {
		const {choices, completes} = flag;
		return (completes ? valuesOf(completes) : (choices ?? []))
			.map(known => (typeof known === 'string' ? {value: known, hint: ''} : known))
			.map(({value, hint}) => ({word: inline === undefined ? value : `${name}=${value}`, summary: hint}))
			.filter(({word}) => word.startsWith(typed))
			.map(found => ({...found, follows: false, isOptional: false}));
	}

	const before = words.slice(0, -1);
	return Object.values(runFlags)
		.map(row => ({word: longName(row), summary: row.summary, follows: false, isOptional: false}))
		.filter(({word}) => word.startsWith(typed) && !before.includes(word));
}

import {expect} from 'vitest';

/** What compiled modules of `src/` count with, if the test file imports this module: see `.scripts/count-steps.mjs`. */
type Counted = {
	steps: number;
	/** Counts the entries of a value that is spread, and returns it. */
	entriesOf: (value: unknown) => unknown;
};

declare global {
	var countedSteps: Counted | undefined;
}

globalThis.countedSteps ??= {steps: 0, entriesOf: value => value};
const counted = globalThis.countedSteps;

type Counts = {
	/** False if it doesn't matter what regular expressions try: to count that, they run several times. */
	readonly tries?: boolean;
};

/**
 * Expects that work on an input of 4 times the size takes less than 8 times the steps: linear work takes 4 times as many,
 * quadratic work 16 times.
 */
export function expectLinear(work: (size: number) => unknown, size: number, counts: Counts = {}): void {
	const [few, many] = [countSteps(() => work(size), counts), countSteps(() => work(size * 4), counts)];
	expect(few, 'nothing was counted').toBeGreaterThan(size / 100);
	expect(many, `${size} took ${few} steps, ${size * 4} took ${many}`).toBeLessThan(8 * few);
}

/**
 * Returns the steps that synchronous work takes, the same number on every machine: calls of functions and turns of loops in
 * `src/`, characters that methods of strings read, entries that methods of arrays copy or search, and what regular
 * expressions try. Not counted: loops of packages, and characters of joined strings that V8 copies when they are first read.
 */
export function countSteps(work: () => unknown, {tries = true}: Counts = {}): number {
	const before = counted.steps;
	const restore = countBuiltIns(tries);
	try {
		work();
	} finally {
		restore();
	}

	return counted.steps - before;
}

type Cost = (self: never, given: readonly never[], result: never) => number;

const one: Cost = () => 1;
const ofSelf: Cost = (self: {length: number}) => 1 + self.length;
const ofResult: Cost = (_, __, result: {length: number}) => 1 + result.length;
const ofArgument: Cost = (_, [argument]: readonly unknown[]) =>
	1 + (typeof argument === 'string' || Array.isArray(argument) ? argument.length : 0);
const ofRemoved: Cost = (self: {length: number}, _, result: {length: number}) => 1 + self.length - result.length;
/** To the place where something was found, or to the end. */
const ofSearch: Cost = (self: {length: number}, [, from = 0]: readonly number[], result: number) =>
	1 + Math.max(0, (result < 0 ? self.length : result) - Number(from));
const ofBackwardSearch: Cost = (self: {length: number}, [, from]: readonly number[], result: number) =>
	1 + Math.max(0, Math.min(self.length, Number(from ?? self.length)) - Math.max(0, result));

/** What V8 does itself for a method. What takes a regular expression is counted by `exec`. */
const strings: Readonly<Record<string, Cost>> = {
	...Object.fromEntries(['charCodeAt', 'codePointAt', 'charAt', 'at', 'slice', 'substring'].map(name => [name, one])),
	...Object.fromEntries(['startsWith', 'endsWith', 'localeCompare'].map(name => [name, ofArgument])),
	...Object.fromEntries(['trim', 'trimEnd', 'trimStart'].map(name => [name, ofRemoved])),
	...Object.fromEntries(['toLowerCase', 'toUpperCase', 'normalize', 'includes'].map(name => [name, ofSelf])),
	...Object.fromEntries(['padEnd', 'padStart', 'repeat', 'concat'].map(name => [name, ofResult])),
	...Object.fromEntries(
		['split', 'replace', 'replaceAll'].map(name => [
			name,
			(self: string, [pattern]: readonly unknown[]) => (typeof pattern === 'string' ? 1 + self.length : 1),
		]),
	),
	indexOf: ofSearch,
	lastIndexOf: ofBackwardSearch,
};

const arrays: Readonly<Record<string, Cost>> = {
	...Object.fromEntries(
		['join', 'reverse', 'fill', 'sort', 'unshift', 'toReversed', 'toSorted', 'with', 'map', 'filter'].map(name => [
			name,
			ofSelf,
		]),
	),
	...Object.fromEntries(['slice', 'concat', 'flat', 'flatMap', 'toSpliced'].map(name => [name, ofResult])),
	includes: ofSelf,
	indexOf: ofSearch,
	lastIndexOf: ofBackwardSearch,
	splice: (self: unknown[], [from = 0]: readonly number[]) => 1 + Math.max(0, self.length - Math.max(0, from)),
};

const others: readonly (readonly [object, string, Cost])[] = [
	[JSON, 'parse', ofArgument],
	[JSON, 'stringify', (_, __, result: string | undefined) => 1 + (result?.length ?? 0)],
	[Array, 'from', ofResult],
	[Buffer, 'from', ofArgument],
	[Buffer, 'byteLength', ofArgument],
	[Intl.Segmenter.prototype, 'segment', ofArgument],
	[TextEncoder.prototype, 'encode', ofArgument],
];

/** Counts what is built in until the result is called. */
function countBuiltIns(tries: boolean): () => void {
	const undo: (() => void)[] = [];
	const replace = (owner: object, name: string, replacement: (method: unknown) => unknown) => {
		const descriptor = Reflect.getOwnPropertyDescriptor(owner, name);
		if (descriptor) {
			Reflect.defineProperty(owner, name, {...descriptor, value: replacement(descriptor.value)});
			undo.push(() => void Reflect.defineProperty(owner, name, descriptor));
		}
	};
	const count = (owner: object, name: string, cost: Cost) =>
		replace(owner, name, method => {
			return function counting(this: never, ...given: never[]): unknown {
				const result = Reflect.apply(method as () => unknown, this, given);
				counted.steps += cost(this, given, result as never);
				return result;
			};
		});
	for (const [name, cost] of Object.entries(strings)) {
		count(String.prototype, name, cost);
	}

	for (const [name, cost] of Object.entries(arrays)) {
		count(Array.prototype, name, cost);
	}

	for (const [owner, name, cost] of others) {
		count(owner, name, cost);
	}

	replace(RegExp.prototype, 'exec', method => {
		return function counting(this: RegExp, given: unknown) {
			const text = String(given);
			const from = this.global || this.sticky ? this.lastIndex : 0;
			const match = (method as RegExp['exec']).call(this, text);
			counted.steps += 1 + Math.max(0, match ? match.index + match[0].length - from : 0);
			counted.steps += tries ? triesOf(this, text, from, method as RegExp['exec']) : 0;
			return match;
		};
	});
	const {entriesOf} = counted;
	counted.entriesOf = value => {
		counted.steps +=
			Array.isArray(value) || typeof value === 'string' ? value.length : Object.keys(Object(value)).length;
		return value;
	};
	undo.push(() => {
		counted.entriesOf = entriesOf;
	});
	return () => {
		for (const restore of undo) {
			restore();
		}
	};
}

/** Creates an expression that matches nothing if it would have to go back more often than so many times. */
const limited = new Function(
	'source',
	'flags',
	'tries',
	'return %NewRegExpWithBacktrackLimit(source, flags, tries)',
) as (source: string, flags: string, tries: number) => RegExp;

const expressions = new Map<string, Map<string, RegExp>>();
/** How often each of them went back the last time. */
const usual = new Map<string, number>();
const fewest = 256;
/** From here on, an eighth makes a difference. */
const exact = 4096;
/** It counts as so much, as what never ends. */
const endless = 2 ** 28;

/** Returns what matches where the expression is done without a match, so that there is a match unless the limit ended it. */
function otherwise(source: string, flags: string): string {
	if (flags.includes('y')) {
		return '';
	}

	return isAnchored(source, flags) ? '^' : '(?![^])';
}

/** Returns true if an expression is tried at the start of a text alone. */
function isAnchored(source: string, flags: string): boolean {
	if (!source.startsWith('^') || flags.includes('m')) {
		return false;
	}

	let outside = source.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, '');
	for (let before = ''; before !== outside; ) {
		before = outside;
		outside = outside.replace(/\([^()]*\)/g, '');
	}

	return !outside.includes('|');
}

/** Returns how often an expression goes back in a text, about; 0 if it is seldom. */
function triesOf({source, flags}: RegExp, text: string, from: number, exec: RegExp['exec']): number {
	const variants = expressions.get(source) ?? new Map<string, RegExp>();
	expressions.set(source, variants);
	const ends = (tries: number) => {
		const key = flags + tries;
		const made = variants.get(key) ?? limited(`(?:${source})|${otherwise(source, flags)}`, flags, tries);
		variants.set(key, made);
		made.lastIndex = from;
		return exec.call(made, text) !== null;
	};
	// Beyond its end, nothing matches.
	if (from > text.length || ends(fewest)) {
		return 0;
	}

	let tries = usual.get(source) ?? 2 * fewest;
	if (ends(tries)) {
		while (ends(tries / 2)) {
			tries /= 2;
		}
	} else {
		do {
			tries *= 2;
		} while (tries < endless && !ends(tries));
	}

	usual.set(source, tries);
	if (tries < exact) {
		return tries;
	}

	const least = ends(tries * 0.75) ? tries * 0.5 : tries * 0.75;
	return ends(least + tries / 8) ? least + tries / 8 : least + tries / 4;
}

import fc from 'fast-check';
import type {Mark} from '../../src/logs/log-entry.ts';
import {merge, type ReadWindow, readWindow} from '../../src/logs/merge.ts';

/** What happens to a log between two polls. */
export type Step =
	| {readonly kind: 'append'; readonly lines: readonly string[]; readonly partial: string}
	| {readonly kind: 'truncate' | 'restart'};

/** How much of a log its server shows: the last characters, cut at a line or anywhere. */
export type View = {readonly characters: number; readonly cut: 'line' | 'anywhere'};

/** What was shown: a line, a mark, or the first window after nothing. */
export type Shown = string | {readonly mark: Mark | 'first'};

/** Follows a log through its steps with one poll after each. Gives what was shown, and all lines that ever were. */
export function follow(steps: readonly Step[], {characters, cut}: View) {
	const truth: string[] = [];
	const shown: Shown[] = [];
	let log = '';
	let open = '';
	let window: ReadWindow | undefined;
	const write = (text: string) => {
		log += text;
		const lines = (open + text).split('\n');
		open = lines.pop() ?? '';
		truth.push(...lines);
	};

	for (const step of steps) {
		if (step.kind === 'append') {
			write(`${step.lines.map(line => `${line}\n`).join('')}${step.partial}`);
		} else {
			log = '';
			open = '';
			write(step.kind === 'restart' ? `restart ${truth.length}\nready ${truth.length}\n` : '');
		}

		const tail = log.slice(-characters);
		const next = readWindow(cut === 'line' && tail !== log ? tail.slice(tail.indexOf('\n') + 1) : tail);
		const {appended, verdict} = merge(window, next);
		window = next;
		shown.push(...(verdict === 'appended' || verdict === 'unchanged' ? [] : [{mark: verdict}]), ...appended);
	}

	return {truth, shown};
}

/** What is wrong with what was shown of a log whose lines all differ. */
export function judge({truth, shown}: {readonly truth: readonly string[]; readonly shown: readonly Shown[]}) {
	const places = new Map(truth.map((line, index) => [line, index]));
	const seen = new Set<string>();
	let undeclared = 0;
	let duplicates = 0;
	let previous: number | undefined;
	for (const item of shown) {
		if (typeof item !== 'string') {
			previous = undefined;
			continue;
		}

		const place = places.get(item);
		// The first line behind a mark may be the end of one that was cut.
		const isCut = place === undefined && previous === undefined && truth.some(line => line.endsWith(item));
		undeclared += isCut || previous === undefined || place === previous + 1 ? 0 : 1;
		duplicates += !isCut && seen.has(item) ? 1 : 0;
		seen.add(item);
		previous = place;
	}

	return {undeclared, duplicates};
}

const counts = fc.oneof(
	{weight: 6, arbitrary: fc.nat({max: 6})},
	{weight: 3, arbitrary: fc.nat({max: 40})},
	{weight: 1, arbitrary: fc.nat({max: 300})},
);

/** Steps whose lines are made by `line` from a running number; `partial` begins the next line without its end. */
export function stepsOf(line: (index: number, chance: number) => string, {breaks = true} = {}) {
	return fc
		.array(
			fc.record({
				count: counts,
				partial: fc.boolean(),
				seed: fc.nat(),
				kind: breaks
					? fc.oneof(
							{weight: 12, arbitrary: fc.constant('append' as const)},
							{weight: 1, arbitrary: fc.constantFrom('truncate' as const, 'restart' as const)},
						)
					: fc.constant('append' as const),
			}),
			{minLength: 5, maxLength: 30},
		)
		.map(drawn => stepsFrom(drawn, line));
}

type Drawn = {
	readonly count: number;
	readonly partial: boolean;
	readonly seed: number;
	readonly kind: 'append' | 'truncate' | 'restart';
};

function stepsFrom(drawn: readonly Drawn[], line: (index: number, chance: number) => string): readonly Step[] {
	let index = 0;
	let rest = '';
	return drawn.map(({count, partial, seed, kind}): Step => {
		const chance = chancesOf(seed);
		if (kind !== 'append') {
			rest = '';
			return {kind};
		}

		const make = () => line(index++, chance());
		const lines = Array.from({length: count}, (_, position) => {
			const text = position === 0 && rest ? rest : make();
			rest = position === 0 ? '' : rest;
			return text;
		});
		if (!partial || rest) {
			return {kind, lines, partial: ''};
		}

		const next = make();
		const cut = Math.floor(next.length / 2);
		rest = next.slice(cut);
		return {kind, lines, partial: next.slice(0, cut)};
	});
}

/** Numbers from 0 up to 1 that only look like chance (mulberry32), without a liking for the ends of the range. */
export function chancesOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

import {diffArrays} from 'diff';
import type {Alike, Indent} from './find-alike.ts';

/** More differences between old and new text are not sought: everything between the same beginning and end is new. */
const maxDifferences = 500;

/** Runs of blanks, words, line ends, and any other character alone. */
const tokens = /\r?\n|[^\S\r\n]+|[\p{L}\p{N}\p{M}_]+|[\s\S]/gu;

type Token = {readonly text: string; readonly start: number; readonly line: number};

/**
 * Returns what takes the place of text that only looks like the old one: where old and new text agree, the file's own characters,
 * else the new ones. New lines end as the place does (`lineEnd`), and are indented as it is.
 */
export function keepOwn(alike: Alike, sought: string, next: string, lineEnd: string): string {
	const [old, now] = [tokensOf(sought), tokensOf(next)];
	const kept = keptTokens(old, now);
	const indent = indenting(alike.indents);
	const own = ownTexts(alike.pairs, indent === undefined);
	let text = '';
	let isLineStart = alike.startsLine && indent !== undefined;
	for (let index = 0; index < now.length; index++) {
		const token = now[index];
		const isBlank = (each: Token | undefined) => each === undefined || /^\s/.test(each.text);
		if (isLineStart && token && !(isBlank(token) && isBlank(now[index + 1]))) {
			const body = isBlank(token) ? index + 1 : index;
			const given = isBlank(token) ? token.text : '';
			const from = old[kept[body] ?? -1];
			const before = from && alike.indents[from.line];
			text += before?.sought === given ? before.own : (indent?.(given) ?? given);
			isLineStart = false;
			if (body > index) {
				continue;
			}
		}

		// Several tokens may stand for one character of the file.
		let behind = index + 1;
		const first = kept[index] ?? -1;
		let taken: string | undefined;
		for (; first >= 0 && behind <= now.length; behind++) {
			const last = first + behind - index - 1;
			const from = old[first]?.start ?? 0;
			taken = kept[behind - 1] === last ? own(from, endOf(old[last])) : undefined;
			if (taken !== undefined || kept[behind - 1] !== last || behind - index > 8) {
				break;
			}
		}

		const isEnd = token?.text.endsWith('\n') ?? false;
		text += taken ?? (isEnd ? lineEnd : (token?.text ?? ''));
		index = taken === undefined ? index : behind - 1;
		isLineStart = isEnd && indent !== undefined;
	}

	return text;
}

function tokensOf(text: string): readonly Token[] {
	let line = 0;
	return [...text.matchAll(tokens)].map(({0: token, index: start}) => {
		const at = line;
		line += token.endsWith('\n') ? 1 : 0;
		return {text: token, start, line: at};
	});
}

function endOf(token: Token | undefined): number {
	return token ? token.start + token.text.length : 0;
}

/** Returns for each new token the index of the old one that it is; -1 for none. */
function keptTokens(old: readonly Token[], now: readonly Token[]): readonly number[] {
	const plain = ({text}: Token) => (text === '\r\n' ? '\n' : text);
	const [before, after] = [old.map(plain), now.map(plain)];
	const kept = Array<number>(now.length).fill(-1);
	const changes = diffArrays(before, after, {maxEditLength: maxDifferences});
	if (changes) {
		let [one, other] = [0, 0];
		for (const {added, removed, count} of changes) {
			for (let step = 0; step < count && !added && !removed; step++) {
				kept[other + step] = one + step;
			}

			one += added ? 0 : count;
			other += removed ? 0 : count;
		}

		return kept;
	}

	const most = Math.min(old.length, now.length);
	let same = 0;
	for (; same < most && before[same] === after[same]; same++) {
		kept[same] = same;
	}

	for (let back = 1; back <= most - same && before.at(-back) === after.at(-back); back++) {
		kept[now.length - back] = old.length - back;
	}

	return kept;
}

/**
 * Returns what the file has in the place of a part of the old text; undefined if it begins or ends inside a character. Indents
 * are written elsewhere unless `hasIndents`.
 */
function ownTexts(pairs: Alike['pairs'], hasIndents: boolean): (start: number, end: number) => string | undefined {
	const starts: number[] = [];
	let at = 0;
	for (const {sought} of pairs) {
		starts.push(at);
		at += sought.length;
	}

	const length = at;
	return (start, end) => {
		let index = lowerBound(starts, start);
		if ((starts[index] ?? length) !== start) {
			return undefined;
		}

		let text = '';
		for (; index < pairs.length && (starts[index] ?? 0) < end; index++) {
			const pair = pairs[index];
			if (pair && (starts[index] ?? 0) + pair.sought.length > end) {
				return undefined;
			}

			text += pair && (hasIndents || !pair.isIndent) ? pair.own : '';
		}

		return text;
	};
}

/** Returns the first index of a sorted list whose number is `wanted` or more. */
function lowerBound(numbers: readonly number[], wanted: number): number {
	let [low, high] = [0, numbers.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((numbers[middle] ?? 0) < wanted) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low;
}

/** Widths of a tab that are tried, after the ones that the texts suggest. */
const tabWidths = [4, 2, 8, 3, 1, 5, 6, 7];

/** True if each line is indented as the old text has it, but for the width of tabs and a shift or a factor that all lines share. */
export function isUniform(indents: Alike['indents']): boolean {
	const known = indents.filter(indent => indent !== undefined);
	return known.length === 0 || widthAndShift(known) !== undefined;
}

/** Returns what indents a new line as the place is indented; undefined if nothing differs there. */
function indenting(indents: Alike['indents']): ((given: string) => string) | undefined {
	const known = indents.filter(indent => indent !== undefined);
	const found = known.some(({sought, own}) => sought !== own) ? widthAndShift(known) : undefined;
	if (!found) {
		return undefined;
	}

	const {width, shift, factor} = found;
	const owns = new Map<string, string>();
	for (const {sought, own} of known) {
		owns.set(sought, owns.has(sought) && owns.get(sought) !== own ? '' : own);
	}

	const hasTabs = known.some(({own}) => own.includes('\t'));
	const isFlat = known.every(({own}) => own === '');
	return given => {
		const same = owns.get(given);
		if (same !== undefined && (same !== '' || known.every(({sought, own}) => sought !== given || own === ''))) {
			return same;
		}

		const columns = Math.max(0, Math.floor(columnsOf(given, width) * factor) + shift);
		const isTabbed = hasTabs || (isFlat && given.includes('\t'));
		return isTabbed ? '\t'.repeat(Math.floor(columns / width)) + ' '.repeat(columns % width) : ' '.repeat(columns);
	};
}

/** How lines of the old text are indented in the file: `columns * factor + shift`. */
type Indenting = {readonly width: number; readonly factor: number; readonly shift: number};

/** Returns how a place is indented: with tabs of some width farther to one side, or with more or fewer columns for each level. */
function widthAndShift(indents: readonly Indent[]): Indenting | undefined {
	const fits = [stepOf(indents), ...tabWidths].flatMap((width): readonly Indenting[] => {
		const shifts = new Set(indents.map(({sought, own}) => columnsOf(own, width) - columnsOf(sought, width)));
		const [shift = 0] = shifts;
		return shifts.size === 1 ? [{width, factor: 1, shift}] : [];
	});
	return fits.find(({shift}) => shift === 0) ?? fits[0] ?? scaled(indents);
}

function scaled(indents: readonly Indent[]): Indenting | undefined {
	const [width = 4] = tabWidths;
	const columns = indents.map(({sought, own}) => [columnsOf(sought, width), columnsOf(own, width)] as const);
	const [sought = 1, own = 1] = columns.find(([before]) => before > 0) ?? [];
	const isSame = own > 0 && columns.every(([before, after]) => before * own === after * sought);
	return isSame ? {width, factor: own / sought, shift: 0} : undefined;
}

/** Returns the number of blanks that lines are indented by, where one side has tabs and the other has none. */
function stepOf(indents: readonly Indent[]): number {
	const blanks = indents.flatMap(({sought, own}) => [sought, own]).filter(text => text !== '' && !text.includes('\t'));
	const step = blanks.reduce((sum, {length}) => greatestDivisor(sum, length), 0);
	return step > 0 && step <= 8 ? step : 4;
}

function greatestDivisor(one: number, other: number): number {
	return other === 0 ? one : greatestDivisor(other, one % other);
}

function columnsOf(indent: string, width: number): number {
	let columns = 0;
	for (const character of indent) {
		columns += character === '\t' ? width - (columns % width) : 1;
	}

	return columns;
}

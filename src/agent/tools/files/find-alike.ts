import {AppError} from '../../../core/error.ts';
import {type EyeFold, foldText, type Unit, unitsOf} from '../../paths/eye-fold.ts';

/** A line of a text, without its end, and where it starts. The last one may be empty, and has no end. */
type Line = {readonly text: string; readonly start: number; readonly end: string};

/** A part of the sought text, and what the file has in its place. Either may be empty, where nobody sees the other. */
type Pair = {
	readonly sought: string;
	readonly own: string;
	/** True for the blanks before the first letter of a line. */
	readonly isIndent: boolean;
};

/** A place that looks as the sought text does: `pairs` make up both, in order. */
export type Alike = {
	readonly start: number;
	readonly end: number;
	readonly line: number;
	readonly pairs: readonly Pair[];
	/** The blanks before each line; undefined for one that is blank, and for a first one that begins inside a line. */
	readonly indents: readonly (Indent | undefined)[];
	/** True if it begins where a line does. */
	readonly startsLine: boolean;
};

export type Indent = {readonly sought: string; readonly own: string};

/** Most places that are looked at, and most characters of all of them. */
const maxPlaces = 1000;
const maxCompared = 500_000;

function* linesFrom(text: string, start: number): Generator<Line> {
	let from = start;
	for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', from)) {
		const end = at > from && text[at - 1] === '\r' ? at - 1 : at;
		yield {text: text.slice(from, end), start: from, end: text.slice(end, at + 1)};
		from = at + 1;
	}

	yield {text: text.slice(from), start: from, end: ''};
}

/** Searches one text for others by what they look like. The text is folded once for each kind of search. */
export function createAlikeSearch(text: string) {
	const folds = new Map<EyeFold, string>();
	const foldedAs = (fold: EyeFold) => {
		const folded = folds.get(fold) ?? foldText(text, fold);
		folds.set(fold, folded);
		return folded;
	};

	/**
	 * Yields the places that look as a text does, in order. They may overlap. Throws `AppError("usage")` if there are too many to
	 * look at.
	 */
	return function* find(sought: string, fold: EyeFold): Generator<Alike> {
		const wanted = [...linesFrom(sought, 0)];
		const needle = foldText(sought, fold);
		if (needle === '' || (fold !== 'ends' && needle.trim() === '')) {
			return;
		}

		const folded = foldedAs(fold);
		let [line, lineStart, from] = [0, 0, 0];
		let room = Math.max(3, Math.min(maxPlaces, Math.floor(maxCompared / needle.length)));
		for (const at of indexesOf(folded, needle)) {
			if (room-- === 0) {
				throw new AppError('usage', 'old_text resembles too many places. Nothing was written.', {
					hint: 'Copy it exactly, and add lines around it that make it unique.',
				});
			}

			for (let end = folded.indexOf('\n', from); end >= 0 && end < at; end = folded.indexOf('\n', from)) {
				line++;
				from = end + 1;
				lineStart = text.indexOf('\n', lineStart) + 1;
			}

			const place = placeAt({text, line, lineStart, offset: at - from}, wanted, fold);
			if (place) {
				yield place;
			}
		}
	};
}

/** A part of a line: its units, and the characters that they and what surrounds them stand in. */
type Part = {readonly text: string; readonly units: readonly Unit[]; readonly from: number; readonly to: number};

/** Where a match begins: the line, counted from 0, where it starts, and where the match begins in it once it is folded. */
type Origin = {readonly text: string; readonly line: number; readonly lineStart: number; readonly offset: number};

/** Returns the place where a match begins; undefined if it begins or ends inside a character. */
function placeAt(
	{text: whole, line, lineStart, offset}: Origin,
	wanted: readonly Line[],
	fold: EyeFold,
): Alike | undefined {
	const pairs: Pair[] = [];
	const indents: (Indent | undefined)[] = [];
	const last = wanted.length - 1;
	const owns = linesFrom(whole, lineStart);
	let [start, end, startsLine] = [0, 0, false];
	for (const [index, {text, end: lineEnd}] of wanted.entries()) {
		const own: Line | undefined = owns.next().value;
		const units = unitsOf(text, fold);
		const length = units.reduce((sum, unit) => sum + unit.text.length, 0);
		const from = index === 0 ? offset : 0;
		const sought = {text, units, from: 0, to: text.length};
		const found =
			own && partOf(own.text, fold, {sought, from, length: index === last ? length : undefined, isFirst: index === 0});
		const isIndented = found?.from === 0 && fold === 'blanks' && units.length > 0;
		if (!own || !found || !addPairs(pairs, sought, found, isIndented)) {
			return undefined;
		}

		const indent = {sought: text.slice(0, units[0]?.start), own: own.text.slice(0, found.units[0]?.start)};
		indents.push(isIndented ? indent : undefined);
		[start, startsLine] = index === 0 ? [own.start + found.from, found.from === 0] : [start, startsLine];
		end = own.start + found.to;
		if (index < last) {
			pairs.push({sought: lineEnd, own: own.end, isIndent: false});
		}
	}

	return {start, end, line, pairs, indents, startsLine};
}

type Cut = {
	readonly sought: Part;
	/** Where it begins in the folded line, and how long it is there; undefined up to the end of the line. */
	readonly from: number;
	readonly length: number | undefined;
	/** False for a line behind another one, which begins at its very beginning. */
	readonly isFirst: boolean;
};

/** Returns the part of a line that is alike; undefined if it begins or ends inside a unit. */
function partOf(text: string, fold: EyeFold, {sought, from, length, isFirst}: Cut): Part | undefined {
	const units = unitsOf(text, fold);
	let [at, first] = [0, 0];
	while (at < from && first < units.length) {
		at += units[first++]?.text.length ?? 0;
	}

	let last = first;
	const goal = length === undefined ? Number.POSITIVE_INFINITY : from + length;
	const begin = at;
	while (last < units.length && at < goal) {
		at += units[last++]?.text.length ?? 0;
	}

	const inside = units.slice(first, last);
	const [leads, trails] = [sought.units[0]?.start !== 0, sought.units.at(-1)?.end !== sought.text.length];
	const isCut = fold === 'blanks' && sought.units.length > 0 && leads && first > 0;
	if (begin !== from || (length !== undefined && at !== goal) || isCut) {
		return undefined;
	}

	if (sought.text === '' && inside.length === 0) {
		// The end of a line before, or the beginning of one behind; a whole line if it is blank.
		const [start, end] = length === 0 ? [0, 0] : [units.at(-1)?.end ?? 0, text.length];
		return {text, units: inside, from: start, to: end};
	}

	const start = inside[0]?.start ?? units[first - 1]?.end ?? 0;
	const end = inside.at(-1)?.end ?? start;
	const [isStart, isEnd] = [first === 0, last === units.length];
	return {
		text,
		units: inside,
		from: isStart && (leads || !isFirst) ? 0 : start,
		to: isEnd && (trails || length === undefined) ? text.length : end,
	};
}

/** Adds the pairs of a line. Returns false if their units are not the same. */
function addPairs(pairs: Pair[], sought: Part, own: Part, isIndented: boolean): boolean {
	let [soughtAt, ownAt] = [sought.from, own.from];
	let [soughtIndex, ownIndex] = [0, 0];
	const add = (soughtEnd: number, ownEnd: number, isIndent: boolean) => {
		if (soughtEnd > soughtAt || ownEnd > ownAt) {
			pairs.push({sought: sought.text.slice(soughtAt, soughtEnd), own: own.text.slice(ownAt, ownEnd), isIndent});
		}

		[soughtAt, ownAt] = [soughtEnd, ownEnd];
	};

	while (soughtIndex < sought.units.length && ownIndex < own.units.length) {
		add(sought.units[soughtIndex]?.start ?? 0, own.units[ownIndex]?.start ?? 0, isIndented && soughtIndex === 0);
		let [one, other] = ['', ''];
		do {
			if (one.length <= other.length) {
				one += sought.units[soughtIndex++]?.text ?? '\0';
			} else {
				other += own.units[ownIndex++]?.text ?? '\0';
			}
		} while (one.length !== other.length && soughtIndex <= sought.units.length && ownIndex <= own.units.length);

		if (one !== other) {
			return false;
		}

		add(sought.units[soughtIndex - 1]?.end ?? 0, own.units[ownIndex - 1]?.end ?? 0, false);
	}

	add(sought.to, own.to, isIndented && sought.units.length === 0);
	return soughtIndex === sought.units.length && ownIndex === own.units.length;
}

/** The length up to which the engine's own search is fast, whatever the text repeats. */
const maxPlainLength = 64;

/**
 * Yields the indexes of a text in another one, also of matches that overlap. It takes time in proportion to the lengths of both
 * (Knuth, Morris, Pratt): the engine's search of a long text with repeats takes minutes.
 */
export function* indexesOf(text: string, wanted: string): Generator<number> {
	if (wanted.length <= maxPlainLength) {
		for (let at = text.indexOf(wanted); at >= 0 && wanted; at = text.indexOf(wanted, at + 1)) {
			yield at;
		}

		return;
	}

	const borders = bordersOf(wanted);
	let matched = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		while (matched > 0 && wanted.charCodeAt(matched) !== code) {
			matched = borders[matched - 1] ?? 0;
		}

		matched += wanted.charCodeAt(matched) === code ? 1 : 0;
		if (matched === wanted.length) {
			yield at + 1 - matched;
			matched = borders[matched - 1] ?? 0;
		}
	}
}

/** Returns for each beginning of a text the length of the longest shorter one that it also ends with. */
function bordersOf(text: string): Int32Array {
	const borders = new Int32Array(text.length);
	let length = 0;
	for (let at = 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		while (length > 0 && text.charCodeAt(length) !== code) {
			length = borders[length - 1] ?? 0;
		}

		length += text.charCodeAt(length) === code ? 1 : 0;
		borders[at] = length;
	}

	return borders;
}

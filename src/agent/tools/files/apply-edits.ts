import {cutText} from '../../../core/cut-text.ts';
import {AppError} from '../../../core/error.ts';
import {unseenCharacters} from '../../../core/json.ts';
import {redactKnownLines} from '../../../core/secrets/redact.ts';
import {mask} from '../../../core/secrets/secret.ts';
import type {EyeFold} from '../../paths/eye-fold.ts';
import {type Alike, createAlikeSearch, indexesOf} from './find-alike.ts';
import {isUniform, keepOwn} from './keep-own.ts';
import {splitLines} from './read-text.ts';

type Edit = {readonly old_text: string; readonly new_text: string; readonly replace_all?: boolean | undefined};

/** Most line numbers that a message names. */
const maxPlaces = 20;
/** Most characters of texts that are compared by what they look like for one call: four times the largest file. */
const maxFolded = 64_000_000;

/** Most characters in which a similar line is sought. */
const maxSearched = 4_000_000;

const looseFolds: readonly EyeFold[] = ['glyphs', 'blanks'];
const folds: readonly EyeFold[] = ['ends', ...looseFolds];

/** A part of a text, and what takes its place. */
type Change = {readonly start: number; readonly end: number; readonly line?: number; readonly text: () => string};

/**
 * Replaces text, each edit in the result of the one before. A text that matches exactly is meant; else one that looks the same
 * and is the only one: other line ends, quotes, dashes, spaces and forms of letters, other blanks, tabs for blanks, all lines
 * farther to the right, copied line numbers, blank lines around it. What stays in it keeps the file's own characters, and new
 * lines end as the place does. Throws `AppError("usage")`, with what the text has instead, if an edit doesn't apply.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
	const budget = {characters: maxFolded};
	let result = text;
	for (const [index, edit] of edits.entries()) {
		result = applyEdit(result, edit, edits.length > 1 ? `edit ${index + 1} of ${edits.length}` : 'the edit', budget);
	}

	return result;
}

function applyEdit(text: string, edit: Edit, name: string, budget: {characters: number}): string {
	const {old_text: sought, new_text: next, replace_all: all = false} = edit;
	if (sought === '') {
		throw new AppError('usage', `old_text of ${name} is empty. Nothing was written.`, {
			hint: 'To replace the whole file, or to create one, call write_file.',
		});
	}

	if (sought === next) {
		throw new AppError('usage', `old_text and new_text of ${name} are the same. Nothing was written.`);
	}

	const {changes, isExact} = findChanges(text, edit, budget);
	if (changes.length === 0) {
		throw new AppError('usage', missing(text, sought, name));
	}

	if (changes.length > 1 && !all) {
		const how = isExact ? '' : ', if what looks the same counts as equal';
		throw new AppError('usage', `old_text of ${name} matches ${placesOf(text, changes)}${how}. Nothing was written.`, {
			hint: 'Add lines around it that make it unique, or set replace_all.',
		});
	}

	let [result, from] = ['', 0];
	for (const change of changes.filter(separate())) {
		result += text.slice(from, change.start) + change.text();
		from = change.end;
	}

	return result + text.slice(from);
}

/** Returns a test that is true for what doesn't overlap with what came before. */
function separate(): (change: Change) => boolean {
	let end = 0;
	return change => {
		const isFree = change.start >= end;
		end = isFree ? change.end : end;
		return isFree;
	};
}

/** Returns the places of an edit, in order: all of them for `replace_all`, else as many as a message names, and one more. */
function findChanges(text: string, edit: Edit, budget: {characters: number}) {
	const most = edit.replace_all ? Number.POSITIVE_INFINITY : maxPlaces + 1;
	const exact = takeMost(exactChanges(text, edit), most);
	if (exact.length > 0) {
		return {changes: exact, isExact: true};
	}

	budget.characters -= text.length;
	if (budget.characters < 0) {
		throw new AppError('usage', 'Too many edits are not exact. Nothing was written.', {
			hint: 'Copy old_text exactly, or make fewer edits at once.',
		});
	}

	const find = createAlikeSearch(text);
	const hasCrlf = text.includes('\r\n');
	for (const {sought, next, first} of readings(edit)) {
		for (const fold of hasCrlf || sought.includes('\r\n') ? folds : looseFolds) {
			const alike = takeMost(alikeChanges(text, find(sought, fold), {sought, next, first, fold}), most);
			if (alike.length > 0) {
				return {changes: alike, isExact: false};
			}
		}
	}

	return {changes: [], isExact: false};
}

function takeMost<Value>(values: Iterable<Value>, most: number): readonly Value[] {
	const taken: Value[] = [];
	for (const value of values) {
		taken.push(value);
		if (taken.length >= most) {
			break;
		}
	}

	return taken;
}

function* exactChanges(text: string, {old_text: sought, new_text: next}: Edit): Generator<Change> {
	// Whoever writes CR means it, where line ends differ.
	const isVerbatim = sought.includes('\r\n') && isMixed(text);
	for (const at of indexesOf(text, sought)) {
		// The LF of a CRLF stands for both.
		const start = text[at] === '\n' && text[at - 1] === '\r' ? at - 1 : at;
		const end = at + sought.length;
		yield {start, end, text: () => (isVerbatim ? next : withEnds(next, lineEndAt(text, start, end)))};
	}
}

function* alikeChanges(text: string, places: Iterable<Alike>, {sought, next, first, fold}: Reading & {fold: EyeFold}) {
	for (const place of places) {
		const isPlace = first === undefined || place.line + 1 === first;
		if (isPlace && (fold !== 'blanks' || isUniform(place.indents))) {
			const {start, end, line} = place;
			yield {start, end, line, text: () => keepOwn(place, sought, next, lineEndAt(text, start, end))} satisfies Change;
		}
	}
}

/** A way to read an edit. `first` is the number that the first line must have. */
type Reading = {readonly sought: string; readonly next: string; readonly first?: number | undefined};

/** Yields an edit as it is, without the line numbers of `read_file`, and without blank lines around the old text. */
function* readings({old_text: sought, new_text: next}: Edit): Generator<Reading> {
	const given: Reading = {sought, next};
	const unnumbered = withoutNumbers(given);
	for (const reading of unnumbered ? [given, unnumbered] : [given]) {
		yield reading;
		const trimmed = withoutBlankLines(reading);
		if (trimmed) {
			yield trimmed;
		}
	}
}

const numbered = /^[ ]*(\d+)(?:\t|→|: ?| ?\| ?|$)/;

/** Returns an edit without numbers of lines, if every line of the old text has one that follows the one before. */
function withoutNumbers({sought, next}: Reading): Reading | undefined {
	const lines = splitLines(sought);
	const numbers = lines.map(line => Number(numbered.exec(line)?.[1] ?? Number.NaN));
	const [first = Number.NaN] = numbers;
	if (!numbers.every((number, index) => number === first + index)) {
		return undefined;
	}

	const strip = (text: string) =>
		text
			.split('\n')
			.map(line => line.replace(numbered, ''))
			.join('\n');
	// One number alone may be part of the text.
	return {sought: strip(sought), next: strip(next), ...(numbers.length === 1 && {first})};
}

/** Returns an edit without the blank lines that its old text begins and ends with; undefined if it has none. */
function withoutBlankLines({sought, next, first}: Reading): Reading | undefined {
	const lines = sought.split('\n');
	const isBlank = (line: string) => line.trim() === '';
	const before = lines.findIndex(line => !isBlank(line));
	const behind = lines.length - 1 - lines.findLastIndex(line => !isBlank(line));
	if (before < 0 || before + behind === 0) {
		return undefined;
	}

	const after = next.split('\n');
	let [from, to] = [0, after.length];
	while (from < before && from < to && isBlank(after[from] ?? '')) {
		from++;
	}

	while (after.length - to < behind && to > from && isBlank(after[to - 1] ?? '')) {
		to--;
	}

	return {
		sought: lines.slice(before, lines.length - behind).join('\n'),
		next: after.slice(from, to).join('\n'),
		first: first && first + before,
	};
}

function placesOf(text: string, changes: readonly Change[]): string {
	const numbers: number[] = [];
	let [line, from] = [1, 0];
	for (const {start} of changes.slice(0, maxPlaces)) {
		line += text.slice(from, start).split('\n').length - 1;
		from = start;
		numbers.push(line);
	}

	const isMore = changes.length > maxPlaces;
	return `${isMore ? `more than ${maxPlaces}` : numbers.length} places, at lines ${numbers.join(', ')}${isMore ? ' …' : ''}`;
}

function missing(text: string, wanted: string, name: string): string {
	const nearest = nearestLines(splitLines(text.slice(0, maxSearched)), wanted);
	return [
		`old_text of ${name} was not found. Nothing was written.`,
		...(wanted.includes(mask) ? [`${mask} hides a credential; it can't be matched. Leave that line out.`] : []),
		...(nearest ? [`The most similar lines are:\n${nearest}`] : ['No line is similar. Read the file again.']),
	].join(' ');
}

/** Returns `text` with the line ends of another text, if those are all CRLF. */
export function withLineEndsOf(text: string, other: string): string {
	return other.includes('\r\n') && !isMixed(other) && !text.includes('\r\n') ? withEnds(text, '\r\n') : text;
}

/** Returns the end of the first line of a place; of the next line, or of the one before, if it has no end. */
function lineEndAt(text: string, start: number, end: number): string {
	const inside = text.slice(start, end).indexOf('\n');
	const next = inside < 0 ? text.indexOf('\n', end) : start + inside;
	const at = next < 0 ? text.lastIndexOf('\n', start) : next;
	return at > 0 && text.charAt(at - 1) === '\r' ? '\r\n' : '\n';
}

function isMixed(text: string): boolean {
	return text.includes('\r\n') && /(?:^|[^\r])\n/.test(text);
}

function withEnds(text: string, lineEnd: string): string {
	const lf = withLf(text);
	return lineEnd === '\n' ? lf : lf.replaceAll('\n', lineEnd);
}

/** Returns a text with LF in place of each CRLF. */
export function withLf(text: string): string {
	return text.replaceAll('\r\n', '\n');
}

const unseen = new RegExp(`[${unseenCharacters}\\p{Zs}\\p{M}]`, 'u');

/** Most lines that are compared, and most that are shown. */
const maxCompared = 50_000;
const maxShown = 6;
/** Longer lines are compared and shown up to here. */
const maxLineLength = 300;
/** Lines around the shown ones in which a private key is still recognized. */
const maxKeyLines = 300;
/** The least similarity of a line that is worth showing, from 0 to 1. */
const leastSimilar = 0.4;

/**
 * Returns the lines that are most similar to a text, each as its number, a tab and its text, and how they differ; empty if none is similar.
 * They are for the model, so credentials are hidden (SAFETY 8).
 */
function nearestLines(lines: readonly string[], wanted: string): string {
	const sought = wanted
		.split('\n')
		.slice(0, maxShown)
		.map(line => line.slice(0, maxLineLength));
	const anchor = sought.findIndex(line => line.trim() !== '');
	const target = pairsOf(sought[anchor] ?? '');
	let best = {index: -1, score: leastSimilar};
	for (const [index, line] of lines.slice(0, maxCompared).entries()) {
		const first = similarity(target, pairsOf(line.slice(0, maxLineLength)));
		if (first > leastSimilar / 2) {
			const score = first + followingMatches(lines, index, sought.slice(anchor + 1));
			best = score > best.score ? {index, score} : best;
		}
	}

	if (best.index < 0) {
		return '';
	}

	const start = Math.max(0, best.index - anchor);
	const from = Math.max(0, start - maxKeyLines);
	const near = lines.slice(from, start + sought.length + maxKeyLines);
	const shown = redactKnownLines(near).slice(start - from, start - from + sought.length);
	return [
		...shown.map((line, index) => `${start + index + 1}\t${cutText(line, maxLineLength)}`),
		...differences(shown, wanted.split('\n'), start),
	].join('\n');
}

/** Most lines whose difference is drawn. */
const maxDrawn = 3;
/** Characters that are drawn before and behind the first difference. */
const aroundDifference = 60;

/** Draws the lines that differ as the file has them and as they were sought, so that white space and look-alikes are seen. */
function differences(lines: readonly string[], sought: readonly string[], start: number): readonly string[] {
	const drawn = lines.flatMap((line, index) => {
		const wanted = sought[index] ?? '';
		return line === wanted ? [] : [[index, line, wanted] as const];
	});
	if (drawn.length === 0) {
		return [];
	}

	return [
		'What differs (→ is a tab, · a space):',
		...drawn.slice(0, maxDrawn).flatMap(([index, line, wanted]) => {
			const at = firstDifference(line, wanted);
			return [
				`line ${start + index + 1} has: ${drawAround(line, wanted, at)}`,
				`old_text has: ${drawAround(wanted, line, at)}`,
			];
		}),
	];
}

function firstDifference(one: string, other: string): number {
	let at = 0;
	while (at < one.length && one[at] === other[at]) {
		at++;
	}

	return at;
}

/** Returns a line from shortly before its difference on, with blanks drawn, and the code points named that the other has not. */
function drawAround(line: string, other: string, at: number): string {
	const from = Math.max(0, at - aroundDifference);
	const part = line.slice(from, at + 2 * aroundDifference);
	const text = [...part].map(character => draw(character, other)).join('');
	return `${from > 0 ? '…' : ''}${text}${from + part.length < line.length ? '…' : ''}`;
}

function draw(character: string, other: string): string {
	if (character === '\t' || character === ' ') {
		return character === ' ' ? '·' : '→';
	}

	const code = character.codePointAt(0) ?? 0;
	const isUnseen = unseen.test(character);
	if (!isUnseen && (code < 0x80 || other.includes(character))) {
		return character;
	}

	return `${isUnseen ? '' : character}⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Returns how many of the next lines are the same but for white space. */
function followingMatches(lines: readonly string[], index: number, sought: readonly string[]): number {
	return sought.filter((line, offset) => {
		const text = line.trim();
		return text !== '' && lines[index + offset + 1]?.trim() === text;
	}).length;
}

/** Returns the pairs of neighbouring characters, without white space. */
function pairsOf(line: string): ReadonlySet<string> {
	const text = line.replace(/\s+/g, '');
	const pairs = new Set<string>();
	for (let index = 0; index < Math.max(1, text.length - 1); index++) {
		pairs.add(text.slice(index, index + 2));
	}

	return pairs;
}

/** Returns the Dice coefficient of two sets, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let shared = 0;
	for (const pair of a) {
		shared += b.has(pair) ? 1 : 0;
	}

	return (2 * shared) / (a.size + b.size);
}

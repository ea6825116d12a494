import {keepKilled, moveTo, replace} from '../editor-edit.ts';
import type {ComposerState} from '../editor-state.ts';
import {nextBoundary, previousBoundary} from '../graphemes.ts';
import {type Text, textOf} from '../long-text.ts';
import {lineEnd, lineStart} from '../motion.ts';
import type {Selection} from '../selection.ts';
import type {Operator, Target} from './vim-command.ts';
import {move} from './vim-motions.ts';
import {objectAt} from './vim-objects.ts';
import {classAt, firstInLine} from './vim-words.ts';

/** The prompt after a change, with the text that was cut or copied by lines, if it was. */
export type Changed = {
	readonly composer: ComposerState;
	readonly lines?: string | undefined;
	readonly inserts?: boolean;
};

export type Range = Selection & {readonly isLines: boolean};

/** The most text that one command inserts by repeating it, in UTF-16 units. */
const maxRepeated = 1_000_000;

/** Returns what an operator acts on; undefined if its motion leads nowhere, or there is no such object. */
export function rangeOf(text: Text, caret: number, operator: Operator, target: Target): Range | undefined {
	if (target.kind === 'lines') {
		return linesFrom(text, caret, target.count);
	}

	if (target.kind === 'object') {
		const object = objectAt(text, caret, target.name, target.isAround);
		return object && {...object, isLines: target.name === 'p'};
	}

	const {motion} = target;
	// A word that is changed keeps the blanks behind it.
	const isWord = operator === 'c' && /^[wW]$/.test(motion.name) && classAt(text, caret, false) !== 'blank';
	const moved = isWord ? changedWord(text, caret, motion.count ?? 1, motion.name === 'W') : move(text, caret, motion);
	if (!moved || (moved.to === caret && moved.extent === 'lines' && /^[jk]$/.test(motion.name))) {
		return undefined;
	}

	const start = Math.min(caret, moved.to);
	const last = Math.max(caret, moved.to);
	return moved.extent === 'lines'
		? {start: lineStart(text, start), end: Math.min(text.length, lineEnd(text, last) + 1), isLines: true}
		: {start, end: moved.extent === 'inclusive' ? nextBoundary(text, last) : last, isLines: false};
}

/** Returns the last character of this word, or of the one that is `count` words on. */
function changedWord(text: Text, caret: number, count: number, isBig: boolean) {
	let end = caret;
	const kind = classAt(text, caret, isBig);
	for (let next = nextBoundary(text, end); next < text.length && classAt(text, next, isBig) === kind; ) {
		end = next;
		next = nextBoundary(text, next);
	}

	const more = count > 1 ? move(text, end, {name: isBig ? 'E' : 'e', count: count - 1}) : undefined;
	return {to: more?.to ?? end, extent: 'inclusive'} as const;
}

/** Returns these whole lines from that of the caret, with the line end of the last one. */
export function linesFrom(text: Text, caret: number, count: number): Range {
	let end = lineEnd(text, caret);
	for (let line = 1; line < count && end < text.length; line++) {
		end = lineEnd(text, end + 1);
	}

	return {start: lineStart(text, caret), end: Math.min(text.length, end + 1), isLines: true};
}

/** Deletes, changes or copies a range. */
export function operate(composer: ComposerState, operator: Operator, {start, end, isLines}: Range): Changed {
	const text = textOf(composer);
	const inside = text.slice(start, end);
	const kept = isLines && !inside.endsWith('\n') ? `${inside}\n` : inside;
	const lines = isLines ? kept : undefined;
	const ring = keepKilled(composer, kept);
	if (operator === 'y') {
		return {composer: moveTo(ring, isLines ? Math.min(composer.caret, Math.max(start, composer.caret)) : start), lines};
	}

	if (operator === 'c') {
		const to = isLines && inside.endsWith('\n') ? end - 1 : end;
		return {composer: replace(ring, start, to, ''), lines, inserts: true};
	}

	// The last line takes the line end before it along.
	const from = isLines && end === text.length && !inside.endsWith('\n') && start > 0 ? start - 1 : start;
	const removed = replace(ring, from, end, '');
	return {composer: isLines ? moveTo(removed, firstInLine(textOf(removed), removed.caret)) : removed, lines};
}

/** Inserts the latest entry of the kill ring after or before the caret; `lines` is what was cut by lines. */
export function put(
	composer: ComposerState,
	isAfter: boolean,
	count: number,
	lines: string | undefined,
): ComposerState {
	const {caret, kills} = composer;
	const text = textOf(composer);
	const [entry = ''] = kills;
	const repeated = entry.repeat(Math.max(1, Math.min(count, Math.floor(maxRepeated / Math.max(1, entry.length)))));
	if (entry === '') {
		return composer;
	}

	if (entry === lines) {
		const at = isAfter ? lineEnd(text, caret) : lineStart(text, caret);
		const put = isAfter ? replace(composer, at, at, `\n${repeated.slice(0, -1)}`) : replace(composer, at, at, repeated);
		return moveTo(put, firstInLine(textOf(put), isAfter ? at + 1 : at));
	}

	const at = isAfter && caret < lineEnd(text, caret) ? nextBoundary(text, caret) : caret;
	const after = replace(composer, at, at, repeated);
	return moveTo(after, previousBoundary(textOf(after), after.caret));
}

/** Returns the end of so many characters from the caret, within its line. */
export function charactersFrom(text: Text, caret: number, count: number): number {
	const line = lineEnd(text, caret);
	let end = caret;
	for (let done = 0; done < count && end < line; done++) {
		end = Math.min(line, nextBoundary(text, end));
	}

	return end;
}

/** Replaces each character of a range but line ends with the result of `change`. */
export function mapCharacters(
	composer: ComposerState,
	{start, end}: Selection,
	change: (character: string) => string,
): ComposerState {
	const text = textOf(composer);
	let changed = '';
	for (let at = start; at < end; ) {
		const next = nextBoundary(text, at);
		const character = text.slice(at, next);
		changed += character === '\n' ? character : change(character);
		at = next;
	}

	return changed === text.slice(start, end) ? composer : replace(composer, start, end, changed);
}

/** Returns a character in the other case. */
export function otherCase(character: string): string {
	const upper = character.toUpperCase();
	return upper === character ? character.toLowerCase() : upper;
}

/** Joins so many lines from that of the caret, with a space between them. */
export function joinLines(composer: ComposerState, count: number): ComposerState {
	let joined = composer;
	for (let line = 1; line < Math.max(2, count); line++) {
		const text = textOf(joined);
		const end = lineEnd(text, joined.caret);
		if (end === text.length) {
			break;
		}

		const next = firstInLine(text, end + 1);
		const isApart = end > lineStart(text, end) && next < text.length && text.charAt(next) !== '\n';
		joined = moveTo(replace(joined, end, next, isApart ? ' ' : ''), end);
	}

	return joined;
}

import {boundaryFrom, nextBoundary, previousBoundary} from '../graphemes.ts';
import type {Text} from '../long-text.ts';
import {lineEnd, lineStart} from '../motion.ts';
import type {Find} from './vim-state.ts';
import {classAt, firstInLine, nextWord, previousWord, wordEnd} from './vim-words.ts';

/** Where a motion ends, and which text an operator acts on: up to there, with the character there, or whole lines. */
export type Moved = {readonly to: number; readonly extent: 'exclusive' | 'inclusive' | 'lines'};

export type Motion = {
	readonly name: string;
	/** How often, at least 1; undefined if none was typed. */
	readonly count: number | undefined;
	/** What `f`, `t` and others search. */
	readonly find?: Find | undefined;
	/** True for `w` of an operator, which stays in its line. */
	readonly isOperand?: boolean;
};

type Step = (text: Text, from: number) => number;

/** Motions that are repeated `count` times. */
const steps: Readonly<Record<string, {readonly step: Step; readonly extent: Moved['extent']}>> = {
	h: {step: (text, from) => Math.max(lineStart(text, from), previousBoundary(text, from)), extent: 'exclusive'},
	l: {step: (text, from) => Math.min(lineEnd(text, from), nextBoundary(text, from)), extent: 'exclusive'},
	w: {step: (text, from) => nextWord(text, from, false), extent: 'exclusive'},
	W: {step: (text, from) => nextWord(text, from, true), extent: 'exclusive'},
	b: {step: (text, from) => previousWord(text, from, false), extent: 'exclusive'},
	B: {step: (text, from) => previousWord(text, from, true), extent: 'exclusive'},
	e: {step: (text, from) => wordEnd(text, from, false), extent: 'inclusive'},
	E: {step: (text, from) => wordEnd(text, from, true), extent: 'inclusive'},
	j: {step: (text, from) => verticalStep(text, from, 1), extent: 'lines'},
	k: {step: (text, from) => verticalStep(text, from, -1), extent: 'lines'},
	'{': {step: (text, from) => paragraph(text, from, -1), extent: 'exclusive'},
	'}': {step: (text, from) => paragraph(text, from, 1), extent: 'exclusive'},
};

export const motionNames: readonly string[] = [...Object.keys(steps), '0', '^', '$', '_', 'gg', 'G'];

/** Returns where a motion leads. It never throws, and ends at a boundary of graphemes. Undefined if it leads nowhere. */
export function move(text: Text, from: number, {name, count, find, isOperand}: Motion): Moved | undefined {
	const step = steps[name];
	if (step) {
		const to = repeated(text, from, step.step, count ?? 1);
		const stays = isOperand && /^[wW]$/.test(name) && text.slice(from, to).includes('\n');
		return {to: stays ? Math.max(from, lineEnd(text, lastLineBefore(text, from, to))) : to, extent: step.extent};
	}

	switch (name) {
		case '0':
			return {to: lineStart(text, from), extent: 'exclusive'};
		case '^':
		case '_':
			return {to: firstInLine(text, from), extent: 'exclusive'};
		case '$':
			return {
				to: lineEnd(
					text,
					repeated(text, from, (all, at) => verticalStep(all, at, 1), (count ?? 1) - 1),
				),
				extent: 'exclusive',
			};
		case 'gg':
			return {to: firstInLine(text, lineNumbered(text, count ?? 1)), extent: 'lines'};
		case 'G':
			return {to: firstInLine(text, lineNumbered(text, count ?? Number.POSITIVE_INFINITY)), extent: 'lines'};
		default:
			return find && found(text, from, find, count ?? 1);
	}
}

/** Repeats a step, but not once it no longer leads anywhere. */
function repeated(text: Text, from: number, step: Step, count: number): number {
	let at = from;
	for (let done = 0; done < count; done++) {
		const next = step(text, at);
		if (next === at) {
			break;
		}

		at = next;
	}

	return at;
}

/** Returns the line in which `w` of an operator ends: the last one that it doesn't only enter. */
function lastLineBefore(text: Text, from: number, to: number): number {
	const before = text.slice(from, to).trimEnd();
	return from + Math.max(0, before.length - 1);
}

function verticalStep(text: Text, from: number, by: -1 | 1): number {
	const start = lineStart(text, from);
	const other = by === 1 ? lineEnd(text, from) + 1 : start - 1;
	if (other < 0 || other > text.length) {
		return from;
	}

	const line = lineStart(text, other);
	return boundaryFrom(text, Math.min(line + (from - start), lineEnd(text, line)));
}

/** Returns the next empty line in this direction, or the end of the text. */
function paragraph(text: Text, from: number, by: -1 | 1): number {
	let at = lineStart(text, from);
	const isEmpty = (line: number) => lineEnd(text, line) === line;
	let hasText = !isEmpty(at);
	for (;;) {
		const next = by === 1 ? lineEnd(text, at) + 1 : lineStart(text, Math.max(0, at - 1));
		if (next > text.length || (by === -1 && at === 0)) {
			return by === 1 ? text.length : 0;
		}

		at = next;
		if (isEmpty(at) && hasText) {
			return at;
		}

		hasText ||= !isEmpty(at);
	}
}

function lineNumbered(text: Text, number: number): number {
	let at = 0;
	for (let line = 1; line < number; line++) {
		const end = lineEnd(text, at);
		if (end === text.length) {
			break;
		}

		at = end + 1;
	}

	return at;
}

function found(text: Text, from: number, {kind, character}: Find, count: number): Moved | undefined {
	const isForward = kind === 'f' || kind === 't';
	const start = lineStart(text, from);
	const end = lineEnd(text, from);
	let at = from;
	for (let done = 0; done < count; done++) {
		do {
			at = isForward ? nextBoundary(text, at) : previousBoundary(text, at);
			if (at >= end || at < start || (at === start && !isForward && !isAt(text, at, character))) {
				return undefined;
			}
		} while (!isAt(text, at, character));
	}

	const isBefore = kind === 't' || kind === 'T';
	const to = isBefore ? (isForward ? previousBoundary(text, at) : nextBoundary(text, at)) : at;
	return {to, extent: isForward ? 'inclusive' : 'exclusive'};
}

function isAt(text: Text, offset: number, character: string): boolean {
	return classAt(text, offset, true) !== 'end' && text.slice(offset, nextBoundary(text, offset)) === character;
}

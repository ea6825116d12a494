import {isUtf8} from 'node:buffer';
import type {TracedLine} from './trace-lines.ts';

export type HunkLine = {
	readonly sign: ' ' | '+' | '-';
	/** Without LF. */
	readonly text: string;
	/** False for a last line that has no LF. */
	readonly hasEnd: boolean;
	/** The number of the line in the file now; of a removed one, where it was. */
	readonly number: number;
	/** True for a line that the user added since; it isn't a part of the change. */
	readonly isUsers: boolean;
};

/** Neighbouring changes of the agent, with lines around them. */
export type Hunk = {
	readonly lines: readonly HunkLine[];
	readonly oldStart: number;
	readonly newStart: number;
	/** The traced lines that it covers: from `start`, before `end`. */
	readonly start: number;
	readonly end: number;
};

/** Lines around each change. */
const context = 3;

/** Returns the text of a line that has a character for each byte. */
export type LineDecoder = (line: string) => string;

const decodeUtf8: LineDecoder = line => Buffer.from(line, 'latin1').toString('utf8');

/** Returns what decodes the lines of a text, which has a character for each byte: its own encoding where that is certain. */
export async function lineDecoder(text: string): Promise<LineDecoder> {
	const bytes = Buffer.from(text, 'latin1');
	if (isUtf8(bytes)) {
		return decodeUtf8;
	}

	const {decodeLegacy} = await import('../tools/files/legacy-encoding.ts');
	const legacy = decodeLegacy(bytes);
	return 'text' in legacy ? line => legacy.decode(Buffer.from(line, 'latin1')) : decodeUtf8;
}

/**
 * Returns the changes of the agent. The lines of the user are lines like all others. `decode` reads the lines that were removed,
 * and those that are there.
 */
export function hunksOf(
	traced: readonly TracedLine[],
	decode: {readonly old: LineDecoder; readonly now: LineDecoder} = {old: decodeUtf8, now: decodeUtf8},
): readonly Hunk[] {
	const hunks: Hunk[] = [];
	const numbered = numberLines(traced, decode);
	for (const {start, end} of rangesOf(traced)) {
		const lines = numbered.slice(start, end).filter(line => line !== undefined);
		const [first] = lines;
		if (first) {
			const {old, now} = first;
			hunks.push({lines: lines.map(({line}) => line), oldStart: old, newStart: now, start, end});
		}
	}

	return hunks;
}

/** Returns the text without these changes of the agent, and with all others. Only its last line may be without a line end. */
export function withoutHunks(traced: readonly TracedLine[], hunks: readonly Pick<Hunk, 'start' | 'end'>[]): string {
	return traced
		.filter(({state, by}, index) => {
			const isTakenBack = by === 'agent' && hunks.some(({start, end}) => index >= start && index < end);
			return state === 'kept' || (state === 'added') !== isTakenBack;
		})
		.map(({text}, index, left) => (text.endsWith('\n') || index === left.length - 1 ? text : `${text}\n`))
		.join('');
}

/** Counts the lines that the agent added and removed. */
export function countLines(traced: readonly TracedLine[]) {
	const count = (wanted: TracedLine['state']) =>
		traced.filter(({state, by}) => state === wanted && by === 'agent').length;
	return {added: count('added'), removed: count('removed')};
}

/** Numbers the lines before and after the change, and decodes them: a traced character is a byte. Lines that the user removed are in neither. */
function numberLines(traced: readonly TracedLine[], decode: {readonly old: LineDecoder; readonly now: LineDecoder}) {
	let [old, now] = [1, 1];
	return traced.map(({text, state, by}) => {
		if (state === 'removed' && by === 'user') {
			return undefined;
		}

		const at = {old, now};
		const sign = by === 'user' || state === 'kept' ? ' ' : state === 'added' ? '+' : '-';
		old += sign === '+' ? 0 : 1;
		now += sign === '-' ? 0 : 1;
		const isUsers = state === 'added' && by === 'user';
		const hasEnd = text.endsWith('\n');
		const shown = (sign === '-' ? decode.old : decode.now)(hasEnd ? text.slice(0, -1) : text);
		const line: HunkLine = {sign, text: shown, hasEnd, number: sign === '-' ? at.old : at.now, isUsers};
		return {...at, line};
	});
}

/** Returns where the hunks are. Changes that are closer than their context are in one. */
function rangesOf(traced: readonly TracedLine[]): readonly {readonly start: number; readonly end: number}[] {
	const ranges: {start: number; end: number}[] = [];
	for (const [index, {state, by}] of traced.entries()) {
		if (state === 'kept' || by === 'user') {
			continue;
		}

		const last = ranges.at(-1);
		const [start, end] = [Math.max(0, index - context), Math.min(traced.length, index + 1 + context)];
		if (last && start <= last.end) {
			last.end = end;
		} else {
			ranges.push({start, end});
		}
	}

	return ranges;
}

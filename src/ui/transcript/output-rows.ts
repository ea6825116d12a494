import {formatAmount, formatBytes} from '../../core/format.ts';
import {type FrameKind, foldText} from '../../core/stack-trace/frame-kind.ts';
import {createStackReader} from '../../core/stack-trace/stack-reader.ts';
import {breakJson, isJson} from '../../terminal/text/json-lines.ts';
import {withoutSgr} from '../../terminal/text/sgr.ts';

/** A row of an output: lines of it, or what stands for them. */
export type OutputRow = {
	/** What is drawn: a line as it was received, a line of JSON, or how much is folded. */
	readonly text: string;
	readonly kind: 'text' | 'json' | 'fold' | FrameKind;
	/** The first of the lines that it stands for, and how many these are; 0 for a further row of the same line. */
	readonly from: number;
	readonly lines: number;
	/** The first line of the value in JSON that it is part of; otherwise its own. */
	readonly block: number;
};

type Options = {
	/** Cells of a row. */
	readonly width: number;
	/** Most rows of a value in JSON; its other lines are counted. */
	readonly jsonRows: number;
	/** True to fold frames of libraries and of the runtime. */
	readonly folds: boolean;
};

/** Longer values in JSON are not checked, but drawn as such if they begin so, in UTF-16 units. */
const maxChecked = 64 * 1024;
/** Most places where JSON seems to begin, but doesn't: each of them costs a look at all lines below. */
const maxTries = 20;

/** Returns the rows of an output: values in JSON on indented lines, frames of libraries folded. Pure. */
export function outputRows(lines: readonly string[], options: Options): readonly OutputRow[] {
	const rows: OutputRow[] = [];
	/** The lines with which a frame begins. */
	const begins = new Set<number>();
	const readStack = createStackReader();
	// A value in JSON gets our own colours, so that one with colours looks the same.
	const plain = lines.map(withoutSgr);
	let tries = 0;
	for (let from = 0; from < lines.length; from++) {
		const line = lines[from] ?? '';
		const end = tries < maxTries ? endOfJson(plain, from) : from;
		tries += end === from && opens(plain[from] ?? '') ? 1 : 0;
		if (end > from) {
			rows.push(...jsonRows(plain.slice(from, end), from, options));
			from = end - 1;
			continue;
		}

		const {kind, begins: isFirst, takesBefore} = readStack(line);
		if (isFirst) {
			begins.add(from);
		}

		const before = rows.at(-1);
		if (takesBefore && before?.kind === 'own') {
			rows[rows.length - 1] = {...before, kind: 'minor'};
		}

		rows.push({text: line, kind: kind ?? 'text', from, lines: 1, block: from});
	}

	return options.folds ? foldFrames(rows, begins) : rows;
}

/** True for a line with which a value in JSON on several lines begins. */
function opens(line: string): boolean {
	return line.length < 1000 && /^\s*[[{](?:.*[[{,])?\s*$/.test(line);
}

/** Returns the index behind the value in JSON that begins in a line; the same index if none does. */
function endOfJson(lines: readonly string[], from: number): number {
	const line = lines[from] ?? '';
	const [, margin] = /^(\s*)[[{]/.exec(line.slice(0, 200)) ?? [];
	if (margin === undefined) {
		return from;
	}

	const isWhole = line.length > maxChecked ? /^\s*(?:\{\s*"|\[\s*[[{"\d])/.test(line.slice(0, 200)) : isJson(line);
	if (isWhole || !opens(line)) {
		return isWhole ? from + 1 : from;
	}

	let size = line.length;
	for (let end = from + 1; end < lines.length && size < maxChecked; end++) {
		const next = lines[end] ?? '';
		size += next.length;
		if (next.startsWith(margin) && /^[\]}]\s*$/.test(next.slice(margin.length))) {
			return isJson(lines.slice(from, end + 1).join('\n')) ? end + 1 : from;
		}
	}

	return from;
}

/** Returns the rows of a value: its own lines if it has several or fits into one. */
function jsonRows(lines: readonly string[], from: number, options: Options): readonly OutputRow[] {
	const [line = ''] = lines;
	if (lines.length === 1 && line.length > options.width) {
		return brokenRows(line, from, options);
	}

	const row = (text: string, index: number): OutputRow => ({
		text,
		kind: 'json',
		from: from + index,
		lines: 1,
		block: from,
	});
	const more = lines.length - options.jsonRows;
	if (more <= 1) {
		return lines.map(row);
	}

	const fold = {text: moreText(more), kind: 'fold', from: from + options.jsonRows, lines: more, block: from} as const;
	return [...lines.slice(0, options.jsonRows).map(row), fold];
}

/** Returns the rows of a value that came in one line and is broken into several. */
function brokenRows(line: string, from: number, {width, jsonRows: maxLines}: Options): readonly OutputRow[] {
	const {lines, more} = breakJson(line.slice(0, maxChecked), {width, maxLines});
	const rows = lines.map(
		(text, index): OutputRow => ({text, kind: 'json', from, lines: index === 0 ? 1 : 0, block: from}),
	);
	const isCut = line.length > maxChecked;
	return more > 0 || isCut
		? [...rows, {text: isCut ? cutText(line) : moreText(more), kind: 'fold', from, lines: 0, block: from}]
		: rows;
}

function moreText(lines: number): string {
	return `… ${formatAmount(lines, 'more line')}`;
}

function cutText({length}: string): string {
	return `… cut (${formatBytes(length)} in total)`;
}

/** Returns the rows with one for each run of frames that are not of the program at work. A single row stays. */
function foldFrames(rows: readonly OutputRow[], begins: ReadonlySet<number>): readonly OutputRow[] {
	const folded: OutputRow[] = [];
	for (let start = 0; start < rows.length; start++) {
		const first = rows[start];
		let end = start;
		let frames = 0;
		for (; rows[end]?.kind === 'minor'; end++) {
			frames += begins.has(rows[end]?.from ?? 0) ? 1 : 0;
		}

		if (first && end - start > 1) {
			folded.push({
				text: foldText(Math.max(1, frames)),
				kind: 'fold',
				from: first.from,
				lines: end - start,
				block: first.from,
			});
			start = end - 1;
		} else if (first) {
			folded.push(first);
		}
	}

	return folded;
}

import {diffArrays} from 'diff';
import {formatAmount, formatNumber} from '../../core/format.ts';
import type {FileChange} from '../../core/session/event.ts';
import {countBlanks} from '../../terminal/text/blanks.ts';
import type {SubjectDrawing} from '../../terminal/text/drawing.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {type DiffSyntax, diffSyntax, markParts} from './diff-syntax.ts';

type Style = {readonly width: number; readonly palette: Palette};

type DiffLine = {
	/** `@` stands between two places of the file. */
	readonly sign: ' ' | '+' | '-' | '@' | '\\';
	/** The number of the line in the new file; of a removed one, in the old file. */
	readonly number: number | undefined;
	readonly text: string;
	/** The line that was removed or added in its place. */
	readonly counterpart?: string | undefined;
};

/** Longer lines are cut: minified code would fill the screen. */
const maxLineLength = 2000;

/** Most rows of a change below its call. */
const maxChangedRows = 10;

/** Returns how a change is drawn. */
export function drawingOf(change: FileChange): SubjectDrawing {
	const lines = parse(change.diff);
	return {
		title: style => changeTitle(change, style),
		window: style => windowOf(lines, {...style, isWhole: true, syntax: syntaxOf(change, lines, style.palette)}),
		rows: (width, maxLines) => rowsOf(lines, width, maxLines),
	};
}

/** Returns the counts of a change, such as `+3 −1`. */
export function changeCounts({added, removed}: FileChange): string {
	return `+${formatNumber(added)} −${formatNumber(removed)}`;
}

/** Returns the first lines of a change that a tool has written, for the conversation. */
export function changedLines(change: FileChange, {width, palette}: Style): readonly string[] {
	const lines = parse(change.diff);
	const syntax = syntaxOf(change, lines, palette);
	const {shown, leftOut} = windowOf(lines, {width, palette, rows: maxChangedRows, isCut: true, syntax});
	return leftOut > 0 ? [...shown, palette.dim(truncate(`  … ${formatAmount(leftOut, 'more line')}`, width))] : shown;
}

/** Returns all lines of a change, as far as they fit. */
export function allChangedLines(change: FileChange, style: Style & {readonly rows: number}): readonly string[] {
	const lines = parse(change.diff);
	return windowOf(lines, {...style, syntax: syntaxOf(change, lines, style.palette)}).shown;
}

function syntaxOf(change: FileChange, lines: readonly DiffLine[], palette: Palette): DiffSyntax | undefined {
	const safe = () => lines.map(({sign, text}) => ({sign, text: shownText(text)}));
	return diffSyntax(change, safe, palette);
}

function changeTitle(change: FileChange, {width, palette}: Style): string {
	const counts = ` · ${changeCounts(change)}`;
	const path = truncate(safeLine(change.path), Math.max(1, width - lineWidth(counts)));
	return truncate(palette.label(path) + palette.dim(counts), width);
}

type WindowStyle = Style & {
	readonly rows: number;
	/** The first line of the diff that is shown. */
	readonly offset?: number;
	/** True to cut long lines instead of wrapping them. */
	readonly isCut?: boolean;
	/** True to wrap lines of any length: a question leaves nothing out. */
	readonly isWhole?: boolean;
	readonly syntax?: DiffSyntax | undefined;
};

/** Returns the lines of a diff that fit, and how many are left out. One row is kept free for telling that. */
function windowOf(
	lines: readonly DiffLine[],
	{rows, offset = 0, ...style}: WindowStyle,
): {readonly shown: readonly string[]; readonly leftOut: number} {
	const shown: string[] = [];
	let index = offset;
	for (; index < lines.length; index++) {
		const drawn = drawLine(lines[index], gutterOf(lines), {...style, colored: style.syntax?.(index)});
		const isLast = index === lines.length - 1;
		const room = rows - shown.length - (isLast && offset === 0 ? 0 : 1);
		if (drawn.length > room) {
			// A line that is taller than the window is better than none.
			shown.push(...(shown.length === 0 ? drawn.slice(0, Math.max(1, rows - 1)) : []));
			break;
		}

		shown.push(...drawn);
	}

	return {shown, leftOut: lines.length - (index - offset)};
}

/** Returns the rows that the first lines of a diff need. */
function rowsOf(lines: readonly DiffLine[], width: number, maxLines: number): number {
	const gutter = gutterOf(lines);
	return lines
		.slice(0, maxLines)
		.reduce((rows, line) => rows + wrapped(line, gutter, {width, isWhole: true}).length, 0);
}

/** Reads the hunks of a unified diff. The first `@@` line is left out: there is nothing before it. */
function parse(diff: string): readonly DiffLine[] {
	const lines: DiffLine[] = [];
	let [old, now] = [1, 1];
	for (const line of diff.split('\n')) {
		const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
		if (oldStart && newStart) {
			[old, now] = [Number(oldStart), Number(newStart)];
			if (lines.length > 0) {
				lines.push({sign: '@', number: undefined, text: ''});
			}

			continue;
		}

		const text = line.slice(1);
		switch (line[0]) {
			case '+':
				lines.push({sign: '+', number: now++, text});
				break;
			case '-':
				lines.push({sign: '-', number: old++, text});
				break;
			case '\\':
				lines.push({sign: '\\', number: undefined, text});
				break;
			case ' ':
				lines.push({sign: ' ', number: now++, text});
				old++;
				break;
			default:
		}
	}

	return paired(lines);
}

/** Connects removed lines with the added ones that directly follow them, one by one. */
function paired(lines: readonly DiffLine[]): readonly DiffLine[] {
	const result = [...lines];
	const run = (start: number, sign: string) => {
		let end = start;
		while (lines[end]?.sign === sign) {
			end++;
		}

		return end;
	};
	for (let start = 0; start < lines.length; start++) {
		const middle = run(start, '-');
		const end = run(middle, '+');
		for (let index = 0; index < Math.min(middle - start, end - middle); index++) {
			const [old, now] = [lines[start + index], lines[middle + index]];
			if (old && now) {
				result[start + index] = {...old, counterpart: now.text};
				result[middle + index] = {...now, counterpart: old.text};
			}
		}

		start = Math.max(start, middle - 1);
	}

	return result;
}

function gutterOf(lines: readonly DiffLine[]): number {
	const numbers = [lines.at(-1)?.number ?? lines.at(-2)?.number ?? 1, lines[0]?.number ?? 1];
	return String(Math.max(...numbers)).length + 1;
}

/** `colored` is the line in the colours of its language. */
type LineStyle = Omit<WindowStyle, 'rows'> & {readonly colored?: string | undefined};

function drawLine(line: DiffLine | undefined, gutter: number, style: LineStyle) {
	if (!line) {
		return [];
	}

	const {width, palette, isCut} = style;
	const role = {'+': palette.added, '-': palette.removed, ' ': palette.dim, '@': palette.dim, '\\': palette.dim}[
		line.sign
	];
	const rows = wrapped(line, gutter, style);
	const shown = isCut && rows.length > 1 ? [truncate(`${rows[0]}…`, width)] : rows;
	return shown.map(row => role(row));
}

/** Most blanks side by side in code, where they indent it and align its comments. */
const maxBlanks = {before: 80, between: 40};

function shownText(text: string): string {
	return safeText(countBlanks(text, maxBlanks));
}

/** Returns a line with its number and sign, wrapped at the width. */
function wrapped(
	line: DiffLine,
	gutter: number,
	{width, palette, isWhole = false, colored}: Omit<LineStyle, 'palette'> & {readonly palette?: Palette},
): readonly string[] {
	const {sign, number, text} = line;
	if (sign === '@') {
		return [truncate(`${' '.repeat(gutter)} ⋯`, width)];
	}

	const length = isWhole ? text.length : maxLineLength;
	const rest = text.length > length ? `… [${formatNumber(text.length - length)} more characters]` : '';
	const first = `${String(number ?? '').padStart(gutter)} ${sign} `;
	const marked = palette?.color ? (markedText(line, palette, colored) ?? colored) : undefined;
	return wrapLine((marked ?? shownText(text.slice(0, length))) + rest, width, {
		first,
		rest: ' '.repeat(lineWidth(first)),
		hard: true,
	});
}

/** Returns a line with marks on the words that its counterpart doesn't have; undefined if there are none to mark. */
function markedText({sign, text, counterpart}: DiffLine, palette: Palette, colored?: string): string | undefined {
	if (counterpart === undefined) {
		return undefined;
	}

	const pair = sign === '-' ? markWords(text, counterpart) : markWords(counterpart, text);
	const parts = sign === '-' ? pair?.removed : pair?.added;
	const shown = parts?.map(part => ({...part, text: shownText(part.text)}));
	// In a line in the colours of its language, a mark has that of what is added: that of a word says something else.
	const mark = (part: string) => palette.added(palette.mark(part));
	return (
		(shown && colored && markParts(colored, shown, mark)) ??
		shown?.map(part => (part.isChanged ? palette.mark(part.text) : part.text)).join('')
	);
}

/** A part of a line; `isChanged` if the other line of its pair doesn't have it. */
type Part = {readonly text: string; readonly isChanged: boolean};

/** A removed line and the one in its place, in parts. */
type MarkedPair = {readonly removed: readonly Part[]; readonly added: readonly Part[]};

/** Longer lines are not compared. */
const maxLength = 1000;
/** More differences are not sought. */
const maxEdits = 40;
/** The least share of a line that stays the same: marks on nearly everything would say nothing. */
const minSame = 0.4;

/** Returns which words of two lines differ; undefined if hardly any is the same. */
function markWords(removed: string, added: string): MarkedPair | undefined {
	if (Math.max(removed.length, added.length) > maxLength) {
		return undefined;
	}

	const changes = diffArrays(wordsOf(removed), wordsOf(added), {maxEditLength: maxEdits});
	const parts = changes?.map(change => ({...change, text: change.value.join('')}));
	const same = parts?.filter(part => !part.added && !part.removed).map(({text}) => text.trim()) ?? [];
	const sameLength = same.reduce((sum, {length}) => sum + length, 0);
	if (!parts || sameLength < minSame * Math.max(removed.trim().length, added.trim().length)) {
		return undefined;
	}

	return {
		removed: parts.filter(part => !part.added).map(({text, removed: isChanged}) => ({text, isChanged})),
		added: parts.filter(part => !part.removed).map(({text, added: isChanged}) => ({text, isChanged})),
	};
}

/** Splits a line into words, runs of white space and single signs. */
function wordsOf(line: string): string[] {
	return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu) ?? [];
}

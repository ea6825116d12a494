import {cutText} from '../../core/cut-text.ts';
import type {RecordedOutput} from '../../core/output/recorded-output.ts';
import {readStyles, sliceStyled} from '../../core/output/text-styles.ts';
import {jsonSpans} from '../../terminal/text/json-lines.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {codesOf, paint, parseSgr, type StyledSpan, withoutSgr, withStyles} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {type OutputRow, outputRows} from './output-rows.ts';

/** Most characters of an output that are read, from its end. */
const maxRead = 192 * 1024;
/** Most characters of a line that are drawn, and that are read if it has colours. */
const maxLineLength = 1000;
const maxStyledLength = 16 * 1024;

/** Returns the last line of the output of a running tool that isn't blank, with its own colours; empty for none. */
export function lastLine(block: RecordedOutput, palette: Palette): string {
	const output = drawnOutput(block, Math.max(0, block.output.length - 4 * maxLineLength));
	return drawOutput(linesOf(output).findLast(line => withoutSgr(line).trim()) ?? '', palette);
}

/** Rows of an output, and how many lines it has that they don't stand for. */
type Excerpt = {readonly rows: readonly OutputRow[]; readonly leftOut: number};

/** Most rows of an output below its call, if it failed and if it didn't. */
const maxRows = {failed: 6, done: 3} as const;

/** What test runners, compilers and shells write in a line that says what failed. */
const failing =
	/^\s*(?:✗|✖|×|✘|not ok\b|E\s{2,})|\b(?:FAIL(?:ED|URE)?|fail(?:ed|ing|ure|ures)?|errors?|Error|panic(?:ked)?|exception|Traceback|fatal|cannot|not found|undefined reference|expected)\b|\b[A-Z]\w*(?:Error|Exception)\b/;
/** Counts of nothing, such as `0 failed` and `errors: 0`. */
const nothingFailed = /\b(?:0|no) (?:\w+ )?(?:fail\w*|errors?)\b|\b(?:fail\w*|errors?)\b:?\s+0\b/i;

/**
 * Returns the rows that matter of the output of a command, in order: those that say what failed, the program's own frames
 * and the last row; or the last rows if none says that. A value in JSON at the end is shown from its beginning.
 */
export function excerptOf(output: string, isFailed: boolean, width: number): Excerpt {
	const most = maxRows[isFailed ? 'failed' : 'done'];
	const lines = linesOf(output.slice(-maxRead)).filter(line => withoutSgr(line).trim() !== '');
	const all = outputRows(lines, {width, jsonRows: most, folds: true});
	const failed = isFailed ? failedRows(all, most) : [];
	const rows = failed.length > 0 ? failed : lastRows(all, most);
	const leftOut = lines.length - linesFor(rows);
	// A line takes no more room than the note that it is left out.
	return leftOut === 1 && lines.length === linesFor(all) ? {rows: all, leftOut: 0} : {rows, leftOut};
}

function linesFor(rows: readonly OutputRow[]): number {
	return rows.reduce((sum, row) => sum + row.lines, 0);
}

/** Returns the rows that say what failed and the last one, then as many frames and folds as fit; none if no row says it. */
function failedRows(all: readonly OutputRow[], most: number): readonly OutputRow[] {
	const last = all.at(-1);
	const fails = all.filter(row => row !== last && row.kind === 'text' && isFailing(row.text)).slice(0, most - 1);
	if (fails.length === 0 && (last?.kind !== 'text' || !isFailing(last.text))) {
		return [];
	}

	const frames = all.filter(({kind}) => kind === 'own' || kind === 'minor' || kind === 'fold');
	const others = frames.filter(row => row !== last).slice(0, most - 1 - fails.length);
	const chosen = new Set([...fails, ...others, last]);
	return all.filter(row => chosen.has(row));
}

function lastRows(all: readonly OutputRow[], most: number): readonly OutputRow[] {
	const end = all.at(-1)?.block;
	return all.slice(
		Math.max(
			0,
			Math.min(
				all.length - most,
				all.findIndex(({block}) => block === end),
			),
		),
	);
}

function isFailing(line: string): boolean {
	const text = withoutSgr(line).slice(0, maxLineLength);
	return failing.test(text) && !nothingFailed.test(text);
}

/** Returns a row of an output, drawn by us: with the colours of a line or of JSON, or dim. */
export function drawRow({text, kind}: OutputRow, palette: Palette): string {
	switch (kind) {
		case 'json':
			return paint(jsonSpans(cutLine(text), palette), palette).replaceAll('\t', ' ');
		case 'own':
			return text.includes('\u001B[') ? drawOutput(text, palette) : safeLine(cutLine(indented(text)));
		case 'minor':
			return drawOutput(indented(text), palette);
		default:
			return drawOutput(text, palette);
	}
}

/**
 * Returns an output in full, line by line: values in JSON indented and coloured, frames of libraries dimmed. Lines that
 * are wider than the window are longer.
 */
export function wholeOutput(output: string, width: number, palette: Palette): readonly string[] {
	const lines = output.split('\n');
	const painted = paint(parseSgr(output), palette).split('\n');
	return outputRows(lines, {width, jsonRows: Number.POSITIVE_INFINITY, folds: false}).map(({kind, from, text}) =>
		kind === 'json'
			? paint(jsonSpans(text, palette), palette)
			: kind === 'minor'
				? palette.dim(painted[from] ?? '')
				: (painted[from] ?? ''),
	);
}

/** Returns a line of output with its own colours, drawn by us; what has none is dim. */
export function drawOutput(line: string, palette: Palette): string {
	if (!line.includes('\u001B[')) {
		return palette.dim(safeLine(cutLine(line)));
	}

	const spans: StyledSpan[] = [];
	let room = maxLineLength;
	for (const {text, style} of parseSgr(line.slice(0, maxStyledLength))) {
		const isWhole = text.length <= room;
		spans.push({text: isWhole ? text : cutText(text, room), style, roles: codesOf(style) ? [] : [palette.dim]});
		room -= text.length;
		if (!isWhole) {
			break;
		}
	}

	return paint(spans, palette).replaceAll('\n', '\u240A').replaceAll('\t', ' ');
}

/** Java and Go indent frames by a tab. */
function indented(frame: string): string {
	return frame.replace(/^\t/, '    ');
}

function cutLine(line: string): string {
	return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}

/** Splits an output into lines. Of a line that was written over itself, such as a progress bar, the last text counts. */
export function linesOf(output: string): readonly string[] {
	return output.split('\n').map(line => {
		const text = line.replace(/\r+$/, '');
		return text.slice(text.lastIndexOf('\r') + 1);
	});
}

/** Returns an output from `from` on with its styles as SGR sequences. Each line ends without one. */
export function drawnOutput({output, styles}: RecordedOutput, from = 0): string {
	return styles === undefined
		? output.slice(from)
		: withStyles(sliceStyled({text: output, styles: readStyles(styles)}, from));
}

/** Returns the last lines of an output with its styles, without line ends behind them. */
export function lastLines({output, styles}: RecordedOutput, count: number): string {
	let end = output.length;
	while (output[end - 1] === '\n') {
		end--;
	}

	let from = end;
	for (let line = 0; line < count && from >= 0; line++) {
		from = from === 0 ? -1 : output.lastIndexOf('\n', from - 1);
	}

	return drawnOutput({output: output.slice(0, end), styles}, from + 1);
}

import {safeLine} from '../../terminal/text/safe-text.ts';
import {paint, parseSgr} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';

/** Most characters of an output that are read, from its end. */
const maxRead = 64 * 1024;
/** Most characters of a line that are drawn. */
const maxLineLength = 1000;

/** Returns the last line of the output of a running tool that isn't blank, with its own colours; empty for none. */
export function lastLine(output: string, palette: Palette): string {
	return drawOutput(linesOf(output.slice(-4 * maxLineLength)).findLast(line => plain(line).trim()) ?? '', palette);
}

/** Lines of an output, and how many others it has. */
type Excerpt = {readonly lines: readonly string[]; readonly leftOut: number};

/** Most lines of an output below its call, if it failed and if it didn't. */
const maxLines = {failed: 6, done: 3} as const;

/** What test runners, compilers and shells write in a line that says what failed. */
const failing =
	/^\s*(?:✗|✖|×|✘|not ok\b|E\s{2,})|\b(?:FAIL(?:ED|URE)?|fail(?:ed|ing|ure|ures)?|errors?|Error|panic(?:ked)?|exception|Traceback|fatal|cannot|not found|undefined reference|expected)\b|\b[A-Z]\w*(?:Error|Exception)\b/;
/** Counts of nothing, such as `0 failed` and `errors: 0`. */
const nothingFailed = /\b(?:0|no) (?:\w+ )?(?:fail\w*|errors?)\b|\b(?:fail\w*|errors?)\b:?\s+0\b/i;

/**
 * Returns the lines that matter of the output of a command, in order: those that say what failed and the last one, or the
 * last ones if none does.
 */
export function excerptOf(output: string, isFailed: boolean): Excerpt {
	const all = linesOf(output.slice(-maxRead)).filter(line => plain(line).trim() !== '');
	const most = maxLines[isFailed ? 'failed' : 'done'];
	const fails = isFailed ? all.filter(isFailing) : [];
	const last = all.slice(-1);
	const lines =
		fails.length === 0 ? all.slice(-most) : [...fails.filter(line => line !== last[0]).slice(0, most - 1), ...last];
	return {lines, leftOut: all.length - lines.length};
}

function isFailing(line: string): boolean {
	const text = plain(line).slice(0, maxLineLength);
	return failing.test(text) && !nothingFailed.test(text);
}

/** Returns a line of output with its own colours, drawn by us; dim if it has none. */
export function drawOutput(line: string, palette: Palette): string {
	const cut = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
	return cut.includes('\u001B[')
		? paint(parseSgr(cut), palette).replaceAll('\n', '\u240A').replaceAll('\t', ' ')
		: palette.dim(safeLine(cut));
}

/** Splits an output into lines. Of a line that was written over itself, such as a progress bar, the last text counts. */
function linesOf(output: string): readonly string[] {
	return output.split('\n').map(line => {
		const text = line.replace(/\r+$/, '');
		return text.slice(text.lastIndexOf('\r') + 1);
	});
}

function plain(line: string): string {
	return line.replace(/\u001B\[[0-9;:]*m/g, '');
}

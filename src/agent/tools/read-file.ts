import * as z from 'zod/mini';
import {redactKnownLines} from '../../core/redact.ts';
import type {Tool} from '../../core/tool.ts';
import {boundsOf} from './bounds.ts';
import {defineReadingTool, redactionNote} from './define-tool.ts';
import type {Places} from './protected-places.ts';
import {readText} from './read-text.ts';

const mostLines = 2000;
const mostCharacters = 256 * 1024;
/** Longer lines are cut: minified code and data would fill the context of the model. */
const longestLine = 2000;
/** A private key that begins this many lines before the first one, or ends behind the last one, is known for one. */
const longestKey = 300;

export function createReadFile(places: Places): Tool {
	return defineReadingTool({
		name: 'read_file',
		description:
			'Read a text file of the working folder. Each line is given as its number, a tab and its text. ' +
			`At most ${mostLines} lines at a time; use start_line and end_line for the others.`,
		arguments: z.strictObject({
			path: z.string().check(z.minLength(1), z.describe('Path of the file, relative to the working folder.')),
			start_line: z.optional(z.int().check(z.minimum(1), z.describe('First line to read, counted from 1.'))),
			end_line: z.optional(z.int().check(z.minimum(1), z.describe('Last line to read.'))),
		}),

		async run({path, start_line: start = 1, end_line: end = Number.POSITIVE_INFINITY}, {workspace, signal}) {
			const {text, shown} = await readText(path, await boundsOf(workspace, places), signal);
			const lines = splitLines(text);
			if (lines.length === 0) {
				return `[${shown} is empty]`;
			}

			if (start > lines.length || end < start) {
				return `[${shown} has ${lines.length} lines; there are none from ${start} to ${Math.min(end, lines.length)}]`;
			}

			const last = Math.min(end, lines.length, start + mostLines - 1);
			const {shownLines, next, isRedacted} = numbered(lines, start, last);
			const more = next <= Math.min(end, lines.length);
			const rest = more ? [`[lines ${start} to ${next - 1} of ${lines.length}; read on with start_line ${next}]`] : [];
			return [...shownLines, ...(isRedacted ? [redactionNote] : []), ...rest].join('\n');
		},
	});
}

/** Lines end in LF or CRLF; a line end at the very end begins no further line. */
function splitLines(text: string): readonly string[] {
	const lines = text.split(/\r?\n/);
	return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Lines as the model reads them, without credentials: what it reads goes to its vendor and into the journal (SAFETY 8). */
function numbered(lines: readonly string[], start: number, last: number) {
	const from = Math.max(0, start - 1 - longestKey);
	const near = lines.slice(from, last + longestKey).map(line => line.slice(0, 4 * longestLine));
	const safe = redactKnownLines(near);
	const shownLines: string[] = [];
	let isRedacted = false;
	let characters = 0;
	let next = start;
	for (; next <= last; next++) {
		const {length} = lines[next - 1] ?? '';
		const line = safe[next - 1 - from] ?? '';
		const cut =
			length > longestLine ? `${line.slice(0, longestLine)}… [${length - longestLine} more characters]` : line;
		characters += cut.length + 8;
		if (characters > mostCharacters) {
			break;
		}

		isRedacted ||= line !== near[next - 1 - from];
		shownLines.push(`${next}\t${cut}`);
	}

	return {shownLines, next, isRedacted};
}

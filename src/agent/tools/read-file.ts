import * as z from 'zod/mini';
import {cutText} from '../../core/cut-text.ts';
import {redactKnownLines} from '../../core/secrets/redact.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {Places} from '../policy/protected-places.ts';
import {askForSecrets} from '../policy/secret-guard.ts';
import {defineTool, redactionNote} from './define-tool.ts';
import {boundsOf} from './files/bounds.ts';
import {readText, splitLines} from './files/read-text.ts';

const mostLines = 2000;
/** Longer lines are cut: minified code and data would fill the context of the model. */
const longestLine = 2000;
/** A private key that begins this many lines before the first one, or ends behind the last one, is known for one. */
const longestKey = 300;

export function createReadFile(places: Places): Tool {
	return defineTool({
		name: 'read_file',
		description:
			'Read a text file of the working folder. Each line is given as its number, a tab and its text. ' +
			`At most ${mostLines} lines at a time; use offset and limit for the others.`,
		readOnly: true,
		readOn: leftOut => `Read on with offset ${/^\d+/.exec(leftOut)?.[0] ?? 'and limit'}.`,
		arguments: z.strictObject({
			path: z.string().check(z.minLength(1), z.describe('Path of the file, relative to the working folder.')),
			offset: z.optional(z.int().check(z.minimum(1), z.describe('First line to read, counted from 1.'))),
			limit: z.optional(z.int().check(z.minimum(1), z.describe('Number of lines to read.'))),
		}),

		async run({path, offset: start = 1, limit = mostLines}, context) {
			const {workspace, signal} = context;
			const {text, shown} = await readText(path, await boundsOf(workspace, places), signal, askForSecrets(context));
			const lines = splitLines(text);
			if (lines.length === 0) {
				return `[${shown} is empty]`;
			}

			if (start > lines.length) {
				return `[${shown} has ${lines.length} lines; there are none from ${start} on]`;
			}

			const last = Math.min(lines.length, start + Math.min(limit, mostLines) - 1);
			const {shownLines, isRedacted} = numbered(lines, start, last);
			// Who asked for so many lines knows that there may be more.
			const more = last < lines.length && limit >= mostLines;
			const rest = more ? [`[lines ${start} to ${last} of ${lines.length}; read on with offset ${last + 1}]`] : [];
			return [...shownLines, ...(isRedacted ? [redactionNote] : []), ...rest].join('\n');
		},
	});
}

/**
 * Lines as the model reads them, without credentials: what it reads goes to its vendor and into the journal (SAFETY 8).
 */
function numbered(lines: readonly string[], start: number, last: number) {
	const from = Math.max(0, start - 1 - longestKey);
	const near = lines.slice(from, last + longestKey).map(line => line.slice(0, 4 * longestLine));
	const safe = redactKnownLines(near);
	const shownLines = safe.slice(start - 1 - from, last - from).map((line, index) => {
		const {length} = lines[start - 1 + index] ?? '';
		const rest = length > longestLine ? `… [${length - longestLine} more characters]` : '';
		return `${start + index}\t${rest ? cutText(line, longestLine) : line}${rest}`;
	});
	const isRedacted = safe.some((line, index) => {
		const number = from + index + 1;
		return number >= start && number <= last && line !== near[index];
	});
	return {shownLines, isRedacted};
}

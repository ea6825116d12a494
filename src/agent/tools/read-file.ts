import * as z from 'zod/mini';
import {cutText} from '../../core/cut-text.ts';
import {redactKnownLines} from '../../core/secrets/redact.ts';
import type {Tool} from '../../core/session/tool.ts';
import {showImage} from '../images/show-image.ts';
import {pathText} from '../paths/path-text.ts';
import {boundsOf, openInside} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {askForSecrets} from '../policy/secret-guard.ts';
import {defineTool, redactionNote} from './define-tool.ts';
import {type FileText, linesBetween, readFileBytes, textOf} from './files/read-text.ts';
import description from './read-file.md';

const maxLines = 2000;
/** Longer lines are cut: minified code and data would fill the context window. */
const maxLineLength = 2000;
/** Lines around the shown ones in which a private key is still recognized. */
const maxKeyLines = 300;

/** Creates the tool. It also reads `outputFiles`, which are outside the working folder. */
export function createReadFile(places: Places, outputFiles?: ReadonlySet<string>): Tool {
	return defineTool({
		name: 'read_file',
		description,
		readOnly: true,
		readOn: leftOut => `Continue with offset ${/^\d+/.exec(leftOut)?.[0] ?? 'and limit'}.`,
		arguments: z.strictObject({
			path: z.string().check(z.minLength(1), z.describe('Path of the file, relative to the working folder.')),
			offset: z.optional(z.int().check(z.minimum(1), z.describe('First line to read, counted from 1.'))),
			limit: z.optional(z.int().check(z.minimum(1), z.describe('Number of lines to read.'))),
		}),

		async run({path, offset: start = 1, limit = maxLines}, context) {
			const {workspace, signal, readFiles} = context;
			const bounds = await boundsOf(workspace, places, outputFiles);
			const opened = await openInside(path, bounds, askForSecrets(context));
			const file = await readFileBytes(opened, signal);
			const image = await showImage(file.bytes, pathText(file.shown), context);
			if (image !== undefined) {
				return image;
			}

			const {text, shown, real, hash, ...encoded} = await textOf(file);
			readFiles.set(real, hash);
			const end = start + Math.min(limit, maxLines) - 1;
			const from = Math.max(0, start - 1 - maxKeyLines);
			const {count, lines} = linesBetween(text, from, end + maxKeyLines);
			if (count === 0) {
				return `[${shown} is empty]`;
			}

			if (start > count) {
				return `[${shown} has only ${count} lines]`;
			}

			const last = Math.min(count, end);
			const {shownLines, isRedacted} = numbered(lines, {from, start, last});
			// With an explicit limit the model knows that there may be more.
			const more = last < count && limit >= maxLines;
			context.onFacts?.({lines: shownLines.length});
			const rest = more ? [`[lines ${start} to ${last} of ${count}; continue with offset ${last + 1}]`] : [];
			return [...shownLines, ...(isRedacted ? [redactionNote] : []), ...encodingNote(encoded), ...rest].join('\n');
		},
	});
}

/** Returns the line about a file that isn't UTF-8. */
function encodingNote({legacy, uncertain}: Pick<FileText, 'legacy' | 'uncertain'>): readonly string[] {
	if (uncertain) {
		return [
			"[it is not UTF-8, and its encoding is not certain: \uFFFD is what can't be read, and it can't be changed]",
		];
	}

	return legacy === undefined ? [] : [`[encoded in ${legacy}; a change keeps that]`];
}

/**
 * Returns lines for the model, without credentials: they go to its vendor and into the journal (SAFETY 8). The given lines
 * begin `from` lines behind the start of the file, and go on after the last one.
 */
function numbered(
	lines: readonly string[],
	{from, start, last}: {readonly from: number; readonly start: number; readonly last: number},
) {
	const near = lines.map(line => line.slice(0, 4 * maxLineLength));
	const safe = redactKnownLines(near);
	const shownLines = safe.slice(start - 1 - from, last - from).map((line, index) => {
		const {length} = lines[start - 1 - from + index] ?? '';
		const rest = length > maxLineLength ? `… [${length - maxLineLength} more characters]` : '';
		return `${start + index}\t${rest ? cutText(line, maxLineLength) : line}${rest}`;
	});
	const isRedacted = safe.some((line, index) => {
		const number = from + index + 1;
		return number >= start && number <= last && line !== near[index];
	});
	return {shownLines, isRedacted};
}

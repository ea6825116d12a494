import {hasRedactable, redactKnownLines} from '../../../core/secrets/redact.ts';
import {splitLines} from '../files/read-text.ts';
import type {SearchEngine} from './search-engine.ts';

/** One line that was found, without credentials; `path` is relative to the working folder. */
export type Match = {readonly path: string; readonly line: number; readonly text: string; readonly isRedacted: boolean};

/** `complete` is false where the search ended before the files did. */
export type Found = {readonly matches: readonly Match[]; readonly complete: boolean};

/** So many matches are counted; a search that finds more has to be narrowed in any case. */
const mostCounted = 2000;
/** Longest time in milliseconds for all files. */
const timeout = 10_000;
/** Files are decided on together until they have so many characters, and so many are read at once. */
const batchCharacters = 2 * 1024 * 1024;
const atOnce = 16;

type Options = {
	readonly matching: SearchEngine['matching'];
	/** The text of a file; undefined for one that cannot be read, which has no lines to find. */
	readonly read: (path: string) => Promise<string | undefined>;
	readonly signal: AbortSignal;
};

/** Searches files in the order given. What is searched are the lines as a model may see them. */
export async function searchFiles(paths: readonly string[], {matching, read, signal}: Options): Promise<Found> {
	const end = Date.now() + timeout;
	const matches: Match[] = [];
	let batch: FileLines[] = [];
	let characters = 0;
	const decide = async () => {
		const files = batch;
		batch = [];
		characters = 0;
		const found =
			files.length > 0 && matches.length <= mostCounted
				? await matching(linesOf(files), mostCounted + 1 - matches.length)
				: [];
		matches.push(...matchesAt(found, files));
	};

	for (let next = 0; next < paths.length; next += atOnce) {
		signal.throwIfAborted();
		if (Date.now() > end || matches.length > mostCounted) {
			return {matches: matches.slice(0, mostCounted), complete: false};
		}

		const some = paths.slice(next, next + atOnce);
		const texts = await Promise.all(some.map(read));
		for (const [index, path] of some.entries()) {
			const text = texts[index] ?? '';
			const raw = splitLines(text);
			batch.push({path, raw, safe: hasRedactable(text) ? redactKnownLines(raw) : raw});
			characters += text.length;
			if (characters > batchCharacters) {
				await decide();
			}
		}
	}

	await decide();
	return {matches: matches.slice(0, mostCounted), complete: matches.length <= mostCounted};
}

/** A file line by line, as it is and as a model may see it. */
type FileLines = {readonly path: string; readonly raw: readonly string[]; readonly safe: readonly string[]};

function linesOf(files: readonly FileLines[]): readonly string[] {
	return files.flatMap(({safe}) => safe);
}

/** The matches at indices, in order, of the lines of all files together. */
function matchesAt(indices: readonly number[], files: readonly FileLines[]): readonly Match[] {
	let file = 0;
	let before = 0;
	return indices.flatMap(index => {
		for (let lines = files[file]; lines && index - before >= lines.safe.length; lines = files[file]) {
			before += lines.safe.length;
			file++;
		}

		const {path = '', raw = [], safe = []} = files[file] ?? {};
		const text = safe[index - before];
		return text === undefined ? [] : [{path, line: index - before + 1, text, isRedacted: text !== raw[index - before]}];
	});
}

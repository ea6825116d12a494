import {hasRedactable, redactKnownLines} from '../../../core/secrets/redact.ts';
import {splitLines} from '../files/read-text.ts';
import type {SearchEngine} from './search-engine.ts';

/** A matching line, without credentials; `path` is relative to the working folder. */
export type Match = {readonly path: string; readonly line: number; readonly text: string; readonly isRedacted: boolean};

/** `complete` is false if the search stopped early. */
export type Found = {readonly matches: readonly Match[]; readonly complete: boolean};

/** Most matches to count; a search with more has to be narrowed anyway. */
const maxCounted = 2000;
/** Longest time for all files. */
const timeoutMs = 10_000;
/** Files are matched together until they have this many characters. */
const batchLength = 2 * 1024 * 1024;
/** Number of files to read at once. */
const maxParallel = 16;

type Options = {
	readonly matching: SearchEngine['matching'];
	/** Returns the text of a file; undefined if it can't be read. */
	readonly read: (path: string) => Promise<string | undefined>;
	readonly signal: AbortSignal;
};

/** Searches files in the given order. Matches their lines without credentials, as a model may see them. */
export async function searchFiles(paths: readonly string[], {matching, read, signal}: Options): Promise<Found> {
	const end = Date.now() + timeoutMs;
	const matches: Match[] = [];
	let batch: FileLines[] = [];
	let characters = 0;
	const searchBatch = async () => {
		const files = batch;
		batch = [];
		characters = 0;
		const found =
			files.length > 0 && matches.length <= maxCounted
				? await matching(linesOf(files), maxCounted + 1 - matches.length)
				: [];
		matches.push(...matchesAt(found, files));
	};

	for (let next = 0; next < paths.length; next += maxParallel) {
		signal.throwIfAborted();
		if (Date.now() > end || matches.length > maxCounted) {
			return {matches: matches.slice(0, maxCounted), complete: false};
		}

		const some = paths.slice(next, next + maxParallel);
		const texts = await Promise.all(some.map(read));
		for (const [index, path] of some.entries()) {
			const text = texts[index] ?? '';
			const raw = splitLines(text);
			batch.push({path, raw, safe: hasRedactable(text) ? redactKnownLines(raw) : raw});
			characters += text.length;
			if (characters > batchLength) {
				await searchBatch();
			}
		}
	}

	await searchBatch();
	return {matches: matches.slice(0, maxCounted), complete: matches.length <= maxCounted};
}

/** The lines of a file, as they are and without credentials. */
type FileLines = {readonly path: string; readonly raw: readonly string[]; readonly safe: readonly string[]};

function linesOf(files: readonly FileLines[]): readonly string[] {
	return files.flatMap(({safe}) => safe);
}

/** Returns the matches at indices, in order, of the joined lines of all files. */
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

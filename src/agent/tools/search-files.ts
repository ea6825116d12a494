import {redactKnownLines} from '../../core/redact.ts';
import {splitLines} from './read-text.ts';
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
	let batch: Match[] = [];
	let characters = 0;
	const decide = async () => {
		const lines = batch;
		batch = [];
		characters = 0;
		if (lines.length > 0) {
			const texts = lines.map(({text}) => text);
			const found = await matching(texts, mostCounted + 1 - matches.length);
			matches.push(...found.flatMap(index => lines[index] ?? []));
		}
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
			batch = batch.concat(linesOf(path, text));
			characters += text.length;
			if (characters > batchCharacters && matches.length <= mostCounted) {
				await decide();
			}
		}
	}

	if (matches.length <= mostCounted) {
		await decide();
	}

	return {matches: matches.slice(0, mostCounted), complete: matches.length <= mostCounted};
}

function linesOf(path: string, text: string): readonly Match[] {
	const raw = splitLines(text);
	const safe = redactKnownLines(raw);
	return safe.map((text, index) => ({path, line: index + 1, text, isRedacted: text !== raw[index]}));
}

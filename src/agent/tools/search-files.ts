import {AppError} from '../../core/error.ts';
import {hasRedactable, redactKnownLines} from '../../core/secrets/redact.ts';
import {boundedWork, isTimeout, runBounded, type WorkBounds} from '../../logs/run-bounded.ts';
import {compileGlob} from '../paths/glob.ts';
import type {Bounds, Located} from '../policy/bounds.ts';
import {findFiles} from './files/find-files.ts';
import {splitLines} from './files/read-text.ts';

/** What to search for. */
export type Query = {
	readonly pattern: string;
	/** True to search for the pattern as plain text. */
	readonly literal: boolean;
	readonly ignoreCase: boolean;
	readonly glob: string | undefined;
};

/** What to search for, and where. */
export type Search = {
	readonly query: Query;
	readonly target: Located;
	readonly bounds: Bounds;
	readonly signal: AbortSignal;
};

/** The files that a search has to read, relative to the working folder, with `/`. */
type Candidates = {
	/** Files with a match, and files in which something is hidden from a model. Unsorted; others may be among them. */
	readonly paths: readonly string[];
	/** Every file that the query covers, to name those that were skipped. */
	readonly all: readonly string[];
	/** Files and folders that the system doesn't open for the user. */
	readonly closed: readonly string[];
	/** False if some files could not be looked at. */
	readonly complete: boolean;
};

/**
 * Finds candidate files and matching lines. `matching` alone decides, on lines without credentials: a match on the file
 * itself, or the number of matches, would reveal a credential character by character.
 */
export type SearchEngine = {
	/** Throws `AppError("usage")` if the pattern or the glob is invalid. */
	readonly candidates: () => Promise<Candidates>;
	/**
	 * Returns the indices of at most `most` matching lines, in order. Throws `AppError("usage")` for an invalid
	 * pattern.
	 */
	readonly matching: (lines: readonly string[], most: number) => Promise<readonly number[]>;
};

/** A matching line, without credentials; `path` is relative to the working folder. */
type Match = {readonly path: string; readonly line: number; readonly text: string; readonly isRedacted: boolean};

/** `complete` is false if the search stopped early. */
export type SearchMatch = {readonly matches: readonly Match[]; readonly complete: boolean};

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
export async function searchFiles(paths: readonly string[], {matching, read, signal}: Options): Promise<SearchMatch> {
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

/** Processor time for one batch of lines. A pattern that backtracks endlessly reaches it. */
const batchLimits: WorkBounds = {cpuMs: 500};

/** Returns the files that a query covers: those that `list_files` lists, also what rules deny, which the caller counts. */
export async function coveredFiles({query, target, bounds, signal}: Search) {
	const {paths, closed, complete, byGit} = await findFiles(target, {...bounds, denied: undefined}, signal);
	const prefix = target.shown === '.' ? '' : `${target.shown}/`;
	const isMatch = query.glob ? compileGlob(query.glob) : () => true;
	return {
		paths: paths.map(path => prefix + path).filter(isMatch),
		closed: closed.map(path => prefix + path),
		complete,
		byGit,
	};
}

const matching = boundedWork('expression.test(line)');

/**
 * Searches with a JavaScript pattern, if ripgrep is not installed. A pattern that takes too long throws
 * `AppError("usage")`.
 */
export function plainEngine(search: Search, limits = batchLimits): SearchEngine {
	const pattern = compile(search.query);
	return {
		async candidates() {
			const {paths, closed, complete} = await coveredFiles(search);
			return {paths, all: paths, closed, complete};
		},
		async matching(lines, most) {
			return findIn(lines, pattern, limits).slice(0, most);
		},
	};
}

function compile({pattern, literal, ignoreCase}: Query): RegExp {
	try {
		return new RegExp(literal ? pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : pattern, ignoreCase ? 'i' : '');
	} catch (error) {
		throw new AppError('usage', `Invalid search: ${error instanceof Error ? error.message : ''}`, {
			hint: 'Correct it, or set literal to true to search for the text itself.',
			cause: error,
		});
	}
}

function findIn(lines: readonly string[], pattern: RegExp, limits: WorkBounds): readonly number[] {
	try {
		return runBounded(matching, lines, pattern, limits).flatMap((isMatch, index) => (isMatch ? [index] : []));
	} catch (error) {
		if (!isTimeout(error)) {
			throw error;
		}

		throw new AppError('usage', 'The pattern takes too long to match.', {
			hint: 'Use a simpler one, without nested repetition.',
			cause: error,
		});
	}
}

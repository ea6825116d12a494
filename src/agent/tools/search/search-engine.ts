import type {Bounds, Located} from '../files/bounds.ts';

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

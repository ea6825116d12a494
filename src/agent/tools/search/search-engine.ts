/** What is looked for. */
export type Query = {
	readonly pattern: string;
	/** True where the pattern is the text itself. */
	readonly literal: boolean;
	readonly ignoreCase: boolean;
	readonly glob: string | undefined;
};

/** The files of a folder that a search has to look at, relative to the working folder, with `/`. */
export type Candidates = {
	/** In no order: those with a match, and those of which something is hidden from a model. Others may be among them. */
	readonly paths: readonly string[];
	/** Every file that is there for this query, for those that are left out to be named. */
	readonly all: readonly string[];
	/** False where not everything could be looked at. */
	readonly complete: boolean;
};

/**
 * Finds files and tells lines that match. What decides is `matching` alone, on lines from which credentials are gone: a
 * match on the file itself, or the number of matches, would tell a patient asker each of their characters.
 */
export type SearchEngine = {
	/** Throws `usage` for an expression or a glob that cannot be read. */
	readonly candidates: () => Promise<Candidates>;
	/** The indices of the lines that match, in order, at most `most`. Throws `usage` for an expression that cannot be used. */
	readonly matching: (lines: readonly string[], most: number) => Promise<readonly number[]>;
};

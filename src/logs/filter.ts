import {AppError} from '../core/error.ts';
import {isAtLeast, type Level, readLeastLevel} from './levels.ts';
import {createMatcher} from './matcher.ts';

/** What a filter knows of a line. */
export type FilteredLine = {readonly text: string; readonly level: Level | undefined};

export type Filter = {
	/** Returns for each line whether it is shown. Throws `AppError("usage")` if an expression takes too long. */
	readonly shows: (lines: readonly FilteredLine[]) => readonly boolean[];
};

/**
 * Creates a filter for lines that match every pattern, match no pattern that starts with `!`, and are at least as severe
 * as `minLevel`. A pattern is a regular expression or `level>=warn`. A line without a known level is shown. `\!` starts a
 * pattern with an exclamation mark. Throws `AppError("usage")` for an invalid pattern.
 */
export function createFilter({
	patterns = [],
	minLevel,
}: {
	readonly patterns?: readonly string[];
	readonly minLevel?: Level | undefined;
}): Filter {
	const matchers = patterns.map(pattern => {
		const excludes = pattern.startsWith('!');
		const source = excludes ? pattern.slice(1) : pattern.replace(/^\\!/, '!');
		if (source === '') {
			throw new AppError('usage', 'A pattern is empty.', {hint: 'Type a regular expression or level>=error.'});
		}

		const least = readLeastLevel(source);
		const match =
			least === undefined
				? createMatcher(source).match
				: (_texts: readonly string[], found: readonly (Level | undefined)[]) =>
						// Like with `minLevel`, a line of unknown level is shown.
						found.map(level => (level === undefined ? !excludes : isAtLeast(level, least)));
		return {excludes, match};
	});

	return {
		shows(lines) {
			const shown = lines.map(({level}) => minLevel === undefined || isAtLeast(level, minLevel));
			for (const {excludes, match} of matchers) {
				const candidates = [...shown.keys()].filter(index => shown[index]);
				const found = match(
					candidates.map(index => lines[index]?.text ?? ''),
					candidates.map(index => lines[index]?.level),
				);
				for (const [position, index] of candidates.entries()) {
					shown[index] = found[position] !== excludes;
				}
			}

			return shown;
		},
	};
}

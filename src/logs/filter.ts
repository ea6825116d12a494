import {AppError} from '../core/error.ts';
import {isAtLeast, type Level} from './levels.ts';
import {createMatcher} from './matcher.ts';

type Line = {readonly text: string; readonly level: Level | undefined};

export type Filter = {
	/** Returns for each line whether it is shown. Throws `AppError("usage")` if an expression takes too long. */
	readonly shows: (lines: readonly Line[]) => readonly boolean[];
};

/**
 * Creates a filter for lines that match every pattern, match no pattern that starts with `!`, and are at least as severe
 * as `minLevel`. A line without a known level is shown. `\!` starts a pattern with an exclamation mark. Throws
 * `AppError("usage")` for an invalid pattern.
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

		return {excludes, matcher: createMatcher(source)};
	});

	return {
		shows(lines) {
			const shown = lines.map(({level}) => minLevel === undefined || isAtLeast(level, minLevel));
			for (const {excludes, matcher} of matchers) {
				const candidates = [...shown.keys()].filter(index => shown[index]);
				const found = matcher.match(candidates.map(index => lines[index]?.text ?? ''));
				for (const [position, index] of candidates.entries()) {
					shown[index] = found[position] !== excludes;
				}
			}

			return shown;
		},
	};
}

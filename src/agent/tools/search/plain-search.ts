import {AppError} from '../../../core/error.ts';
import {boundedWork, isTimeout, type WorkBounds as Limits, runBounded} from '../../../logs/run-bounded.ts';
import {findFiles} from '../files/find-files.ts';
import {compileGlob} from '../files/glob.ts';
import type {Query, Search, SearchEngine} from './search-engine.ts';

/** Processor time for one batch of lines. A pattern that backtracks endlessly reaches it. */
const batchLimits: Limits = {cpuMs: 500};

const matching = boundedWork('expression.test(line)');

/**
 * Searches with a JavaScript pattern, if ripgrep is not installed. A pattern that takes too long throws
 * `AppError("usage")`.
 */
export function plainEngine({query, target, bounds, signal}: Search, limits = batchLimits): SearchEngine {
	const pattern = compile(query);
	return {
		async candidates() {
			// What rules deny is left out and counted by the caller.
			const {paths, complete} = await findFiles(target, {...bounds, denied: undefined}, signal);
			const prefix = target.shown === '.' ? '' : `${target.shown}/`;
			const isMatch = query.glob ? compileGlob(query.glob) : () => true;
			const all = paths.map(path => prefix + path).filter(isMatch);
			return {paths: all, all, complete};
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

function findIn(lines: readonly string[], pattern: RegExp, limits: Limits): readonly number[] {
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

import {Script} from 'node:vm';
import {AppError} from '../../../core/error.ts';
import type {Bounds, Located} from '../files/bounds.ts';
import {findFiles} from '../files/find-files.ts';
import {compileGlob} from '../files/glob.ts';
import type {Query, SearchEngine} from './search-engine.ts';

/** Longest time in milliseconds for one batch of lines, which an expression that backtracks for ever runs into. */
const batchTimeout = 500;

/** The time limit of a script is the only way to end a JavaScript expression from outside. */
const finder = new Script('lines.flatMap((line, index) => (pattern.test(line) ? [index] : []))');

/** Searches with a JavaScript expression, where ripgrep is not installed. An expression that takes too long is `usage`. */
export function plainEngine(query: Query, target: Located, bounds: Bounds, signal: AbortSignal): SearchEngine {
	const pattern = compile(query);
	return {
		async candidates() {
			const {paths, complete} = await findFiles(target, bounds, signal);
			const prefix = target.shown === '.' ? '' : `${target.shown}/`;
			const fits = query.glob ? compileGlob(query.glob) : () => true;
			const all = paths.map(path => prefix + path).filter(fits);
			return {paths: all, all, complete};
		},
		async matching(lines, most) {
			return findIn(lines, pattern).slice(0, most);
		},
	};
}

function compile({pattern, literal, ignoreCase}: Query): RegExp {
	try {
		return new RegExp(literal ? pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : pattern, ignoreCase ? 'i' : '');
	} catch (error) {
		throw new AppError('usage', `The search could not be read. ${error instanceof Error ? error.message : ''}`, {
			hint: 'Put it right, or set literal to true to search for the text itself.',
			cause: error,
		});
	}
}

function findIn(lines: readonly string[], pattern: RegExp): readonly number[] {
	try {
		return finder.runInNewContext({lines, pattern}, {timeout: batchTimeout}) as readonly number[];
	} catch (error) {
		throw new AppError('usage', 'The expression takes too long.', {
			hint: 'Use a simpler one, without a repetition inside a repetition.',
			cause: error,
		});
	}
}

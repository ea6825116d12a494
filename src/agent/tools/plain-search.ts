import {stat} from 'node:fs/promises';
import {Script} from 'node:vm';
import {AppError} from '../../core/error.ts';
import type {Bounds, Located} from './bounds.ts';
import {findFiles} from './find-files.ts';
import {compileGlob} from './glob.ts';
import {readText} from './read-text.ts';
import type {Found, Match, Query} from './search-text.ts';

/** Longest time in milliseconds for one file, which an expression that backtracks for ever runs into, and for all. */
const fileTimeout = 500;
const timeout = 10_000;
const mostMatches = 2000;
const longestLine = 300;

/** The time limit of a script is the only way to end a JavaScript expression from outside. */
const finder = new Script('lines.flatMap((line, index) => (pattern.test(line) ? [index] : []))');

/**
 * Searches file by file with a JavaScript expression, where ripgrep is not installed. Throws `AppError` `usage` for an
 * expression that cannot be read or takes too long.
 */
export async function plainSearch(query: Query, target: Located, bounds: Bounds, signal: AbortSignal): Promise<Found> {
	const pattern = compile(query);
	const fits = query.glob ? compileGlob(query.glob) : () => true;
	const end = Date.now() + timeout;
	const matches: Match[] = [];
	const {paths, complete} = await filesOf(target, bounds, signal);
	for (const path of paths.filter(fits)) {
		signal.throwIfAborted();
		if (Date.now() > end || matches.length > mostMatches) {
			return {matches, complete: false};
		}

		// What cannot be read (binary, too large, gone) has no lines to find.
		const file = await readText(path, bounds, signal).catch(() => undefined);
		const lines = file?.text.split(/\r?\n/) ?? [];
		for (const index of findIn(lines, pattern)) {
			matches.push({path, line: index + 1, text: (lines[index] ?? '').slice(0, longestLine)});
		}
	}

	return {matches, complete};
}

async function filesOf(target: Located, bounds: Bounds, signal: AbortSignal) {
	if (!(await stat(target.real)).isDirectory()) {
		return {paths: [target.shown], complete: true};
	}

	const {paths, complete} = await findFiles(target, bounds, signal);
	return {paths: paths.map(path => (target.shown === '.' ? path : `${target.shown}/${path}`)), complete};
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
		return finder.runInNewContext({lines, pattern}, {timeout: fileTimeout}) as readonly number[];
	} catch (error) {
		throw new AppError('usage', 'The expression takes too long.', {
			hint: 'Use a simpler one, without a repetition inside a repetition.',
			cause: error,
		});
	}
}

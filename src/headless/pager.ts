import {spawn} from 'node:child_process';
import process from 'node:process';
import {splitWords} from '../command/words.ts';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';
import {wantsLinear} from '../terminal/abilities.ts';

/** The variables that a pager needs; it gets no others (SAFETY 15). */
const passedVariables =
	/^(?:BAT_\w+|COLORTERM|COLUMNS|HOME|LANG|LC_\w+|LESS\w*|LINES|LV|MORE|PATH|SYSTEMROOT|TERM|TERMINFO\w*|USER|USERPROFILE)$/;

/** Returns the pager with its arguments, to run without a shell; undefined if the user wants none. */
export function pagerOf(env: Environment): readonly [program: string, ...args: string[]] | undefined {
	const [program, ...args] = splitWords(env['PAGER'] ?? 'less -FRX');
	return program === undefined || program === 'cat' ? undefined : [program, ...args];
}

/**
 * Shows text in the user's pager if it is longer than the window of a terminal. Returns false if it was not shown: for a
 * pipe, for text that fits, line by line, or if the pager doesn't start.
 */
export async function showInPager(
	text: string,
	{stdout, env}: {readonly stdout: {readonly isTTY?: boolean; readonly rows?: number}; readonly env: Environment},
): Promise<boolean> {
	const pager = pagerOf(env);
	if (!stdout.isTTY || !pager || wantsLinear(env) || text.split('\n').length <= (stdout.rows || 24)) {
		return false;
	}

	const [program, ...args] = pager;
	const kept = Object.fromEntries(Object.entries(env).filter(([name]) => passedVariables.test(name)));
	const child = spawn(program, args, {
		stdio: ['pipe', 'inherit', 'inherit'],
		env: {LESS: 'FRX', ...kept, PATH: searchPath(env['PATH'] ?? '')},
	});
	// Ctrl+C is the pager's own key.
	const ignore = () => undefined;
	process.on('SIGINT', ignore);
	// A pager that quits before the end closes the pipe.
	child.stdin.on('error', ignore).end(text);
	return new Promise<boolean>(resolve => {
		child.on('error', () => resolve(false));
		child.on('close', () => resolve(true));
	}).finally(() => process.off('SIGINT', ignore));
}

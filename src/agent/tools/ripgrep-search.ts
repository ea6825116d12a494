import {AppError} from '../../core/error.ts';
import {type Bounds, hiddenBelow, type Located} from './bounds.ts';
import {runChild} from './run-child.ts';
import type {Found, Match, Query} from './search-text.ts';

/** The ripgrep that came with the package, undefined where there is none for this platform. */
export async function findRipgrep(): Promise<string | undefined> {
	try {
		return (await import('@vscode/ripgrep')).rgPath;
	} catch {
		return undefined;
	}
}

/** Longest time of a search in milliseconds, and most bytes of its output. */
const timeout = 20_000;
const maxBytes = 2_000_000;

/**
 * Searches with ripgrep, whose expressions take linear time. Throws `AppError` `usage` for an expression or a glob that
 * it cannot read, with its own explanation.
 */
export async function ripgrepSearch(
	program: string,
	query: Query,
	target: Located,
	bounds: Bounds,
	signal: AbortSignal,
): Promise<Found> {
	const args = [
		...['--no-config', '--color=never', '--no-heading', '--with-filename', '--line-number', '--null', '--no-messages'],
		...['--hidden', '--crlf', '--max-count=200', '--max-columns=300', '--max-columns-preview', '--max-filesize=16M'],
		...(query.literal ? ['--fixed-strings'] : []),
		...(query.ignoreCase ? ['--ignore-case'] : []),
		...(query.glob ? [`--glob=${query.glob}`] : []),
		...hiddenGlobs(bounds),
		...[`--regexp=${query.pattern}`, '--', `./${target.shown}`],
	];
	const {status, stdout, stderr, omitted} = await runChild({
		command: program,
		args,
		cwd: bounds.workspace,
		signal,
		timeout,
		maxBytes,
	});
	if (status !== 0 && status !== 1 && !stdout && stderr) {
		throw new AppError('usage', `The search could not be read. ${stderr.replace(/^rg: /, '').trim().slice(0, 600)}`, {
			hint: 'Put it right, or set literal to true to search for the text itself.',
		});
	}

	const lines = stdout.split('\n');
	const matches = lines.flatMap(line => parseLine(line) ?? []);
	return {matches: matches.sort(byPlace), complete: omitted === 0};
}

/** What is protected is not even read. Of two globs that say different things the later one counts. */
function hiddenGlobs(bounds: Bounds): readonly string[] {
	const places = hiddenBelow(bounds.workspace, bounds).map(place => place.replace(/[\\*?[\]{}!]/g, '\\$&'));
	return ['--iglob=!.git', ...places.map(place => `--glob=!/${place}`)];
}

/** A line of output: path, NUL, line number, colon, text. Where output was cut, a broken line is left out. */
function parseLine(line: string): Match | undefined {
	const [, path, number, text] = /^(?:\.\/)*([^\0]+)\0(\d+):(.*)$/s.exec(line) ?? [];
	return path && text !== undefined ? {path, line: Number(number), text: text.replace(/\r$/, '')} : undefined;
}

function byPlace(a: Match, b: Match): number {
	return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

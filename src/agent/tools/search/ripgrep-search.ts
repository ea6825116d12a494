import {AppError} from '../../../core/error.ts';
import {redactedSomewhere} from '../../../core/secrets/redact.ts';
import {type Bounds, hiddenBelow} from '../../policy/bounds.ts';
import {runChild} from '../child/run-child.ts';
import type {Query, Search, SearchEngine} from './search-files.ts';

/** Returns the path of the installed ripgrep; undefined if its package has none for this platform. */
export async function findRipgrep(): Promise<string | undefined> {
	try {
		return (await import('@vscode/ripgrep')).rgPath;
	} catch {
		return undefined;
	}
}

/** Encodings in which files are searched for what isn't ASCII, beside UTF-8. */
const legacyEncodings = ['gbk', 'euc-kr', 'big5', 'shift_jis', 'euc-jp', 'windows-1252'];

const timeoutMs = 20_000;
/** Most bytes of a list of files. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Searches with ripgrep, which matches in linear time. The engine throws `AppError("usage")` with ripgrep's own
 * explanation if the pattern or the glob is invalid.
 */
export function ripgrepEngine(program: string, search: Search): SearchEngine {
	const ripgrep: Ripgrep = {program, cwd: search.bounds.workspace, signal: search.signal};
	const pattern = patternArgs(search.query);
	const files = (args: readonly string[]) => listFiles(ripgrep, search, args);
	return {
		async candidates() {
			// Other encodings have other bytes for what isn't ASCII. Lines are matched again once they are decoded.
			const encodings = /[^\0-\x7F]/.test(search.query.pattern) ? legacyEncodings : [];
			const [matching, masked, all, ...encoded] = await Promise.all([
				files(['--files-with-matches', '--crlf', ...pattern]),
				files(['--files-with-matches', '--text', ...redactedArgs]),
				files(['--files']),
				...encodings.map(encoding => files(['--files-with-matches', '--crlf', `--encoding=${encoding}`, ...pattern])),
			]);
			return {
				paths: [...new Set([matching, masked, ...encoded].flatMap(({paths}) => paths))],
				all: all.paths,
				complete: [matching, masked, all, ...encoded].every(({complete}) => complete),
			};
		},
		async matching(lines, most) {
			const numbers = ['--line-number', '--no-heading', '--no-filename', '--max-columns=1', `--max-count=${most}`];
			const args = ['--text', ...numbers, ...pattern, '--', '-'];
			const {stdout} = await runRipgrep(ripgrep, args, `${lines.join('\n')}\n`);
			return [...stdout.matchAll(/^(\d+):/gm)].map(([, number]) => Number(number) - 1);
		},
	};
}

/** Where and how ripgrep runs. */
type Ripgrep = {readonly program: string; readonly cwd: string; readonly signal: AbortSignal};

async function runRipgrep({program, cwd, signal}: Ripgrep, args: readonly string[], input?: string) {
	const result = await runChild({
		command: program,
		args: ['--no-config', '--color=never', '--no-messages', ...args],
		cwd,
		signal,
		timeoutMs,
		maxBytes,
		...(input !== undefined && {input}),
	});
	if (result.status !== 0 && result.status !== 1 && !result.stdout && result.stderr) {
		throw invalidSearch(result.stderr);
	}

	return result;
}

async function listFiles(ripgrep: Ripgrep, {query, target, bounds}: Search, args: readonly string[]) {
	const globs = [...(query.glob ? [`--glob=${query.glob}`] : []), ...hiddenGlobs(bounds)];
	const limits = ['--hidden', '--null', '--max-filesize=16M'];
	const {stdout, omittedBytes} = await runRipgrep(ripgrep, [...limits, ...globs, ...args, '--', `./${target.shown}`]);
	const paths = stdout.split('\0').map(path => path.replace(/^(?:\.\/)+/, ''));
	// If the list was cut, the last name of its head may be cut too; opening it fails.
	return {paths: paths.filter(Boolean), complete: omittedBytes === 0};
}

function patternArgs({pattern, literal, ignoreCase}: Query): readonly string[] {
	return [...(literal ? ['--fixed-strings'] : []), ...(ignoreCase ? ['--ignore-case'] : []), `--regexp=${pattern}`];
}

/** Finds the files in which something is hidden from a model. */
const redactedArgs = redactedSomewhere.map(source => `--regexp=(?-u:${source})`);

function invalidSearch(stderr: string): AppError {
	return new AppError('usage', `Invalid search: ${stderr.replace(/^rg: /, '').trim().slice(0, 600)}`, {
		hint: 'Correct it, or set literal to true to search for the text itself.',
	});
}

/**
 * Returns globs that keep ripgrep from reading protected files. They come last, because the last matching glob decides.
 */
function hiddenGlobs(bounds: Bounds): readonly string[] {
	const places = hiddenBelow(bounds.workspace, bounds).map(place => place.replace(/[\\*?[\]{}!]/g, '\\$&'));
	return ['--iglob=!.git', ...places.map(place => `--glob=!/${place}`)];
}

import {AppError} from '../../../core/error.ts';
import {redactedSomewhere} from '../../../core/secrets/redact.ts';
import {runChild} from '../child/run-child.ts';
import {type Bounds, hiddenBelow, type Located} from '../files/bounds.ts';
import type {Query, SearchEngine} from './search-engine.ts';

/** The ripgrep that came with the package, undefined where there is none for this platform. */
export async function findRipgrep(): Promise<string | undefined> {
	try {
		return (await import('@vscode/ripgrep')).rgPath;
	} catch {
		return undefined;
	}
}

/** Longest time of one ripgrep in milliseconds, and most bytes of a list of files. */
const timeout = 20_000;
const maxBytes = 16 * 1024 * 1024;

/**
 * Searches with ripgrep, whose expressions take linear time. An expression or a glob that it cannot read is `usage`, with
 * its own explanation.
 */
export function ripgrepEngine(
	program: string,
	query: Query,
	target: Located,
	bounds: Bounds,
	signal: AbortSignal,
): SearchEngine {
	const run = async (args: readonly string[], input?: string) => {
		const result = await runChild({
			command: program,
			args: ['--no-config', '--color=never', '--no-messages', ...args],
			cwd: bounds.workspace,
			signal,
			timeout,
			maxBytes,
			...(input !== undefined && {input}),
		});
		if (result.status !== 0 && result.status !== 1 && !result.stdout && result.stderr) {
			throw unreadable(result.stderr);
		}

		return result;
	};

	const files = async (...args: readonly string[]) => {
		const globs = [...(query.glob ? [`--glob=${query.glob}`] : []), ...hiddenGlobs(bounds)];
		const limits = ['--hidden', '--null', '--max-filesize=16M'];
		const {stdout, omitted} = await run([...limits, ...globs, ...args, '--', `./${target.shown}`]);
		const paths = stdout.split('\0').map(path => path.replace(/^(?:\.\/)+/, ''));
		// Where the list was cut, the last name of its head may be cut too; opening it fails.
		return {paths: paths.filter(Boolean), complete: omitted === 0};
	};

	const expression = [
		...(query.literal ? ['--fixed-strings'] : []),
		...(query.ignoreCase ? ['--ignore-case'] : []),
		`--regexp=${query.pattern}`,
	];
	const hiding = redactedSomewhere.map(source => `--regexp=(?-u:${source})`);

	return {
		async candidates() {
			const [matching, masked, all] = await Promise.all([
				files('--files-with-matches', '--crlf', ...expression),
				files('--files-with-matches', '--text', ...hiding),
				files('--files'),
			]);
			return {
				paths: [...new Set([...matching.paths, ...masked.paths])],
				all: all.paths,
				complete: matching.complete && masked.complete && all.complete,
			};
		},
		async matching(lines, most) {
			const numbers = ['--line-number', '--no-heading', '--no-filename', '--max-columns=1'];
			const {stdout} = await run(
				['--text', ...numbers, `--max-count=${most}`, ...expression, '--', '-'],
				`${lines.join('\n')}\n`,
			);
			return [...stdout.matchAll(/^(\d+):/gm)].map(([, number]) => Number(number) - 1);
		},
	};
}

function unreadable(stderr: string): AppError {
	return new AppError('usage', `The search could not be read. ${stderr.replace(/^rg: /, '').trim().slice(0, 600)}`, {
		hint: 'Put it right, or set literal to true to search for the text itself.',
	});
}

/** What is protected is not even read. Of two globs that say different things the later one counts. */
function hiddenGlobs(bounds: Bounds): readonly string[] {
	const places = hiddenBelow(bounds.workspace, bounds).map(place => place.replace(/[\\*?[\]{}!]/g, '\\$&'));
	return ['--iglob=!.git', ...places.map(place => `--glob=!/${place}`)];
}

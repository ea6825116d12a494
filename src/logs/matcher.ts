import {AppError} from '../core/error.ts';
import {boundedWork, type CpuClock, isTimeout, runBounded} from './run-bounded.ts';

/** A regular expression that cannot hang the program. */
export type Matcher = {
	readonly source: string;
	/**
	 * Whether each line matches, looking at its first 16 Ki characters. Throws `AppError` (`usage`) where the expression
	 * takes more processor time than is allowed: then it is of the kind that would take forever.
	 */
	readonly match: (lines: readonly string[]) => readonly boolean[];
	/**
	 * Where it matches in a text, as offsets of first and behind last. Never throws: what took too long some times has
	 * nothing to show any more.
	 */
	readonly ranges: (text: string) => readonly Range[];
};

export type Range = readonly [start: number, end: number];

/** So much of a line is looked at. */
export const longestMatched = 16 * 1024;

/** Processor time in milliseconds for one batch, which a sane expression goes through in less than ten. */
const batchCpuMs = 250;
/** Processor time in milliseconds for one text whose matches are shown: a picture waits for it. */
const rangesCpuMs = 50;
/** The program does other things in that time as well: only an expression that is late so often is at fault. */
const mostLate = 3;
const mostRanges = 200;
const batchCharacters = 512 * 1024;
const batchLines = 5000;

const matching = boundedWork('expression.test(line)');
const finding = boundedWork(
	'(() => { const offsets = []; for (const match of line.matchAll(expression)) { ' +
		`if (offsets.push(match.index, match.index + match[0].length) >= ${2 * mostRanges}) break; } return offsets; })()`,
);

/**
 * Makes a matcher of a regular expression as one types it; `i` is for one without capitals (smart case). No analysis
 * tells every catastrophic expression from a good one, so that processor time is what is bounded. Throws `usage` for an
 * invalid regular expression.
 */
export function createMatcher(source: string, cpuClock?: CpuClock): Matcher {
	const expression = compile(source);
	const everywhere = new RegExp(expression.source, `${expression.flags}g`);
	let late = 0;
	const run = (lines: readonly string[]): readonly boolean[] => {
		try {
			return runBounded(matching, lines, expression, {cpuMs: batchCpuMs, cpuClock}).map(Boolean);
		} catch (error) {
			throw isTimeout(error) ? tooSlow(source, error) : error;
		}
	};

	return {
		source,
		match(lines) {
			const found: boolean[] = [];
			let batch: string[] = [];
			let characters = 0;
			for (const line of lines) {
				const text = line.slice(0, longestMatched).replace(/\r$/, '');
				batch.push(text);
				characters += text.length;
				if (characters > batchCharacters || batch.length === batchLines) {
					found.push(...run(batch));
					batch = [];
					characters = 0;
				}
			}

			found.push(...run(batch));
			return found;
		},
		ranges(text) {
			if (late >= mostLate) {
				return [];
			}

			try {
				const bounds = {cpuMs: rangesCpuMs, cpuClock};
				const [found] = runBounded(finding, [text.slice(0, longestMatched)], everywhere, bounds);
				const offsets = Array.from(found as ArrayLike<number>);
				return offsets.flatMap((start, index): readonly Range[] => {
					const end = index % 2 === 0 ? (offsets[index + 1] ?? start) : start;
					return end > start ? [[start, end]] : [];
				});
			} catch (error) {
				late += isTimeout(error) ? 1 : 0;
				return [];
			}
		},
	};
}

function compile(source: string): RegExp {
	const flags = /\p{Lu}/u.test(source.replace(/\\[\s\S]/g, '')) ? 'u' : 'iu';
	try {
		return new RegExp(source, flags);
	} catch (error) {
		// Without `u` more is allowed, such as `\-`, as grep has it.
		try {
			return new RegExp(source, flags.replace('u', ''));
		} catch {
			const why = error instanceof Error ? error.message.replace(/^.*: /, '') : 'it cannot be parsed';
			throw new AppError('usage', `Invalid regex “${source}”: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`, {
				hint: 'Escape special characters with \\.',
				cause: error,
			});
		}
	}
}

function tooSlow(source: string, cause: unknown): AppError {
	return new AppError('usage', `The regular expression “${source}” takes too long on this log.`, {
		hint: 'Write it without a repetition inside a repetition.',
		cause,
	});
}

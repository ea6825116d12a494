import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isRedrawn, lastState} from './line-state.ts';
import {boundedWork, type CpuClock, isTimeout, runBounded} from './run-bounded.ts';

/** A regular expression whose processor time is limited. */
export type Matcher = {
	readonly source: string;
	/**
	 * Returns for each whole line whether it matches as it was received, or in its last state. Throws `AppError("usage")` if
	 * the expression takes too much processor time.
	 */
	readonly match: (lines: readonly string[]) => readonly boolean[];
	/**
	 * Returns where it matches in a text, as start and end offsets. Never throws: an expression that took too long several
	 * times has no matches any more.
	 */
	readonly ranges: (text: string) => readonly MatchRange[];
};

export type MatchRange = readonly [start: number, end: number];

/** Characters of a text in which `ranges` finds what a screen draws. */
export const maxMatched = 16 * 1024;

/** Processor time for one batch, and more for one long line. A sane expression takes less than 10 ms. */
const batchCpuMs = 250;
/** Processor time for one text whose matches are drawn: a frame waits for it. */
const rangesCpuMs = 50;
/** The process does other work in that time, too: an expression is disabled only after this many timeouts. */
const maxTimeouts = 3;
const maxRanges = 200;
const batchCharacters = 512 * 1024;
const batchLines = 5000;

const matching = boundedWork('expression.test(line)');
const finding = boundedWork(
	'(() => { const offsets = []; for (const match of line.matchAll(expression)) { ' +
		`if (offsets.push(match.index, match.index + match[0].length) >= ${2 * maxRanges}) break; } return offsets; })()`,
);

/**
 * Creates a matcher from a regular expression. It ignores case unless the expression has a capital (smart case). No
 * analysis finds every catastrophic expression, so processor time is limited. Throws `AppError("usage")` for an invalid
 * expression.
 */
export function createMatcher(source: string, cpuClock?: CpuClock): Matcher {
	const expression = compile(source);
	// What an expression begins with that matches anything takes quadratic time in a long line, and decides nothing.
	const tested = compile(source.replace(/^(?:\.[*]\??)+/, ''));
	const everywhere = new RegExp(expression.source, `${expression.flags}g`);
	let timeouts = 0;
	const run = (lines: readonly string[], characters: number): readonly boolean[] => {
		const cpuMs = Math.ceil(batchCpuMs * Math.max(1, characters / batchCharacters));
		try {
			return runBounded(matching, lines, tested, {cpuMs, cpuClock}).map(Boolean);
		} catch (error) {
			throw isTimeout(error) ? tooSlow(source, characters, error) : error;
		}
	};

	return {
		source,
		match(lines) {
			const found = lines.map(() => false);
			let batch: {readonly index: number; readonly text: string}[] = [];
			let characters = 0;
			const flush = () => {
				const texts = batch.map(({text}) => text);
				for (const [position, isMatch] of run(texts, characters).entries()) {
					found[batch[position]?.index ?? -1] ||= isMatch;
				}

				batch = [];
				characters = 0;
			};
			for (const [index, line] of lines.entries()) {
				for (const text of statesOf(line)) {
					batch.push({index, text});
					characters += text.length;
					if (characters > batchCharacters || batch.length >= batchLines) {
						flush();
					}
				}
			}

			flush();
			return found;
		},
		ranges(text) {
			if (timeouts >= maxTimeouts) {
				return [];
			}

			try {
				const bounds = {cpuMs: rangesCpuMs, cpuClock};
				const [found] = runBounded(finding, [text.slice(0, maxMatched)], everywhere, bounds);
				const offsets = Array.from(found as ArrayLike<number>);
				return offsets.flatMap((start, index): readonly MatchRange[] => {
					const end = index % 2 === 0 ? (offsets[index + 1] ?? start) : start;
					return end > start ? [[start, end]] : [];
				});
			} catch (error) {
				timeouts += isTimeout(error) ? 1 : 0;
				return [];
			}
		},
	};
}

/** Returns a line as it was received, without the CR of its end, and in its last state if that is another. */
function statesOf(line: string): readonly string[] {
	const received = line.replace(/\r$/, '');
	return isRedrawn(line) ? [received, lastState(line)] : [received];
}

function compile(source: string): RegExp {
	const flags = /\p{Lu}/u.test(source.replace(/\\[\s\S]/g, '')) ? 'u' : 'iu';
	try {
		return new RegExp(source, flags);
	} catch (error) {
		// Without `u`, escapes such as `\-` are allowed, as in grep.
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

function tooSlow(source: string, characters: number, cause: unknown): AppError {
	const where = characters > batchCharacters ? `a line of ${formatBytes(characters)} in this log` : 'this log';
	return new AppError('usage', `The regular expression “${source}” takes too long on ${where}.`, {
		hint: 'Write it without a repetition inside a repetition.',
		cause,
	});
}

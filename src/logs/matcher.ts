import {createContext, Script} from 'node:vm';
import {AppError} from '../core/error.ts';

/** A regular expression that cannot hang the program. */
export type Matcher = {
	readonly source: string;
	/**
	 * Whether each line matches, looking at its first 16 Ki characters. Throws `AppError` (`usage`) where the expression
	 * takes longer than its time allows: then it is of the kind that would take for ever.
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

/** Milliseconds for one batch, which a sane expression goes through in less than ten. */
const patience = 250;
/** Milliseconds for one text whose matches are shown: a picture waits for it. */
const shortPatience = 50;
/** A busy machine takes its time as well: only an expression that is late so often is at fault. */
const mostLate = 3;
const mostRanges = 200;
const batchCharacters = 512 * 1024;
const batchLines = 5000;

/** Only code that the engine can interrupt is bounded, and that is what runs in a context with a timeout. */
const script = new Script('lines.map(line => expression.test(line))');
const rangesScript = new Script(
	'lines.map(line => { const found = []; for (const match of line.matchAll(expression)) { ' +
		`if (found.push(match.index, match.index + match[0].length) >= ${2 * mostRanges}) break; } return found; })`,
);
let context: {lines: readonly string[]; expression: RegExp} | undefined;

/** Runs code of ours that the engine may interrupt. Throws what it throws, and an error of its own for lost patience. */
function runBounded(code: Script, lines: readonly string[], expression: RegExp, timeout: number): Iterable<unknown> {
	context ??= Object.assign(createContext({}), {lines, expression});
	context.lines = lines;
	context.expression = expression;
	try {
		return code.runInContext(context, {timeout});
	} finally {
		context.lines = [];
	}
}

/**
 * Makes a matcher of a regular expression as one types it; `i` is for one without capitals (smart case). No analysis
 * tells every catastrophic expression from a good one, so that time is what is bounded. Throws `usage` for what is no
 * regular expression.
 */
export function createMatcher(source: string): Matcher {
	const expression = compile(source);
	const everywhere = new RegExp(expression.source, `${expression.flags}g`);
	let late = 0;
	const run = (lines: readonly string[]): readonly boolean[] => {
		try {
			return [...runBounded(script, lines, expression, patience)].map(Boolean);
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
				const [found] = runBounded(rangesScript, [text.slice(0, longestMatched)], everywhere, shortPatience);
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
			const why = error instanceof Error ? error.message.replace(/^.*: /, '') : 'it cannot be read';
			throw new AppError('usage', `“${source}” is no regular expression: ${why}.`, {
				hint: 'Put a backslash before a sign that is meant as it is.',
				cause: error,
			});
		}
	}
}

/** The error may come from the context, whose `Error` is another one. */
function isTimeout(error: unknown): boolean {
	return (
		typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
	);
}

function tooSlow(source: string, cause: unknown): AppError {
	return new AppError('usage', `The regular expression “${source}” takes too long on this log.`, {
		hint: 'Write it without a repetition inside a repetition.',
		cause,
	});
}

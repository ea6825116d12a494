import {spawnSync} from 'node:child_process';

/** How often a fault was injected, and how often what must hold did not. */
export type Figure = {
	readonly tried: number;
	readonly failed: number;
	/** What went wrong first, and in which attempt. */
	readonly firstFailure?: string | undefined;
};

/** A kind of fault that is injected many times. `seed` and `amount` reproduce all that is random in a run. */
export type Fault = {
	/** What is injected, and what must hold. */
	readonly name: string;
	/** The rules of SAFETY.md that it proves. */
	readonly rules: readonly number[];
	/** The amounts of `npm test` and of `npm run faults`. */
	readonly amounts: {readonly test: number; readonly full: number};
	/** Returns what this machine lacks; undefined if the fault can be injected here. */
	readonly lacks?: () => string | undefined;
	readonly run: (options: {readonly seed: number; readonly amount: number}) => Promise<Figure>;
};

/** Counts attempts. */
export type Tally = {
	/** Runs an attempt, which failed if it throws. */
	readonly attempt: (what: string, run: () => unknown) => Promise<void>;
	/** Adds attempts that were counted elsewhere. */
	readonly add: (tried: number, failures: readonly string[]) => void;
	readonly figure: () => Figure;
};

export function createTally(): Tally {
	let tried = 0;
	let failed = 0;
	let firstFailure: string | undefined;
	return {
		async attempt(what, run) {
			tried += 1;
			try {
				await run();
			} catch (error) {
				failed += 1;
				firstFailure ??= `${what}: ${error instanceof Error ? error.message : String(error)}`;
			}
		},
		add(count, failures) {
			tried += count;
			failed += failures.length;
			firstFailure ??= failures[0];
		},
		figure: () => ({tried, failed, firstFailure}),
	};
}

/** Numbers that follow from a seed (mulberry32). */
export type Random = {
	/** Returns a whole number from 0 to `below`, which it never is. */
	readonly below: (below: number) => number;
	readonly pick: <Value>(values: readonly Value[]) => Value;
};

/** The seed of tests that draw other cases in each run. `TEST_SEED` of the environment repeats a run. */
export const drawnSeed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const below = (limit: number) => Math.floor(next() * limit);
	return {
		below,
		pick(values) {
			const value = values[below(values.length)];
			if (value === undefined) {
				throw new Error('Nothing to pick.');
			}

			return value;
		},
	};
}

/** Runs `run` for each value, at most `width` at a time. */
export async function eachOf<Value>(
	values: readonly Value[],
	width: number,
	run: (value: Value, index: number) => Promise<void>,
): Promise<void> {
	const rest = values.entries();
	const work = async () => {
		for (const [index, value] of rest) {
			await run(value, index);
		}
	};
	await Promise.all(Array.from({length: width}, work));
}

const found = new Map<string, boolean>();

/** Returns a `lacks` for programs: the first command, with what shows that it works, that fails here. */
export function needs(...commands: readonly (readonly [string, ...string[]])[]): () => string | undefined {
	return () => {
		for (const [file, ...args] of commands) {
			const key = [file, ...args].join(' ');
			const works = found.get(key) ?? spawnSync(file, args, {stdio: 'ignore'}).status === 0;
			found.set(key, works);
			if (!works) {
				return `${file} doesn't work here`;
			}
		}

		return undefined;
	};
}

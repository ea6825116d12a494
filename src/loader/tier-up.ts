import process from 'node:process';

/** Bytes of bytecode that a function runs until V8 considers optimizing it: V8's own figure, and ours. */
const early = '--interrupt-budget=67584';
const late = '--interrupt-budget=1081344';

export type TierUp = {
	/** From now on, only functions that run for long are optimized. */
	readonly delay: () => void;
	/** Compiles or keeps code as at the start of the process: V8 refuses code that was kept with other settings. */
	readonly asAtStart: <Value>(work: () => Value) => Value;
};

/**
 * Creates what delays V8's optimizations. V8 of Node 20 compiles each function that ran a few hundred times once more, on
 * another thread, which takes a third of the processor time of an answer. From Node 22 on it waits longer by itself. The
 * settings are those of the process, so a worker that starts later delays them at once.
 */
export function createTierUp(setFlags: (flags: string) => void, {v8: version} = process.versions): TierUp {
	const isEarly = version.startsWith('11.');
	let isDelayed = false;
	return {
		delay() {
			if (isEarly) {
				isDelayed = true;
				setFlags(late);
			}
		},
		asAtStart(work) {
			if (!isDelayed) {
				return work();
			}

			setFlags(early);
			try {
				return work();
			} finally {
				setFlags(late);
			}
		},
	};
}

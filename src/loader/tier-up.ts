/**
 * V8's own figures: bytes of bytecode and of WebAssembly until a function may be optimized, and the growth of the space of new
 * objects.
 */
const early = '--interrupt-budget=67584 --wasm-tiering-budget=1800000 --semi-space-growth-factor=2';
const late = '--interrupt-budget=1081344 --wasm-tiering-budget=180000000';
/** The app has few new objects at a time, for which V8 would take 32 MB. */
const lateInApp = `${late} --semi-space-growth-factor=1`;

export type TierUp = {
	/** From now on, only functions that run for long are optimized. In the app, the space of new objects stays as it is. */
	readonly delay: () => void;
	/** Compiles or keeps code as at the start of the process: V8 refuses code that was kept with other settings. */
	readonly asAtStart: <Value>(work: () => Value) => Value;
};

/**
 * Creates what delays V8's optimizations. V8 of Node 20 compiles each function that ran a few hundred times once more, on
 * another thread, which takes a third of the processor time of an answer; and the parser of undici's HTTP during the first
 * response, for 100 ms. From Node 22 on it waits longer by itself. The settings are those of the process, so a worker that
 * starts later delays them at once. A command is never delayed: as `serve` it would answer half as many requests a second.
 */
export function createTierUp(setFlags: (flags: string) => void, way: string, {v8: version} = process.versions): TierUp {
	const delayed = way === 'app' ? lateInApp : late;
	const isEarly = way !== 'command' && version.startsWith('11.');
	let isDelayed = false;
	return {
		delay() {
			if (isEarly) {
				isDelayed = true;
				setFlags(delayed);
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
				setFlags(delayed);
			}
		},
	};
}

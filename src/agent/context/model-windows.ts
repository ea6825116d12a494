import {once} from '../../core/once.ts';
import type {HostWindows, LocatedModel} from '../../providers/host-windows.ts';

/**
 * The context windows of models, `provider/model-name`: as hosts and refusals tell them, and as the price table has
 * them; a model of that table whose host doesn't tell has the window of its family.
 */
export type ModelWindows = {
	/** Returns the tokens of a window; undefined if unknown. Asks no host. */
	readonly sizeOf: (model: string) => Promise<number | undefined>;
	/** Asks the host for it, unless it is known; undefined after some seconds. Never throws. */
	readonly find: (model: string, signal: AbortSignal) => Promise<number | undefined>;
	/** Remembers what a refusal named. */
	readonly learn: (model: string, tokens: number) => void;
	/** Refusals that looked like that of a full window, and were not. */
	readonly otherRefusals: Set<string>;
};

type Options = {
	/** Returns what the price table has of a model, which may lack its window; undefined for a model that it lacks. */
	readonly inTable: (model: string) => Promise<{readonly contextWindow: number | undefined} | undefined>;
	/** Returns where a model is; undefined for the demo model, and without a host. */
	readonly locate: (model: string) => LocatedModel | undefined;
};

const maxWaitMs = 4000;

/** Creates the windows of the program's models. What asks hosts is loaded with the first question. */
export function createModelWindows({inTable, locate}: Options): ModelWindows {
	let windows: HostWindows | undefined;
	const load = once(async () => {
		const {createHostWindows} = await import('../../providers/host-windows.ts');
		windows = createHostWindows();
		return windows;
	});
	const known = (model: string) => {
		const place = windows && locate(model);
		return place && windows?.known(place);
	};

	/** Models whose hosts don't tell. */
	const untold = new Set<string>();

	return {
		async sizeOf(model) {
			const told = known(model);
			const listed = told?.isInForce ? undefined : await inTable(model);
			const size = listed?.contextWindow ?? told?.tokens;
			if (size !== undefined || !listed || !untold.has(model)) {
				return size;
			}

			const {guessWindow} = await import('./guess-window.ts');
			return guessWindow(model);
		},
		async find(model, signal) {
			const place = locate(model);
			if (!place) {
				return undefined;
			}

			try {
				const [{find}, transport] = await Promise.all([load(), place.open()]);
				const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
				const told = await find({...place, transport}, inTime);
				if (!told) {
					untold.add(model);
				}

				return told?.tokens;
			} catch {
				return undefined;
			}
		},
		learn(model, tokens) {
			const place = locate(model);
			if (place) {
				load().then(
					({learn}) => learn(place, tokens),
					() => undefined,
				);
			}
		},
		otherRefusals: new Set(),
	};
}

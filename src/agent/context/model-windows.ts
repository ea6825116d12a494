import {once} from '../../core/once.ts';
import type {HostWindows, LocatedModel} from '../../providers/host-windows.ts';
import type {ModelBinding} from '../model-access.ts';

/** The context windows of models, `provider/model-name`: as hosts and refusals tell them, and as the price table has them. */
export type ModelWindows = {
	/** Returns the tokens of a window; undefined if unknown. Asks no host. */
	readonly sizeOf: (model: string) => Promise<number | undefined>;
	/** Asks the host for it, unless it is known; undefined after some seconds. Never throws. */
	readonly find: (model: string, binding: ModelBinding | undefined, signal: AbortSignal) => Promise<number | undefined>;
	/** Remembers what a refusal named. */
	readonly learn: (model: string, tokens: number) => void;
	/** Refusals that looked like that of a full window, and were not. */
	readonly otherRefusals: Set<string>;
};

type Options = {
	/** Returns what the price table has. */
	readonly inTable: (model: string) => Promise<number | undefined>;
	/** Returns where a model is; undefined for the demo model, and without a host. */
	readonly locate: (model: string, binding?: ModelBinding) => LocatedModel | undefined;
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

	return {
		async sizeOf(model) {
			const told = known(model);
			return told?.isInForce ? told.tokens : ((await inTable(model)) ?? told?.tokens);
		},
		async find(model, binding, signal) {
			const place = locate(model, binding);
			if (!place) {
				return undefined;
			}

			try {
				const [{find}, transport] = await Promise.all([load(), place.open()]);
				const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
				return (await find({...place, transport}, inTime))?.tokens;
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

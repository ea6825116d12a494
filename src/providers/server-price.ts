import type {InferenceInfo} from '../contract/resources/preferences.ts';
import type {Price} from '../core/session/usage.ts';

/** Returns a model's price from its server's catalog, in US dollars per million tokens; undefined if it has none. */
export function priceOfServer(model: InferenceInfo | undefined): Price | undefined {
	const {cost_input: input, cost_output: output} = model ?? {};
	return typeof input === 'number' && typeof output === 'number'
		? {input, cacheRead: input, cacheWrite: input, output}
		: undefined;
}

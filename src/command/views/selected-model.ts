import {resolveKey} from '../../config/provider-keys.ts';
import {demoModel, parseModelId} from '../../core/model.ts';
import type {Price} from '../../core/session/usage.ts';
import {registry} from '../../providers/registry.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

/** Returns the model that new sessions begin with, and what is known of it. */
export async function selectedModel({program}: CommandContext): Promise<Result> {
	const {models: known, priceOf} = await program.models.catalog();
	const {config, env} = program.local;
	const data = config.read();
	const id = program.store.getState().model || data.settings.model || demoModel;
	const {provider} = parseModelId(id);
	const hasKey = provider === 'demo' || resolveKey(provider, {data, env, row: registry[provider]}) !== undefined;
	const price = priceOf(id);
	return {
		kind: 'text',
		text: `The model is ${id}.`,
		data: {
			model: id,
			provider,
			has_key: hasKey,
			context_window: known.find(each => each.id === id)?.contextWindow ?? null,
			prices: price ? pricesOf(price) : null,
		},
	};
}

const pricesOf = ({input, cacheRead, cacheWrite, output}: Price) => ({
	input,
	cache_read: cacheRead,
	cache_write: cacheWrite,
	output,
});

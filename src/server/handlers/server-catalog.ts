import type {InferenceInfo} from '../../contract/resources/preferences.ts';
import {loadCatalog} from '../../core/catalog.ts';
import {demoModel, isProviderName, keyVariables, parseProviderName, providerNames} from '../../core/model.ts';
import {providerRows} from '../../core/provider-rows.ts';
import {costOf, type TokenUsage} from '../../core/session/usage.ts';
import {demoModelInfo} from '../demo-model/demo-routes.ts';

/** The models that this server offers. */
export type ServerCatalog = {
	readonly models: readonly InferenceInfo[];
	/**
	 * Returns the cost of a message in US dollars; null if the price is unknown. The model is `provider/name`, or just
	 * a name.
	 */
	readonly costOf: (model: string, usage: TokenUsage) => number | null;
};

/**
 * Loads the catalog. A provider's models are available if the server's environment has its key: the server stores no
 * provider keys of users.
 */
export async function loadServerCatalog(environment: NodeJS.ProcessEnv): Promise<ServerCatalog> {
	const catalog = await loadCatalog();
	const models = catalog.models.map(({id, name, contextWindow}): InferenceInfo => {
		const provider = parseProviderName(id.slice(0, id.indexOf('/')));
		const price = catalog.priceOf(id);
		return {
			id,
			name,
			provider,
			has_required_keys: keyVariables[provider].some(variable => environment[variable]?.trim()),
			required_api_keys: keyVariables[provider].slice(0, 1),
			is_system_model: false,
			context_window: contextWindow ?? null,
			cost_input: price?.input ?? null,
			cost_output: price?.output ?? null,
		};
	});

	return {
		models: [demoModelInfo, ...models],
		costOf: (model, usage) => costOf(usage, priceOf(model)),
	};

	function priceOf(model: string) {
		if (model === demoModelInfo.id || model === demoModel) {
			return freeOfCharge;
		}

		const vendor = model.slice(0, model.indexOf('/'));
		const makers = providerNames.filter(name => !providerRows[name].resells);
		const ids = isProviderName(vendor) ? [model] : makers.map(name => `${name}/${model}`);
		return ids.map(catalog.priceOf).find(price => price !== undefined);
	}
}

const freeOfCharge = {input: 0, cacheRead: 0, cacheWrite: 0, output: 0};

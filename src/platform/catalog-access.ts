import type {UserSettings} from '../config/settings/user-settings.ts';
import type {InferenceInfo} from '../contract/resources/preferences.ts';
import type {Catalog} from '../core/catalog.ts';
import {isJsonObject, type Json} from '../core/json.ts';
import {demoModel, parseModelId} from '../core/model.ts';
import {once} from '../core/once.ts';
import {readPrice, readWindow} from '../core/own-model-facts.ts';
import type {RequestPrice} from '../core/session/request-record.ts';
import {type Price, type PriceOf, ratesOf, type TokenUsage} from '../core/session/usage.ts';
import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Returns what the embedded server says of its model; undefined until it runs. */
	readonly demoInfo: () => InferenceInfo | undefined;
	/** Has what the user says of models, which wins over the table. */
	readonly settings: UserSettings;
};

export type CatalogAccess = {
	/** Returns prices and context windows. The first call puts them into the store. */
	readonly load: () => Promise<Catalog>;
	/** Returns what a request with this usage is priced by, and the table that it is from; undefined if unknown. */
	readonly priceRequest: (model: string, usage: TokenUsage) => Promise<RequestPrice | undefined>;
	/** Returns the ids of models; none until they are loaded. */
	readonly modelIds: () => readonly string[];
};

/** Creates the access to the model catalog: the dated price table, and the embedded server's own model. */
export function createCatalogAccess({store, demoInfo, settings}: Dependencies): CatalogAccess {
	let modelIds: readonly string[] = [];
	const demo = (model: string) => (model === demoModel ? demoInfo() : undefined);
	const ownPrice = (model: string) => readPrice(entryOf(settings.value('prices'), model));

	const load = once(async () => {
		const {loadCatalog} = await import('../core/catalog.ts');
		const catalog = await loadCatalog();
		modelIds = catalog.models.map(({id}) => id);
		const priceOf: PriceOf = model => priceOfServer(demo(model)) ?? ownPrice(model) ?? catalog.priceOf(model);
		const infoOf = (model: string) => {
			const info = demo(model);
			const known = info
				? {id: model, name: info.name, contextWindow: info.context_window ?? undefined}
				: catalog.infoOf(model);
			const own = readWindow(entryOf(settings.value('windows'), model));
			return own === undefined ? known : {name: parseModelId(model).name, ...known, id: model, contextWindow: own};
		};
		store.getState().setCatalog({priceOf, infoOf});
		return {...catalog, priceOf};
	});

	return {
		load,
		async priceRequest(model, usage) {
			const {priceOf, date} = await load();
			const price = priceOf(model);
			return price && {table: demo(model) ? 'server' : ownPrice(model) ? 'settings' : date, ...ratesOf(usage, price)};
		},
		modelIds: () => modelIds,
	};
}

function entryOf(value: Json | undefined, model: string): Json | undefined {
	return isJsonObject(value) && Object.hasOwn(value, model) ? value[model] : undefined;
}

/** Returns a model's price from its server's catalog, in US dollars per million tokens; undefined if it has none. */
function priceOfServer(model: InferenceInfo | undefined): Price | undefined {
	const {cost_input: input, cost_output: output} = model ?? {};
	return typeof input === 'number' && typeof output === 'number'
		? {input, cacheRead: input, cacheWrite: input, output}
		: undefined;
}

import type {InferenceInfo} from '../contract/resources/preferences.ts';
import type {Catalog} from '../core/catalog.ts';
import {demoModel} from '../core/model.ts';
import {once} from '../core/once.ts';
import type {PriceOf} from '../core/session/usage.ts';
import {priceOfServer} from '../providers/server-price.ts';
import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** What the embedded server says of its model, once it runs. */
	readonly demoInfo: () => InferenceInfo | undefined;
};

export type CatalogAccess = {
	/** Puts prices and context windows into the store, at its first call, and gives them. */
	readonly load: () => Promise<Catalog>;
	/** Ids of models, none before they are loaded. */
	readonly modelIds: () => readonly string[];
};

/** What is known about models: the dated price table, and what the embedded server says of its own. */
export function createCatalogAccess({store, demoInfo}: Dependencies): CatalogAccess {
	let modelIds: readonly string[] = [];
	// Asked for on every frame: whether another custom host has a model of that name is not looked up in the file.
	const demo = (model: string) => (model === demoModel ? demoInfo() : undefined);

	const load = once(async () => {
		const {loadCatalog} = await import('../core/catalog.ts');
		const catalog = await loadCatalog();
		modelIds = catalog.models.map(({id}) => id);
		const priceOf: PriceOf = model => priceOfServer(demo(model)) ?? catalog.priceOf(model);
		const infoOf = (model: string) => {
			const info = demo(model);
			return info
				? {id: model, name: info.name, contextWindow: info.context_window ?? undefined}
				: catalog.infoOf(model);
		};
		store.getState().setCatalog({priceOf, infoOf});
		return {...catalog, priceOf};
	});

	return {load, modelIds: () => modelIds};
}

import {expect, test} from 'vitest';
import {openUserSettings} from '../../src/config/settings/user-settings.ts';
import {createCatalogAccess} from '../../src/platform/catalog-access.ts';
import {createAppStore} from '../../src/store/store.ts';
import {temporaryHome} from '../storage/temporary.ts';

const info = {
	id: 'custom/demo',
	name: 'Demo',
	provider: 'custom',
	context_window: 32_000,
	cost_input: 0,
	cost_output: 0,
	has_required_keys: true,
	required_api_keys: [],
};

const settings = () => openUserSettings({SERVICE_HOME: temporaryHome().path});

test('loaded models and prices are in the store as well', async () => {
	const store = createAppStore();
	const {load, modelIds} = createCatalogAccess({settings: settings(), store, demoInfo: () => undefined});
	expect(modelIds()).toEqual([]);
	const {models, priceOf} = await load();
	expect([modelIds(), modelIds().length > 0]).toEqual([models.map(({id}) => id), true]);
	const [first = ''] = modelIds();
	expect(store.getState().infoOf(first)).toMatchObject({id: first});
	expect(store.getState().priceOf(first)).toEqual(priceOf(first));
});

test('the embedded server is asked for its model once it runs', async () => {
	const store = createAppStore();
	let running = false;
	const {load} = createCatalogAccess({settings: settings(), store, demoInfo: () => (running ? info : undefined)});
	await load();
	expect(store.getState().infoOf('demo/demo')?.contextWindow).toBe(undefined);
	running = true;
	expect(store.getState().infoOf('demo/demo')).toEqual({id: 'demo/demo', name: 'Demo', contextWindow: 32_000});
	expect(store.getState().priceOf('demo/demo')).toMatchObject({input: 0, output: 0});
});

import type {ModelAccess} from '../agent/model-access.ts';
import type {Config} from '../config/config.ts';
import type {NewKey} from '../config/provider-keys.ts';
import {saveSettings} from '../config/settings/saved-settings.ts';
import type {Catalog} from '../core/catalog.ts';
import type {ProviderName} from '../core/model.ts';
import {originOf} from '../core/origin.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {KeyCheck} from '../providers/check-key.ts';
import {registry} from '../providers/registry.ts';
import type {AppStore} from '../store/store.ts';
import {type ChooseModel, modelOfHost} from './model-of-host.ts';

export type Models = {
	readonly catalog: () => Promise<Catalog>;
	/**
	 * Returns the models that the user's own hosts list, as `provider/model-name`; none without such a host. Throws `AppError`
	 * if no host responds.
	 */
	readonly hostModels: (signal: AbortSignal) => Promise<readonly string[]>;
	/** Returns the same, and the models of local programs at their usual addresses. A host that doesn't respond has none. */
	readonly foundModels: (signal: AbortSignal) => Promise<readonly string[]>;
	/** Checks a key with its provider before it is saved. Throws `AppError("auth")` if the provider rejects it. */
	readonly checkKey: (provider: ProviderName, key: NewKey, signal: AbortSignal) => Promise<KeyCheck>;
	/** Returns the model that a session starts with, `provider/model-name`; undefined if a host must be asked. */
	readonly initial: () => string | undefined;
};

type Dependencies = {
	readonly store: AppStore;
	readonly config: Config;
	readonly access: ModelAccess;
	readonly catalog: Models['catalog'];
	readonly createTransport: (credential: Credential | undefined) => Promise<Transport>;
};

export type AllModels = Models & {
	/** Selects a model if none is selected. Throws as `modelOfHost`, `hostModels` and `ModelAccess.assertUsable` do. */
	readonly choose: (choose: ChooseModel | undefined, signal: AbortSignal) => Promise<void>;
	/** Saves the model for new sessions; never throws. */
	readonly remember: (model: string) => void;
};

/** Creates the access to models, their hosts and keys, and to the selected one. */
export function createModels({store, config, access, catalog, createTransport}: Dependencies): AllModels {
	const listModels = async (signal: AbortSignal, isAny: boolean) => {
		const hosts = await access.hosts(isAny);
		const {listHostModels} = await import('../providers/discover.ts');
		const lists = await Promise.allSettled(
			hosts.map(async ({name, baseUrl, transport}) => {
				const names = await listHostModels(registry[name], baseUrl, transport, signal);
				return names.map(model => `${name}/${model}`);
			}),
		);
		signal.throwIfAborted();
		const [failure] = lists.flatMap(list => (list.status === 'rejected' ? [list] : []));
		const found = lists.flatMap(list => (list.status === 'fulfilled' ? [list.value] : []));
		if (failure && found.length === 0 && !isAny) {
			throw failure.reason;
		}

		return found.flat();
	};

	const hostModels = (signal: AbortSignal) => listModels(signal, false);

	return {
		catalog,
		hostModels,
		foundModels: signal => listModels(signal, true),
		async checkKey(provider, {key, baseUrl}, signal) {
			const {checkKey} = await import('../providers/check-key.ts');
			const row = registry[provider];
			const base = baseUrl ?? row.defaultBaseUrl ?? '';
			const open = () => createTransport(key && {origin: originOf(base), kind: row.auth, secret: key});
			return checkKey(row, base, async request => (await open())(request), signal);
		},
		initial: access.initial,
		async choose(choose, signal) {
			const {model, setModel} = store.getState();
			if (model === undefined) {
				setModel(await modelOfHost(await hostModels(signal), choose));
			} else {
				access.assertUsable(model);
			}
		},
		remember(model) {
			if (!access.isDemo(model) && config.read().settings.model !== model) {
				// A model that can't be saved for later is no reason to stop.
				saveSettings(config, {model}).catch(() => undefined);
			}
		},
	};
}

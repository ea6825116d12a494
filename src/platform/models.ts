import type {ModelAccess} from '../agent/model-access.ts';
import type {Config} from '../config/config.ts';
import type {NewKey} from '../config/provider-keys.ts';
import {saveSettings} from '../config/settings.ts';
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
	readonly catalog: () => Promise<Omit<Catalog, 'infoOf'>>;
	/** Model names that the custom host lists, none without such a host. Throws `AppError` where it does not answer. */
	readonly customModels: (signal: AbortSignal) => Promise<readonly string[]>;
	/** Asks a provider about a key before it is stored. Throws `AppError("auth")` where the provider rejects it. */
	readonly checkKey: (provider: ProviderName, key: NewKey, signal: AbortSignal) => Promise<KeyCheck>;
	/** `provider/model-name` that a session begins with, or undefined where a host must be asked. */
	readonly initial: () => string | undefined;
};

type Dependencies = {
	readonly store: AppStore;
	readonly config: Config;
	readonly access: ModelAccess;
	readonly catalog: Models['catalog'];
	readonly createTransport: (credential: Credential | undefined) => Promise<Transport>;
};

type AllModels = Models & {
	/** Selects a model where there is none yet. Throws as `modelOfHost` and `customModels`. */
	readonly choose: (choose: ChooseModel | undefined, signal: AbortSignal) => Promise<void>;
	/** Begins further sessions with a model that was chatted with; never throws. */
	readonly remember: (model: string) => void;
};

/** What is known of models, their hosts and keys, and which one is used. */
export function createModels({store, config, access, catalog, createTransport}: Dependencies): AllModels {
	const customModels = async (signal: AbortSignal) => {
		const host = await access.customHost();
		const {listHostModels} = await import('../providers/discover.ts');
		return host ? listHostModels(host.baseUrl, host.transport, signal) : [];
	};

	return {
		catalog,
		customModels,
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
				setModel(await modelOfHost(await customModels(signal), choose));
			}
		},
		remember(model) {
			if (!access.isDemo(model) && config.read().settings.model !== model) {
				// A model that cannot be kept for later is no reason to stop.
				saveSettings(config, {model}).catch(() => undefined);
			}
		},
	};
}

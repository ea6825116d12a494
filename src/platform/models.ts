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
	/**
	 * Models that the configured hosts of the user's own list, as `provider/model-name`; none without such a host. Throws
	 * `AppError` if no host answers.
	 */
	readonly hostModels: (signal: AbortSignal) => Promise<readonly string[]>;
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
	/** Selects a model where there is none yet. Throws as `modelOfHost` and `hostModels`. */
	readonly choose: (choose: ChooseModel | undefined, signal: AbortSignal) => Promise<void>;
	/** Begins further sessions with a model that was chatted with; never throws. */
	readonly remember: (model: string) => void;
};

/** What is known of models, their hosts and keys, and which one is used. */
export function createModels({store, config, access, catalog, createTransport}: Dependencies): AllModels {
	const hostModels = async (signal: AbortSignal) => {
		const hosts = await access.hosts();
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
		if (failure && found.length === 0) {
			throw failure.reason;
		}

		return found.flat();
	};

	return {
		catalog,
		hostModels,
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

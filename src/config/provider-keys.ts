import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type ProviderName, providerNames} from '../core/model.ts';
import {parseServerUrl} from '../core/origin.ts';
import {type ProviderData, providerRows} from '../core/provider-rows.ts';
import {shownUrl} from '../core/secrets/redact-positions.ts';
import {isKeyText, type Secret, secret} from '../core/secrets/secret.ts';
import type {Config} from './config.ts';
import {type ConfigData, type StoredKey, without} from './config-data.ts';
import {type StoredIn, storedIn} from './stored-where.ts';
import type {OnFault} from './vault.ts';

/** The part of a provider's row that resolving a key needs. */
export type ProviderKeyRow = Pick<ProviderData, 'keyVariables' | 'baseVariable' | 'defaultBaseUrl' | 'keyless'>;

/** Where a credential comes from. */
export type KeySource = StoredIn | 'from env';

/** Where a provider's base URL comes from; `default` is the usual one of a local program that needs no key. */
export type HostSource = KeySource | 'default';

/** Where a provider's requests go, and the key that may go there. */
export type ResolvedKey = {
	/** Undefined for a host of the user's own, unless it asks for a key. */
	readonly key: Secret | undefined;
	/** Without a trailing slash in its path; may have a query. */
	readonly baseUrl: string;
	readonly source: HostSource;
	/** The variable that the key is from; undefined for a stored key and for none. */
	readonly variable?: string;
	/** A sentence for the user if a part of the environment is ignored. */
	readonly notice?: string;
};

/** A key before it is stored, and the base URL that it may go to instead of the vendor's. */
export type NewKey = Pick<StoredKey, 'key' | 'baseUrl'>;

/**
 * Checks a key that the user typed. `baseUrl` is where it may go instead of the vendor's (SAFETY 6); `custom` needs one.
 * Throws AppError("usage") for an invalid key or URL, and for a missing one that is needed.
 */
export function newKey(provider: ProviderName, key: Secret | undefined, baseUrl?: string): NewKey {
	const base = baseUrl === undefined ? undefined : apiBaseUrl(provider, baseUrl);
	if (!base && providerRows[provider].defaultBaseUrl === undefined) {
		throw missingBaseUrl();
	}

	if (key ? !isKeyText(key.reveal()) : !needsNoKey(providerRows[provider], base)) {
		throw new AppError('usage', key ? 'Invalid API key: it contains spaces or other characters.' : 'Missing API key.', {
			hint: `Paste the API key for ${provider} exactly as its vendor shows it.`,
		});
	}

	const address = base ?? (key ? undefined : providerRows[provider].defaultBaseUrl);
	return {...(key && {key}), ...(address && {baseUrl: address})};
}

/** True if a provider at `baseUrl`, or at its default, needs no key as long as it asks for none: the user's own host. */
export function needsNoKey({keyless, defaultBaseUrl}: ProviderKeyRow, baseUrl = defaultBaseUrl): boolean {
	return keyless === true && baseUrl !== undefined;
}

/**
 * Stores the key of a provider, replacing the previous one. Returns what is now stored. Calls `onFault` if the keychain
 * refuses the key, which is then in the file. Throws what `newKey` throws.
 */
export async function setKey(
	config: Config,
	provider: ProviderName,
	key: Secret | undefined,
	baseUrl?: string,
	onFault?: OnFault,
): Promise<StoredKey | undefined> {
	const stored: StoredKey = {...newKey(provider, key, baseUrl), savedAt: new Date().toISOString()};
	const {keys} = await config.update(data => ({...data, keys: {...data.keys, [provider]: stored}}), onFault);
	return entryOf(keys, provider);
}

/** Returns the error for a custom provider without a base URL. `variable` is set, but goes with no saved key (SAFETY 6). */
export function missingBaseUrl(variable?: string): AppError {
	return new AppError('usage', 'Missing base URL for the custom provider.', {
		hint: variable
			? `A saved key needs its own, also beside ${variable}: \`$ keys set custom --base-url "$${variable}"\``
			: 'Pass --base-url, for example http://127.0.0.1:11434/v1.',
	});
}

/** Returns the error for a custom model other than the demo: nothing here answers for it. */
export function noCustomHost(): AppError {
	return new AppError('not-found', 'No custom host is configured.', {
		hint: 'Run `keys set custom --base-url <address>`, or set CUSTOM_BASE_URL and CUSTOM_API_KEY.',
	});
}

/**
 * Removes the stored key of a provider. Calls `onFault` if the keychain still has it. Throws AppError("not-found") if none
 * is stored.
 */
export async function removeKey(config: Config, provider: ProviderName, onFault?: OnFault): Promise<void> {
	await config.update(data => {
		if (!entryOf(data.keys, provider)) {
			throw new AppError('not-found', `No API key stored for ${provider}.`, {
				hint: 'Run `keys list`. To remove a key “from env”, unset its variable.',
			});
		}

		return {...data, keys: without(data.keys, provider)};
	}, onFault);
}

type ListOptions = {
	readonly config: Config;
	readonly env: Environment;
	readonly rows: Readonly<Record<ProviderName, ProviderKeyRow>>;
};

/** A key as a list shows it: at most its last four characters (SAFETY 8). */
export type ListedKey = {
	readonly provider: ProviderName;
	/** '' for a key too short to show any of it; undefined if only a base URL is stored, of a host that needs no key. */
	readonly last4: string | undefined;
	readonly source: KeySource;
	/** Without what may be a key in its query. */
	readonly baseUrl: string | undefined;
};

/** Returns all keys in the order of the providers. A key from the environment is in use, and before a stored one. */
export function listKeys({config, env, rows}: ListOptions): readonly ListedKey[] {
	const {keys} = config.read();
	return providerNames.flatMap(provider => {
		const row = rows[provider];
		const fromEnv = environmentKey(env, row);
		const stored = entryOf(keys, provider);
		const goesTo = (own: string | undefined) => {
			const baseUrl = own || row.defaultBaseUrl;
			return baseUrl && shownUrl(baseUrl);
		};
		return [
			...(fromEnv
				? [
						{
							provider,
							last4: fromEnv.last4,
							source: 'from env' as const,
							baseUrl: goesTo(env[row.baseVariable]?.trim()),
						},
					]
				: []),
			...(stored
				? [
						{
							provider,
							last4: stored.key?.last4,
							source: storedIn(stored.key),
							baseUrl: goesTo(stored.baseUrl),
						},
					]
				: []),
		];
	});
}

type ResolveOptions = {readonly data: ConfigData; readonly env: Environment; readonly row: ProviderKeyRow};

/**
 * Returns the key of a provider and the base URL that it may go to (SAFETY 6); undefined if there is none. The environment
 * wins as a whole: its base URL gets only its own key, its key goes only to its own base URL or the vendor. A stored key
 * goes to the base URL it was stored with or the vendor. Throws AppError("usage") for an invalid base URL.
 */
export function resolveKey(provider: ProviderName, {data, env, row}: ResolveOptions): ResolvedKey | undefined {
	const {baseVariable, defaultBaseUrl, keyVariables} = row;
	const stored = entryOf(data.keys, provider);
	const storedBase = stored && (stored.baseUrl ?? defaultBaseUrl);
	const key = environmentKey(env, row);
	const base = env[baseVariable]?.trim() ? apiBaseUrl(provider, env[baseVariable], baseVariable) : undefined;

	const own = base ?? (key && defaultBaseUrl);
	if (own && (key || (!stored?.key && needsNoKey(row, own)))) {
		const variable = keyVariable(env, row);
		return {key, baseUrl: own, source: 'from env', ...(variable && {variable})};
	}

	if (!stored && !base && defaultBaseUrl && needsNoKey(row)) {
		return {key: undefined, baseUrl: defaultBaseUrl, source: 'default'};
	}

	if (!storedBase) {
		return undefined;
	}

	const baseUrl = withVersion(provider, normalizeBaseUrl(storedBase));
	const isStored = stored?.key !== undefined;
	const notice = key
		? `${keyVariables[0]} is ignored because ${baseVariable} isn't set. Using the stored ${isStored ? 'key' : 'base URL'}.`
		: base && base !== baseUrl
			? `${baseVariable} is ignored: ${whyIgnored(provider, row, baseUrl)}`
			: undefined;
	return {key: stored?.key, baseUrl, source: storedIn(stored?.key), ...(notice && {notice})};
}

/** Returns why a base URL without a key of its own is ignored, and what to do. `keptFor` is where the stored key may go. */
function whyIgnored(provider: ProviderName, {keyVariables: [variable]}: ProviderKeyRow, keptFor: string): string {
	const fix = variable ? `Set ${variable} too.` : `Remove that key: \`keys remove ${provider}\``;
	return `the stored key may only go to ${shownUrl(keptFor)}. ${fix}`;
}

function environmentKey(env: Environment, row: ProviderKeyRow): Secret | undefined {
	const text = env[keyVariable(env, row) ?? '']?.trim();
	return text ? secret(text) : undefined;
}

/** Returns the name of the variable with the key of a provider. */
function keyVariable(env: Environment, {keyVariables}: ProviderKeyRow): string | undefined {
	return keyVariables.find(name => env[name]?.trim());
}

/** An endpoint of an API, which is no part of its base URL. */
const endpoint = /\/(?:chat\/completions|completions|responses|models)\/*$/;

/**
 * Returns the base URL of an API from an address that the user gave: also from one of its endpoints, and from the root or
 * the native API of a local program. Throws as `normalizeBaseUrl`.
 */
function apiBaseUrl(provider: ProviderName, text: string | undefined, variable?: string): string {
	const url = new URL(normalizeBaseUrl(text, variable));
	const isChat = providerRows[provider].adapter.startsWith('openai');
	url.pathname = isChat ? url.pathname.replace(endpoint, '') : url.pathname;
	return withVersion(provider, normalizeBaseUrl(url.href));
}

/** The ports at which Ollama and LM Studio listen by default. */
const localPorts: ReadonlySet<string> = new Set(['11434', '1234']);

/** Returns the address with `/v1` for Ollama and LM Studio, whose other paths speak APIs of their own. */
function withVersion(provider: ProviderName, baseUrl: string): string {
	const url = new URL(baseUrl);
	const isLocal =
		provider === 'ollama' || provider === 'lmstudio' || (provider === 'custom' && localPorts.has(url.port));
	if (!isLocal || !/^\/(?:api(?:\/.*)?)?$/.test(url.pathname)) {
		return baseUrl;
	}

	return `${url.origin}/v1${url.search}`;
}

/**
 * Returns the URL without trailing slash and fragment; keeps the query, which hosts on Azure need. Throws
 * AppError("usage"), naming `variable`, for an invalid URL.
 */
function normalizeBaseUrl(text: string | undefined = '', variable?: string): string {
	try {
		const url = parseServerUrl(text);
		return `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`;
	} catch (error) {
		if (variable && error instanceof AppError) {
			throw new AppError('usage', `Invalid ${variable}: not an http or https URL.`, {
				hint: `Correct ${variable}, or unset it.`,
			});
		}

		throw error;
	}
}

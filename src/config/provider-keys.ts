import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type ProviderName, providerNames} from '../core/model.ts';
import {isLoopback, parseServerUrl} from '../core/origin.ts';
import {type ProviderData, providerRows} from '../core/provider-rows.ts';
import {isKeyText, type Secret, secret} from '../core/secrets/secret.ts';
import type {Config} from './config.ts';
import {type ConfigData, type StoredKey, without} from './config-data.ts';
import {type StoredIn, storedIn} from './stored-where.ts';
import type {OnFault} from './vault.ts';

/** What the resolution of a key needs to know of a provider. */
export type KeyRow = Pick<ProviderData, 'keyVariables' | 'baseVariable' | 'defaultBaseUrl' | 'keyless'>;

/** Where a credential comes from. */
export type KeySource = StoredIn | 'from env';

/** Where a provider's address comes from; `default` is the usual one of a program that needs no key. */
export type HostSource = KeySource | 'default';

/** Where a provider's requests go, and the key that may go there. */
export type ResolvedKey = {
	/** Undefined only for a host on loopback that needs none. */
	readonly key: Secret | undefined;
	/** Without a slash at the end of its path; it may have a query. */
	readonly baseUrl: string;
	readonly source: HostSource;
	/** A sentence for the user where a part of the environment was passed over. */
	readonly notice?: string;
};

/** A key as it would be stored, before it is: what it is, and the address that it may go to instead of the vendor's. */
export type NewKey = Pick<StoredKey, 'key' | 'baseUrl'>;

/**
 * Returns a key for a provider as a person typed it. `baseUrl` is the address that it may go to instead of the vendor's
 * (SAFETY 6); `custom` needs one. Throws `AppError("usage")` for what cannot be a key or an address, and for no key where
 * one is needed.
 */
export function newKey(provider: ProviderName, key: Secret | undefined, baseUrl?: string): NewKey {
	const base = baseUrl === undefined ? undefined : normalizeBaseUrl(baseUrl);
	if (!base && providerRows[provider].defaultBaseUrl === undefined) {
		throw missingAddress();
	}

	if (key ? !isKeyText(key.reveal()) : !needsNoKey(providerRows[provider], base)) {
		throw new AppError('usage', key ? 'Invalid API key: it contains spaces or other characters.' : 'There is no key.', {
			hint: `Give the key of ${provider} as its vendor shows it.`,
		});
	}

	const address = base ?? (key ? undefined : providerRows[provider].defaultBaseUrl);
	return {...(key && {key}), ...(address && {baseUrl: address})};
}

/** True where a provider at `baseUrl`, or at its own address, answers without a key: a program on this machine. */
export function needsNoKey({keyless, defaultBaseUrl}: KeyRow, baseUrl = defaultBaseUrl): boolean {
	return keyless === true && baseUrl !== undefined && isLoopback(new URL(baseUrl));
}

/**
 * Stores the key of a provider, in place of the one before. Returns what is stored now; `onFault` is told why the keychain
 * did not take the key, which is then in the file. Throws as `newKey`.
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

/** What is said where a custom host is to be stored without its address. */
export function missingAddress(): AppError {
	return new AppError('usage', 'A custom host needs an address.', {
		hint: 'Give --base-url, for example http://127.0.0.1:11434/v1.',
	});
}

/** Removes the stored key of a provider. `onFault` is told why the keychain still has it. Throws `not-found` without one. */
export async function removeKey(config: Config, provider: ProviderName, onFault?: OnFault): Promise<void> {
	await config.update(data => {
		if (!entryOf(data.keys, provider)) {
			throw new AppError('not-found', `No key of ${provider} is stored.`, {
				hint: 'Run `keys list`; a key that is there from env is removed by unsetting its variable.',
			});
		}

		return {...data, keys: without(data.keys, provider)};
	}, onFault);
}

type ListOptions = {
	readonly config: Config;
	readonly env: Environment;
	readonly rows: Readonly<Record<ProviderName, KeyRow>>;
};

/** A key as a list shows it: never more than its last four characters (SAFETY 8). */
export type ListedKey = {
	readonly provider: ProviderName;
	/** '' for a key that is too short to show any of it; undefined where an address alone is kept, of a host without keys. */
	readonly last4: string | undefined;
	readonly source: KeySource;
	readonly baseUrl: string | undefined;
};

/** All keys in the order of the providers. Where one is stored and another in the environment, the latter is in use, and first. */
export function listKeys({config, env, rows}: ListOptions): readonly ListedKey[] {
	const {keys} = config.read();
	return providerNames.flatMap(provider => {
		const row = rows[provider];
		const fromEnv = environmentKey(env, row);
		const stored = entryOf(keys, provider);
		const baseUrl = env[row.baseVariable]?.trim() || row.defaultBaseUrl;
		return [
			...(fromEnv ? [{provider, last4: fromEnv.last4, source: 'from env' as const, baseUrl}] : []),
			...(stored
				? [
						{
							provider,
							last4: stored.key?.last4,
							source: storedIn(stored.key),
							baseUrl: stored.baseUrl ?? row.defaultBaseUrl,
						},
					]
				: []),
		];
	});
}

type ResolveOptions = {readonly data: ConfigData; readonly env: Environment; readonly row: KeyRow};

/**
 * Returns the key of a provider and the address that it may go to (SAFETY 6); undefined where there is none. The
 * environment wins, as a whole: its base URL takes only its own key, its key goes to its own base URL or the vendor. A
 * stored key goes to the base URL it was stored with or the vendor. Throws `usage` for an invalid base URL.
 */
export function resolveKey(provider: ProviderName, {data, env, row}: ResolveOptions): ResolvedKey | undefined {
	const {baseVariable, defaultBaseUrl, keyVariables} = row;
	const stored = entryOf(data.keys, provider);
	const storedBase = stored && (stored.baseUrl ?? defaultBaseUrl);
	const key = environmentKey(env, row);
	const base = env[baseVariable]?.trim() ? normalizeBaseUrl(env[baseVariable], baseVariable) : undefined;

	const own = base ?? (key && defaultBaseUrl);
	if (own && (key || (!stored && needsNoKey(row, own)))) {
		return {key, baseUrl: normalizeBaseUrl(own), source: 'from env'};
	}

	if (!stored && !base && defaultBaseUrl && needsNoKey(row)) {
		return {key: undefined, baseUrl: defaultBaseUrl, source: 'default'};
	}

	if (!storedBase) {
		return undefined;
	}

	const baseUrl = normalizeBaseUrl(storedBase);
	const notice = key
		? `${keyVariables[0]} is ignored, because ${baseVariable} is not set; the stored key is used.`
		: base && base !== baseUrl
			? `${baseVariable} is ignored, because the stored key may only go to ${baseUrl}; set ${keyVariables[0]} as well.`
			: undefined;
	return {key: stored?.key, baseUrl, source: storedIn(stored?.key), ...(notice && {notice})};
}

function environmentKey(env: Environment, {keyVariables}: KeyRow): Secret | undefined {
	const text = keyVariables.map(name => env[name]?.trim()).find(Boolean);
	return text ? secret(text) : undefined;
}

/**
 * The address without a slash at the end of its path and without a fragment; the query stays, as hosts on Azure need it.
 * Throws `usage`, naming `variable`, for what is no address.
 */
function normalizeBaseUrl(text: string | undefined = '', variable?: string): string {
	try {
		const url = parseServerUrl(text);
		return `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`;
	} catch (error) {
		if (variable && error instanceof AppError) {
			throw new AppError('usage', `${variable} is not an http or https address.`, {
				hint: `Put ${variable} right, or unset it.`,
			});
		}

		throw error;
	}
}

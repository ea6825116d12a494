import {randomUUID} from 'node:crypto';
import {entryOf} from '../core/entry-of.ts';
import {AppError, reportError} from '../core/error.ts';
import {keychainSecret, type Secret, secret} from '../core/secrets/secret.ts';
import {type ConfigData, secretsIn} from './config-data.ts';
import type {Keychain} from './keychain.ts';
import {asClause} from './stored-where.ts';

type Sealed = {
	readonly data: ConfigData;
	/** Removes the new entries of the keychain: `data` was not stored after all. */
	readonly undo: () => Promise<void>;
};

/** Moves secrets between the configuration and the keychain. */
export type Vault = {
	/**
	 * Returns the secret with its text. Throws AppError("auth") if the keychain lost it, AppError("conflict") if another
	 * process replaced it, and what `Keychain` throws.
	 */
	readonly open: (held: Secret) => Promise<Secret>;
	/**
	 * Moves the secrets of every changed record to the keychain. A secret that the keychain refuses stays as it is, and
	 * `onFault` is called once with the reason.
	 */
	readonly seal: (before: ConfigData, after: ConfigData, onFault: OnFault) => Promise<Sealed>;
	/** Removes the entries that only `before` refers to, and calls `onFault` with the reason if one cannot be removed. */
	readonly sweep: (before: ConfigData, after: ConfigData, onFault: OnFault) => Promise<void>;
};

/** Called with the reason, one sentence, if the keychain fails; the caller's work is done without it. */
export type OnFault = (why: string) => void;

/**
 * Returns a vault whose entries are never changed: every stored secret gets an entry of its own, so that a file that is
 * replaced as a whole always refers to its own entries, whatever other processes do meanwhile (SAFETY 18). `current`
 * returns what the file holds now.
 */
export function createVault(keychain: Keychain, current: () => ConfigData): Vault {
	const opened: OpenedSecrets = new Map();

	return {
		async open(held) {
			const {keychainEntry: entry} = held;
			if (entry === undefined) {
				return held;
			}

			const opening = opened.get(entry) ?? readEntry(keychain, entry, current);
			opened.set(entry, opening);
			// The keychain may be unlocked the next time.
			opening.catch(() => opened.delete(entry));
			return opening;
		},
		async seal(before, after, onFault) {
			const {put, added} = createSealer(keychain, opened, onFault);
			const data = await mapChanged(before, after, put);
			return {data, undo: () => removeEntries(keychain, added, () => undefined)};
		},
		async sweep(before, after, onFault) {
			const kept = new Set(entriesOf(after));
			const unused = entriesOf(before).filter(entry => !kept.has(entry));
			await removeEntries(keychain, unused, onFault);
		},
	};
}

/** Secrets that were read or written, by entry, so that the user doesn't unlock the same one twice. */
type OpenedSecrets = Map<string, Promise<Secret>>;

async function readEntry(keychain: Keychain, entry: string, current: () => ConfigData): Promise<Secret> {
	const text = await keychain.get(entry).catch(error => {
		throw unreadable(error);
	});
	if (text) {
		return secret(text);
	}

	throw lost(entry, current());
}

type Sealer = {
	/** Returns the secret as a reference to its new entry, or as it is if the keychain refuses it. */
	readonly put: (held: Secret, purpose: string) => Promise<Secret>;
	/** The entries that `put` may have written. */
	readonly added: readonly string[];
};

/** After the first refusal nothing more is offered to the keychain, and `onFault` is called once. */
function createSealer(keychain: Keychain, opened: OpenedSecrets, onFault: OnFault): Sealer {
	const added: string[] = [];
	let isRefused = false;
	const put = async (held: Secret, purpose: string) => {
		if (held.keychainEntry !== undefined || isRefused) {
			return held;
		}

		const entry = `${purpose} ${randomUUID()}`;
		// Noted first: a call that timed out may still have written.
		added.push(entry);
		try {
			await keychain.set(entry, held.reveal());
		} catch (error) {
			isRefused = true;
			onFault(reportError(error).message);
			return held;
		}

		opened.set(entry, Promise.resolve(held));
		return keychainSecret(entry, held.last4);
	};

	return {put, added};
}

async function removeEntries(keychain: Keychain, entries: readonly string[], onFault: OnFault): Promise<void> {
	for (const entry of entries) {
		try {
			await keychain.remove(entry);
		} catch (error) {
			// If one is refused, so are the others, after three seconds each.
			onFault(reportError(error).message);
			return;
		}
	}
}

function lost(entry: string, {profiles, keys, mcpLogins = {}}: ConfigData): AppError {
	const isHere = (held: Secret | undefined) => held?.keychainEntry === entry;
	const login = Object.values(mcpLogins).find(({clientSecret, accessToken, refreshToken}) =>
		[clientSecret, accessToken, refreshToken].some(isHere),
	);
	if (login) {
		return new AppError('auth', `The keychain no longer has your login to the MCP server ${login.url}.`, {
			hint: 'Log in again: `mcp login <name>`',
		});
	}

	const profile = Object.values(profiles).find(({apiKey, accessToken, refreshToken}) =>
		[apiKey, accessToken, refreshToken].some(isHere),
	);
	if (profile) {
		const {server} = profile;
		return new AppError('auth', `The keychain no longer has your login to ${server}.`, {
			hint: `Log in again: \`login --server ${server}\``,
			logInTo: server,
		});
	}

	const [provider] = Object.entries(keys).find(([, {key}]) => isHere(key)) ?? [];
	return provider === undefined
		? new AppError('conflict', 'Another process just replaced this login or key.', {hint: 'Try again.'})
		: new AppError('auth', `The keychain no longer has the API key for ${provider}.`, {
				hint: `Store it again: \`keys set ${provider}\``,
			});
}

function unreadable(error: unknown): unknown {
	return error instanceof AppError
		? new AppError(error.code, `Can't read a secret from the keychain: ${asClause(error.message)}.`, {
				...(error.hint && {hint: error.hint}),
				cause: error,
			})
		: error;
}

/** Returns `after` with the secrets of changed records put one after the other: the first may ask to unlock the keychain. */
async function mapChanged(before: ConfigData, after: ConfigData, put: Sealer['put']): Promise<ConfigData> {
	const keys = {...after.keys};
	for (const [name, stored] of Object.entries(after.keys)) {
		if (stored.key && stored !== entryOf(before.keys, name)) {
			keys[name] = {...stored, key: await put(stored.key, `key of ${name}`)};
		}
	}

	const profiles = {...after.profiles};
	for (const [name, profile] of Object.entries(after.profiles)) {
		if (profile !== entryOf(before.profiles, name)) {
			const {apiKey, accessToken, refreshToken} = profile;
			const label = `profile ${name.slice(0, 80)},`;
			profiles[name] = {
				...profile,
				...(apiKey && {apiKey: await put(apiKey, `${label} API key`)}),
				...(accessToken && {accessToken: await put(accessToken, `${label} access token`)}),
				...(refreshToken && {refreshToken: await put(refreshToken, `${label} refresh token`)}),
			};
		}
	}

	const mcpLogins = {...after.mcpLogins};
	for (const [url, login] of Object.entries(mcpLogins)) {
		if (login !== entryOf(before.mcpLogins ?? {}, url)) {
			const {clientSecret, accessToken, refreshToken} = login;
			const label = `MCP ${url.slice(0, 80)},`;
			mcpLogins[url] = {
				...login,
				...(clientSecret && {clientSecret: await put(clientSecret, `${label} client secret`)}),
				...(accessToken && {accessToken: await put(accessToken, `${label} access token`)}),
				...(refreshToken && {refreshToken: await put(refreshToken, `${label} refresh token`)}),
			};
		}
	}

	return {...after, keys, profiles, ...(after.mcpLogins && {mcpLogins})};
}

function entriesOf(data: ConfigData): readonly string[] {
	return secretsIn(data).flatMap(({keychainEntry = []}) => keychainEntry);
}

import {randomUUID} from 'node:crypto';
import {entryOf} from '../core/entry-of.ts';
import {AppError, reportError} from '../core/error.ts';
import {keychainSecret, type Secret, secret} from '../core/secrets/secret.ts';
import type {ConfigData} from './config-data.ts';
import type {Keychain} from './keychain.ts';
import {asClause} from './stored-where.ts';

/** What a secret is for, as a person finds it in the keychain, beside a number of its own. */
type Purpose = string;

type Sealed = {
	readonly data: ConfigData;
	/** Removes what was put into the keychain for `data`, which was not stored after all. */
	readonly undo: () => Promise<void>;
};

/** Moves secrets between the configuration and the keychain. */
export type Vault = {
	/**
	 * The secret with its text. Throws `auth` where the keychain lost it, `conflict` where another process replaced it, and
	 * as `Keychain` does.
	 */
	readonly open: (held: Secret) => Promise<Secret>;
	/**
	 * Puts the secrets of every record that changed into the keychain. One that cannot go there stays as it is, and
	 * `onFault` is told why, once.
	 */
	readonly seal: (before: ConfigData, after: ConfigData, onFault: OnFault) => Promise<Sealed>;
	/** Removes the entries that only `before` refers to; `onFault` is told why one could not be. */
	readonly sweep: (before: ConfigData, after: ConfigData, onFault: OnFault) => Promise<void>;
};

/** Told in one sentence why the keychain did not do its part; what was to be done is done without it. */
export type OnFault = (why: string) => void;

/**
 * Every secret that is stored gets an entry of its own, and an entry is never changed: a file that is replaced as a whole
 * always refers to what belongs to it, whatever other processes do meanwhile (SAFETY 18). `current` is what the file holds now.
 */
export function createVault(keychain: Keychain, current: () => ConfigData): Vault {
	/** What was read or written, so that nobody is asked to unlock anything twice. */
	const opened = new Map<string, Promise<Secret>>();

	const read = async (entry: string) => {
		const text = await keychain.get(entry).catch(error => {
			throw unreadable(error);
		});
		if (text) {
			return secret(text);
		}

		throw lost(entry, current());
	};

	const removeAll = async (entries: readonly string[], onFault: OnFault) => {
		for (const entry of entries) {
			try {
				await keychain.remove(entry);
			} catch (error) {
				// What refuses one refuses all, after three seconds each.
				onFault(reportError(error).message);
				return;
			}
		}
	};

	return {
		async open(held) {
			const {keychainEntry: entry} = held;
			if (entry === undefined) {
				return held;
			}

			const opening = opened.get(entry) ?? read(entry);
			opened.set(entry, opening);
			// What could not be opened is tried again the next time: the keychain may be unlocked then.
			opening.catch(() => opened.delete(entry));
			return opening;
		},
		async seal(before, after, onFault) {
			const made: string[] = [];
			let refused = false;
			const put = async (held: Secret, purpose: Purpose) => {
				if (held.keychainEntry !== undefined || refused) {
					return held;
				}

				const entry = `${purpose} ${randomUUID()}`;
				// Noted first: a call that was given up may still have written.
				made.push(entry);
				try {
					await keychain.set(entry, held.reveal());
				} catch (error) {
					refused = true;
					onFault(reportError(error).message);
					return held;
				}

				opened.set(entry, Promise.resolve(held));
				return keychainSecret(entry, held.last4);
			};
			const data = await mapChanged(before, after, put);
			return {data, undo: () => removeAll(made, () => undefined)};
		},
		async sweep(before, after, onFault) {
			const kept = new Set(entriesOf(after));
			await removeAll(
				entriesOf(before).filter(entry => !kept.has(entry)),
				onFault,
			);
		},
	};
}

function lost(entry: string, {profiles, keys}: ConfigData): AppError {
	const isHere = (held: Secret | undefined) => held?.keychainEntry === entry;
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
		? new AppError('conflict', 'Another process has just replaced this login or key.', {hint: 'Try again.'})
		: new AppError('auth', `The keychain no longer has the key of ${provider}.`, {
				hint: `Store it again: \`keys set ${provider}\``,
			});
}

function unreadable(error: unknown): unknown {
	return error instanceof AppError
		? new AppError(
				error.code,
				`A stored secret is in the keychain, which cannot be read: ${asClause(error.message)}.`,
				{
					...(error.hint && {hint: error.hint}),
					cause: error,
				},
			)
		: error;
}

/** One after the other: a person may have to unlock the keychain for the first. */
async function mapChanged(
	before: ConfigData,
	after: ConfigData,
	put: (held: Secret, purpose: Purpose) => Promise<Secret>,
): Promise<ConfigData> {
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

	return {...after, keys, profiles};
}

function entriesOf({keys, profiles}: ConfigData): readonly string[] {
	return [
		...Object.values(keys).map(({key}) => key),
		...Object.values(profiles).flatMap(({apiKey, accessToken, refreshToken}) => [apiKey, accessToken, refreshToken]),
	].flatMap(held => held?.keychainEntry ?? []);
}

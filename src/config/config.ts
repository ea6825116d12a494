import {renameSync} from 'node:fs';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {explainFileError} from '../storage/file-error.ts';
import {stampOf} from '../storage/file-stamp.ts';
import type {Home} from '../storage/home.ts';
import {withLock} from '../storage/lock.ts';
import {readSmallFile} from '../storage/small-file.ts';
import {type ConfigData, emptyConfig, parseConfig, toStored} from './config-data.ts';
import type {Keychain} from './keychain.ts';
import {createVault, type OnFault} from './vault.ts';

/** The configuration of this user: provider keys, profiles, settings. */
export type Config = {
	/** Absolute path of the file. */
	readonly file: string;
	/** What the file holds now; read again only when it changed. Throws as `readConfig` does. */
	readonly read: () => ConfigData;
	/**
	 * Returns a secret of `read` with its text, which may be in the keychain. Throws `auth` where the keychain lost it, and
	 * `failed` where the keychain cannot be asked.
	 */
	readonly open: (held: Secret) => Promise<Secret>;
	/**
	 * Changes the configuration without losing what other processes change: takes the lock, reads the file again, and
	 * replaces it as a whole by what `change` gives (SAFETY 10, 18). Secrets of records that changed go to the keychain, and
	 * entries that are not referred to any more are removed from it; `onFault` is told where that cannot be done. Gives
	 * what is now in the file. Throws what `change` throws, and `AppError`: `conflict` where another process keeps the
	 * lock, `failed` where the disk refuses.
	 */
	readonly update: (change: (data: ConfigData) => ConfigData, onFault?: OnFault) => Promise<ConfigData>;
	/**
	 * Runs `run` while no other process of this user runs what it gave here, for what must not be done twice; it may call
	 * `update`, and must take less than 30 seconds. Throws what `run` throws, and `conflict` where another one never ends.
	 */
	readonly alone: <T>(run: () => Promise<T>) => Promise<T>;
};

/** Without a keychain every secret stays in the file. */
export function openConfig(home: Home, keychain?: Keychain): Config {
	let cached: {readonly stamp: string; readonly data: ConfigData} | undefined;

	const read = () => {
		const stamp = stampOf(home.configFile);
		if (cached?.stamp !== stamp) {
			cached = {stamp, data: readConfig(home)};
		}

		return cached.data;
	};

	const vault = keychain && createVault(keychain, read);

	const update = async (change: (data: ConfigData) => ConfigData, onFault: OnFault = () => undefined) => {
		// conf takes 50 ms to load, so it comes with the first change, and before the lock is held.
		const {writeStore} = await import('./conf-store.ts');
		const {before, after} = await withLock(`${home.configFile}.lock`, async lock => {
			const before = readConfig(home);
			const changed = change(before);
			if (changed === before) {
				return {before, after: before};
			}

			const sealed = await vault?.seal(before, changed, onFault);
			try {
				if (!lock.isHeld()) {
					throw new AppError('conflict', 'Another process changed the configuration.', {hint: 'Try again.'});
				}

				await writeStore(home, toStored(sealed?.data ?? changed));
			} catch (error) {
				await sealed?.undo();
				throw error;
			}

			return {before, after: read()};
		});
		await vault?.sweep(before, after, onFault);
		return after;
	};

	return {
		file: home.configFile,
		read,
		open: async held => (vault ? vault.open(held) : held),
		update,
		alone: run => withLock(`${home.path}/login.lock`, run),
	};
}

/**
 * Reads the configuration, without conf, because the first frame waits for it; an empty one where there is no file.
 * Throws `AppError`: `upgrade` for the file of a newer version, `failed` for one that cannot be read. A file that is not
 * valid is moved aside first, so that nothing ever writes over it.
 */
export function readConfig(home: Home): ConfigData {
	const text = readSmallFile(home.configFile);
	if (text === undefined) {
		return emptyConfig;
	}

	const value = parseJson(text);
	if (isJsonObject(value) && typeof value['version'] === 'number' && value['version'] > 1) {
		throw new AppError('upgrade', `${home.configFile} was written by a newer version of service.`, {
			hint: 'Update service, or set SERVICE_HOME to another folder.',
		});
	}

	const {data, fault} = value === undefined ? {fault: 'the file: not JSON'} : parseConfig(value);
	if (data) {
		return data;
	}

	throw new AppError('failed', `The configuration is not valid (${fault}).`, {
		hint: `It was kept as ${setAside(home.configFile)}: put it right and move it back to ${home.configFile}, or set it up anew.`,
	});
}

function setAside(path: string): string {
	const aside = `${path}.invalid-${new Date().toISOString().replace(/[:.]/g, '-')}`;
	try {
		renameSync(path, aside);
	} catch (error) {
		throw explainFileError(error, 'write', path);
	}

	return aside;
}

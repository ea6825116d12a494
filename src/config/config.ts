import {renameSync} from 'node:fs';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {explainFileError} from '../storage/file-error.ts';
import type {Home} from '../storage/home.ts';
import {cacheByStamp} from '../storage/kept-file.ts';
import {withLock} from '../storage/lock.ts';
import {readPrivateFile} from '../storage/private-file.ts';
import {type ConfigData, emptyConfig, parseConfig, toStored} from './config-data.ts';
import type {Keychain} from './keychain.ts';
import {createVault, type OnFault} from './vault.ts';

/** The user's configuration: provider keys, profiles, settings. */
export type Config = {
	/** Absolute path of the file. */
	readonly file: string;
	/** Returns the content of the file, cached until the file changes. Throws what `readConfig` throws. */
	readonly read: () => ConfigData;
	/**
	 * Returns a secret of `read` with its text, which may be in the keychain. Throws AppError("auth") if the keychain lost
	 * it, AppError("failed") if the keychain cannot be read.
	 */
	readonly open: (held: Secret) => Promise<Secret>;
	/**
	 * Changes the configuration without losing changes of other processes: takes the lock, reads the file again, and
	 * replaces it with the result of `change` (SAFETY 10, 18). Moves secrets of changed records to the keychain and removes
	 * its unused entries; calls `onFault` if the keychain fails. Returns the new content of the file. Throws what `change`
	 * throws, AppError("conflict") if another process keeps the lock, AppError("failed") if the disk refuses.
	 */
	readonly update: (change: (data: ConfigData) => ConfigData, onFault?: OnFault) => Promise<ConfigData>;
	/**
	 * Runs `run` under a lock of its own, so that one process at a time does it. `run` may call `update` and must take less
	 * than 30 seconds. Throws what `run` throws, and AppError("conflict") if another process keeps the lock.
	 */
	readonly runExclusively: <T>(run: () => Promise<T>) => Promise<T>;
};

/** Opens the configuration. Without a keychain every secret stays in the file. */
export function openConfig(home: Home, keychain?: Keychain): Config {
	const read = cacheByStamp(home.configFile, () => readConfig(home));
	const vault = keychain && createVault(keychain, read);

	const update = async (change: (data: ConfigData) => ConfigData, onFault: OnFault = () => undefined) => {
		// conf takes 50 ms to load: load it with the first change, before taking the lock.
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
		runExclusively: run => withLock(`${home.path}/login.lock`, run),
	};
}

/**
 * Writes the configuration as it is. What uses a stored token up begins with this, so that it isn't lost on a disk that can't
 * take the new one. Throws what `update` throws.
 */
export async function assertWritable({update}: Config): Promise<void> {
	await update(data => ({...data}));
}

/**
 * Reads the configuration without conf, because the first frame waits for it; empty if there is no file. Throws
 * AppError("upgrade") if a newer version wrote the file, AppError("failed") if it cannot be read or is invalid. Moves an
 * invalid file aside first, so that nothing ever overwrites it.
 */
export function readConfig(home: Home): ConfigData {
	const text = readPrivateFile(home.configFile);
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

	throw new AppError('failed', `Invalid configuration (${fault}).`, {
		hint: `Fix ${setAside(home.configFile)} and move it back to ${home.configFile}, or set up again.`,
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

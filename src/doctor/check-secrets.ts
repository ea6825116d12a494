import type {Config} from '../config/config.ts';
import type {Keychain} from '../config/keychain.ts';
import {listKeys} from '../config/provider-keys.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {registry} from '../providers/registry.ts';
import {type Check, fault, good, note} from './check.ts';

/** Checks that there is a key for a model. Shows no part of a key. */
export function checkKeys(config: Config, env: Environment): Check {
	const keys = listKeys({config, env, rows: registry});
	const names = [...new Set(keys.map(({provider}) => provider))];
	return names.length > 0
		? good('Models', `Keys for ${names.join(', ')}.`)
		: note(
				'Models',
				'No key for a model; the demo model answers.',
				'Run `keys set <provider>`, or `login` to a server.',
			);
}

/** Checks that the keychain works, by reading an entry that nobody stores. */
export async function checkKeychain(config: Config, keychain: Keychain | undefined): Promise<Check> {
	const name = 'Keychain';
	if (!keychain) {
		return note(name, 'Not used; secrets are in the configuration file, readable by you alone.');
	}

	try {
		await keychain.get('doctor');
		return good(name, 'It answers.');
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const held = heldSecrets(config).filter(secret => secret.keychainEntry !== undefined).length;
		return held > 0
			? fault(name, `${error.message} It holds ${held} of your secrets.`, error.hint ?? 'Unlock the keychain.')
			: note(name, `${error.message} Secrets stay in the configuration file, readable by you alone.`);
	}
}

function heldSecrets(config: Config): readonly Secret[] {
	const {keys, profiles} = config.read();
	return [
		...Object.values(keys).map(({key}) => key),
		...Object.values(profiles).flatMap(({apiKey, accessToken, refreshToken}) => [apiKey, accessToken, refreshToken]),
	].filter(secret => secret !== undefined);
}

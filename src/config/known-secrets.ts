import type {Environment} from '../core/environment.ts';
import {keyVariables} from '../core/model.ts';
import {redactKnown} from '../core/secrets/redact.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {createValueMask, hideValues} from '../core/secrets/value-mask.ts';
import type {Config} from './config.ts';
import {secretsIn} from './config-data.ts';

/** Finds the credentials in use here in texts, whatever they look like. */
export type KnownSecrets = {
	/** Adds a credential that was opened or typed. */
	readonly add: (held: Secret) => void;
	/** Sets the secret values in the files of the working folder. */
	readonly learn: (values: readonly string[]) => void;
	/** Resolves to true if a text has a credential: one of a known kind, or one that is stored or in the environment. */
	readonly find: (text: string) => Promise<boolean>;
	/**
	 * Returns the text with credentials masked, and with the values of the working folder, in every form of `createValueMask`.
	 * One in the keychain is known once it was opened or found.
	 */
	readonly hide: (text: string) => string;
	/** Does the same without those of a known kind: what isn't known stays, whatever it looks like. */
	readonly hideOwn: (text: string) => string;
	/** Returns the credentials of this program that are known, of at least eight characters, the longest first. */
	readonly own: () => readonly string[];
};

/** Characters of a credential, at least: a shorter one could be any word, and masking it would damage texts. */
const minLength = 8;

export function createKnownSecrets(config: Config, env: Environment): KnownSecrets {
	const opened = new Set<string>();
	let ofFolder: readonly string[] = [];
	let ofProgram = {key: '', hide: (text: string) => text};
	const variables = ['SERVICE_API_KEY', ...Object.values(keyVariables).flat()];

	const stored = (): readonly Secret[] => secretsIn(config.read());

	const own = () =>
		[
			...opened,
			...stored().flatMap(held => (held.keychainEntry === undefined ? [held.reveal()] : [])),
			...variables.map(name => env[name]?.trim() ?? ''),
		]
			.filter(text => text.length >= minLength)
			// Once a host is masked, the URL with it and a password would no longer be found.
			.sort((one, other) => other.length - one.length);

	const hideProgram = (text: string) => {
		const known = own();
		const key = known.join('\0');
		if (key !== ofProgram.key) {
			ofProgram = {key, hide: createValueMask(known).hide};
		}

		return ofProgram.hide(text);
	};
	const hideOwn = (text: string) => hideValues(hideProgram(text), ofFolder);
	const hide = (text: string) => hideOwn(redactKnown(text));

	return {
		add: held => void opened.add(held.reveal()),
		learn(values) {
			ofFolder = values;
		},
		async find(text) {
			// Open a keychain entry only if its last characters are in the text: it may have to be unlocked.
			const near = stored().filter(({keychainEntry, last4}) => keychainEntry && last4 && text.includes(last4));
			for (const held of near) {
				await config.open(held).then(
					found => opened.add(found.reveal()),
					() => undefined,
				);
			}

			return hideProgram(redactKnown(text)) !== text;
		},
		hide,
		hideOwn,
		own,
	};
}

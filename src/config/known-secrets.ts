import type {Environment} from '../core/environment.ts';
import {keyVariables} from '../core/model.ts';
import {hideAcross, redactKnown} from '../core/secrets/redact.ts';
import {mask, type Secret} from '../core/secrets/secret.ts';
import type {Config} from './config.ts';

/** Finds the credentials in use here in texts, whatever they look like. */
export type KnownSecrets = {
	/** Adds a credential that was opened or typed. */
	readonly add: (held: Secret) => void;
	/** Resolves to true if a text has a credential: one of a known kind, or one that is stored or in the environment. */
	readonly find: (text: string) => Promise<boolean>;
	/** Returns the text with credentials masked. One in the keychain is known once it was opened or found. */
	readonly hide: (text: string) => string;
	/** Does the same for credentials of this program alone: all else stays, whatever it looks like. */
	readonly hideOwn: (text: string) => string;
	/** Returns the credentials of this program that are known, of at least eight characters, the longest first. */
	readonly own: () => readonly string[];
};

/** Characters of a credential, at least: a shorter one could be any word, and masking it would damage texts. */
const minLength = 8;

export function createKnownSecrets(config: Pick<Config, 'read' | 'open'>, env: Environment): KnownSecrets {
	const opened = new Set<string>();
	const variables = ['SERVICE_API_KEY', ...Object.values(keyVariables).flat()];

	const stored = (): readonly Secret[] => {
		const {keys, profiles, mcpLogins = {}} = config.read();
		return [
			...Object.values(mcpLogins).flatMap(({clientSecret, accessToken, refreshToken}) => [
				...[clientSecret, accessToken, refreshToken],
			]),
			...Object.values(keys).map(({key}) => key),
			...Object.values(profiles).flatMap(({apiKey, accessToken, refreshToken}) => [apiKey, accessToken, refreshToken]),
		].filter(held => held !== undefined);
	};

	const own = () =>
		[
			...opened,
			...stored().flatMap(held => (held.keychainEntry === undefined ? [held.reveal()] : [])),
			...variables.map(name => env[name]?.trim() ?? ''),
		]
			.filter(text => text.length >= minLength)
			// Once a host is masked, the URL with it and a password would no longer be found.
			.sort((one, other) => other.length - one.length);

	const hideOwn = (text: string) => {
		const known = own();
		const hideLine = (line: string) => known.reduce((rest, secret) => rest.replaceAll(secret, mask), line);
		return text.includes('\u001B')
			? hideAcross(text.split('\n'), lines => lines.map(hideLine)).join('\n')
			: hideLine(text);
	};
	const hide = (text: string) => hideOwn(redactKnown(text));

	return {
		add: held => void opened.add(held.reveal()),
		async find(text) {
			// Open a keychain entry only if its last characters are in the text: it may have to be unlocked.
			const near = stored().filter(({keychainEntry, last4}) => keychainEntry && last4 && text.includes(last4));
			for (const held of near) {
				await config.open(held).then(
					found => opened.add(found.reveal()),
					() => undefined,
				);
			}

			return hide(text) !== text;
		},
		hide,
		hideOwn,
		own,
	};
}

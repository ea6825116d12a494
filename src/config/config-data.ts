import * as z from 'zod/mini';
import {keychainSecret, type Secret, secret} from '../core/secrets/secret.ts';

/**
 * A secret is wrapped the moment it is read, so that no part of the program ever sees its text (SAFETY 8). The text itself,
 * or the mark that it is in the keychain.
 */
const secretText = z.union([
	z.pipe(
		z.string().check(z.minLength(1)),
		z.transform((text: string) => secret(text)),
	),
	z.pipe(
		z.object({keychain: z.string().check(z.minLength(1)), last4: z.string().check(z.maxLength(4))}),
		z.transform(({keychain, last4}) => keychainSecret(keychain, last4)),
	),
]);

const storedKey = z.looseObject({
	/** Only a `custom` host on loopback may go without. */
	key: z.optional(secretText),
	/** The one address besides the vendor's own that the key may go to (SAFETY 6). */
	baseUrl: z.optional(z.string()),
	savedAt: z.string(),
});
export type StoredKey = z.infer<typeof storedKey>;

const profile = z.looseObject({
	name: z.string(),
	/** Origin of the server; key and tokens go nowhere else (SAFETY 6). */
	server: z.url({protocol: /^https?$/}),
	/** A profile has a key or tokens, or neither after a logout. */
	apiKey: z.optional(secretText),
	accessToken: z.optional(secretText),
	refreshToken: z.optional(secretText),
	/** When the access token ends; ISO 8601 in UTC. */
	expiresAt: z.optional(z.string()),
	org: z.optional(z.string()),
	workspace: z.optional(z.string()),
	project: z.optional(z.string()),
	/** ISO 8601 in UTC. */
	savedAt: z.string(),
});
export type Profile = z.infer<typeof profile>;

const settings = z.looseObject({
	/** `provider/model-name` that a new session begins with. */
	model: z.optional(z.string()),
});

const configData = z.looseObject({
	version: z.literal(1),
	settings: z._default(settings, {}),
	/** By name of the provider. */
	keys: z._default(z.record(z.string(), storedKey), {}),
	/** By name of the profile. */
	profiles: z._default(z.record(z.string(), profile), {}),
	activeProfile: z.optional(z.string()),
	/** The one that was active before it. */
	previousProfile: z.optional(z.string()),
	/** Real paths of folders far larger than a project, such as the home folder, that the agent may see all the same. */
	openedFolders: z.optional(z.array(z.string())),
});

/** What `config.json` holds. Fields that this version does not know are kept. */
export type ConfigData = z.infer<typeof configData>;

export const emptyConfig: ConfigData = {version: 1, settings: {}, keys: {}, profiles: {}};

/** Reads parsed JSON as a configuration. Returns the first fault as `path: what is wrong` where it is none. */
export function parseConfig(
	value: unknown,
): {readonly data: ConfigData; readonly fault?: never} | {readonly data?: never; readonly fault: string} {
	const {data, error} = configData.safeParse(value);
	if (data) {
		return {data};
	}

	const [issue] = error.issues;
	return {fault: `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'invalid'}`};
}

/** The configuration as it is stored: here secrets that are not in the keychain are revealed (SAFETY 8). */
export function toStored(data: ConfigData): Record<string, unknown> {
	return {
		...data,
		keys: mapValues(data.keys, stored => ({...stored, ...(stored.key && {key: storedText(stored.key)})})),
		profiles: mapValues(data.profiles, ({apiKey, accessToken, refreshToken, ...rest}) => ({
			...rest,
			...(apiKey && {apiKey: storedText(apiKey)}),
			...(accessToken && {accessToken: storedText(accessToken)}),
			...(refreshToken && {refreshToken: storedText(refreshToken)}),
		})),
	};
}

function storedText(held: Secret): unknown {
	const {keychainEntry, last4} = held;
	return keychainEntry === undefined ? held.reveal() : {keychain: keychainEntry, last4};
}

/** A record without one entry. */
export function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
	return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

import * as z from 'zod/mini';
import {keychainSecret, type Secret, secret} from '../core/secrets/secret.ts';

/**
 * A secret's text, or a reference to its keychain entry. It is wrapped as soon as it is read, so that its text is never
 * shown by accident (SAFETY 8).
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
	/** Missing for a host of the user's own that asks for none. */
	key: z.optional(secretText),
	/** The only base URL that the key may go to instead of the vendor's (SAFETY 6). */
	baseUrl: z.optional(z.string()),
	savedAt: z.string(),
});
export type StoredKey = z.infer<typeof storedKey>;

const profile = z.looseObject({
	name: z.string(),
	/** The server, as in `Origin`: the only one that the key and tokens go to (SAFETY 6). */
	server: z.url({protocol: /^https?$/}),
	/** A profile has a key or tokens; after a logout, neither. */
	apiKey: z.optional(secretText),
	accessToken: z.optional(secretText),
	refreshToken: z.optional(secretText),
	/** When the access token expires; ISO 8601 in UTC. */
	expiresAt: z.optional(z.string()),
	org: z.optional(z.string()),
	workspace: z.optional(z.string()),
	project: z.optional(z.string()),
	/** ISO 8601 in UTC. */
	savedAt: z.string(),
});
export type Profile = z.infer<typeof profile>;

const mcpLogin = z.looseObject({
	/** The URL of the MCP server, the only one that the access token goes to (SAFETY 6). */
	url: z.string(),
	issuer: z.string(),
	/** The only URL that the refresh token goes to, and how a client proves itself there. */
	tokenEndpoint: z.string(),
	authMethods: z.optional(z.array(z.string())),
	revocationEndpoint: z.optional(z.string()),
	resource: z.optional(z.string()),
	clientId: z.string(),
	/** True if the user named the client, so that a new login registers none. */
	isOwnClient: z.optional(z.boolean()),
	/** The scopes that were granted, and those that the server asked for since; each with spaces between. */
	scope: z.optional(z.string()),
	wantedScope: z.optional(z.string()),
	clientSecret: z.optional(secretText),
	accessToken: z.optional(secretText),
	refreshToken: z.optional(secretText),
	/** When the access token expires; ISO 8601 in UTC. */
	expiresAt: z.optional(z.string()),
	savedAt: z.string(),
});
/** A login to an MCP server. */
export type McpLogin = z.infer<typeof mcpLogin>;

const settings = z.looseObject({
	/** `provider/model-name` of new sessions. */
	model: z.optional(z.string()),
	/** Where traces of runs go: `on`, or `content` with texts, by the origin of the server or endpoint. */
	traces: z.optional(z.record(z.string(), z.enum(['on', 'content']))),
	/** Reasoning efforts by model. */
	efforts: z.optional(z.record(z.string(), z.string())),
	/** What the agent may cost on a day, in US dollars. */
	budgetDayUsd: z.optional(z.number()),
});

const configData = z.looseObject({
	version: z.literal(1),
	settings: z._default(settings, {}),
	/** By provider name. */
	keys: z._default(z.record(z.string(), storedKey), {}),
	/** By profile name. */
	profiles: z._default(z.record(z.string(), profile), {}),
	/** By the URL of the MCP server. */
	mcpLogins: z.optional(z.record(z.string(), mcpLogin)),
	activeProfile: z.optional(z.string()),
	/** The profile that was active before. */
	previousProfile: z.optional(z.string()),
	/** Real paths of folders far larger than a project, such as the home folder, that the user lets the agent see. */
	openedFolders: z.optional(z.array(z.string())),
	/** Real paths of folders in which the user agreed to all mode. */
	allModeFolders: z.optional(z.array(z.string())),
});

/** The content of `config.json`. Unknown fields are kept. */
export type ConfigData = z.infer<typeof configData>;

export const emptyConfig: ConfigData = {version: 1, settings: {}, keys: {}, profiles: {}};

/** Validates parsed JSON as a configuration. Returns the first fault as `path: reason` if it is invalid. */
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

/** Returns the configuration as it is stored. Reveals secrets that are not in the keychain (SAFETY 8). */
export function toStored(data: ConfigData): Record<string, unknown> {
	const {mcpLogins} = data;
	return {
		...data,
		...(mcpLogins && {
			mcpLogins: mapValues(mcpLogins, ({clientSecret, accessToken, refreshToken, ...rest}) => ({
				...rest,
				...(clientSecret && {clientSecret: storedText(clientSecret)}),
				...(accessToken && {accessToken: storedText(accessToken)}),
				...(refreshToken && {refreshToken: storedText(refreshToken)}),
			})),
		}),
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

/** Returns the record without one entry. */
export function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
	return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** Returns all secrets of the configuration: API keys, and the tokens of logins. */
export function secretsIn({keys, profiles, mcpLogins = {}}: ConfigData): readonly Secret[] {
	return [
		...Object.values(mcpLogins).flatMap(({clientSecret, ...login}) => [
			clientSecret,
			login.accessToken,
			login.refreshToken,
		]),
		...Object.values(keys).map(({key}) => key),
		...Object.values(profiles).flatMap(({apiKey, ...login}) => [apiKey, login.accessToken, login.refreshToken]),
	].filter(held => held !== undefined);
}

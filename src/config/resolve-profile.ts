import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf, profileNameOf} from '../core/origin.ts';
import {type Secret, secret} from '../core/secrets/secret.ts';
import type {ConfigData} from './config-data.ts';
import {findProfile, type Login, profileOfServer} from './profiles.ts';
import type {KeySource} from './provider-keys.ts';
import {storedIn} from './stored-where.ts';

/** The flags that select a server and a scope. */
export type ProfileFlags = {
	readonly server?: string | undefined;
	readonly profile?: string | undefined;
	readonly org?: string | undefined;
	readonly workspace?: string | undefined;
	readonly project?: string | undefined;
};

/** The server to use, the credential that may go there, and the scope. */
export type ResolvedProfile = {
	/** Name of the stored profile, or the default name for that server. */
	readonly name: string;
	readonly server: Origin;
	readonly apiKey: Secret | undefined;
	/** The stored tokens, if no key goes to that server. */
	readonly tokens?: {
		readonly access: Secret;
		readonly refresh: Secret | undefined;
		/** ISO 8601 in UTC. */
		readonly expiresAt: string | undefined;
	};
	/** Where the key or tokens come from. */
	readonly keySource: KeySource | undefined;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	readonly project: string | undefined;
	/** A sentence for the user if a part of the environment is ignored. */
	readonly notice?: string;
};

type Options = {
	readonly data: ConfigData;
	readonly env: Environment;
	readonly flags: ProfileFlags;
	/** The profile that the app is connected to. It comes before the environment, but doesn't allow `SERVICE_API_KEY`. */
	readonly connected?: string | undefined;
};

/**
 * Selects the server: flag, then the app's connection, then environment, then the active profile; undefined without any.
 * A stored key goes only to the server of its profile. `SERVICE_API_KEY` goes to `SERVICE_SERVER` or, if that is not set,
 * to a server that a flag or `SERVICE_PROFILE` names; never to one that just happens to be active or connected (SAFETY 6).
 * Each part of the scope comes from flag, environment or profile. Throws AppError("not-found") for an unknown profile,
 * AppError("usage") for an invalid URL or for a profile of another server.
 */
export function resolveProfile({data, env, flags, connected}: Options): ResolvedProfile | undefined {
	const flagged = choose(data, flags.profile, flags.server);
	const live = flagged || connected === undefined ? undefined : entryOf(data.profiles, connected);
	const wanted = read(env, 'PROFILE');
	const named = flagged ?? (live ? undefined : choose(data, wanted, read(env, 'SERVER')));
	const chosen =
		named ?? live ?? (data.activeProfile === undefined ? undefined : findProfile(data, data.activeProfile));
	if (!chosen) {
		return undefined;
	}

	const server = originOf(chosen.server);
	const environmentKey = read(env, 'API_KEY');
	const environmentServer = read(env, 'SERVER');
	const fits = environmentServer
		? originOf(environmentServer) === server
		: named !== undefined || (live !== undefined && live.name === wanted);
	const apiKey = environmentKey && fits ? secret(environmentKey) : chosen.apiKey;
	const access = apiKey ? undefined : chosen.accessToken;
	const stored = apiKey ?? access;
	const notice =
		environmentKey && !fits ? `SERVICE_API_KEY isn't sent to ${server}. Set SERVICE_SERVER to its server.` : undefined;
	return {
		name: chosen.name,
		server,
		apiKey,
		...(access && {tokens: {access, refresh: chosen.refreshToken, expiresAt: chosen.expiresAt}}),
		keySource: environmentKey && fits ? 'from env' : stored && storedIn(stored),
		org: flags.org || read(env, 'ORG') || chosen.org,
		workspace: flags.workspace || read(env, 'WORKSPACE') || chosen.workspace,
		project: flags.project || read(env, 'PROJECT') || chosen.project,
		...(notice && {notice}),
	};
}

function choose(data: ConfigData, name: string | undefined, address: string | undefined): Login | undefined {
	const server = address ? originOf(address) : undefined;
	if (!name) {
		return server && (profileOfServer(data, server) ?? {name: profileNameOf(new URL(server)), server});
	}

	const profile = findProfile(data, name);
	if (server && server !== profile.server) {
		throw new AppError('usage', `Profile “${name}” is for ${profile.server}, not ${server}.`, {
			hint: 'Use the profile or the server, not both.',
		});
	}

	return profile;
}

function read(env: Environment, name: string): string | undefined {
	return env[`SERVICE_${name}`]?.trim() || undefined;
}

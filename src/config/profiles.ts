import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Config} from './config.ts';
import {type ConfigData, type Profile, without} from './config-data.ts';
import type {OnFault} from './vault.ts';

/** The credential of a profile: an API key, or tokens. */
export type StoredCredential = Pick<Profile, 'apiKey' | 'accessToken' | 'refreshToken' | 'expiresAt'>;

/** A server with a credential and a scope. */
export type Login = StoredCredential & Pick<Profile, 'name' | 'server' | 'org' | 'workspace' | 'project'>;

/**
 * Stores a login and makes its profile active. Keeps other fields of a profile with the same name and server; a new
 * credential replaces the old one. Keeps nothing of another server, above all not its key (SAFETY 6). Calls `onFault` if
 * the keychain refuses a secret, which is then in the file. Throws AppError("usage") for an invalid URL.
 */
export async function saveProfile(config: Config, profile: Login, onFault?: OnFault): Promise<Profile> {
	const given = {...profile, server: originOf(profile.server)};
	const data = await config.update(before => {
		const old = entryOf(before.profiles, profile.name);
		const same = old?.server === given.server ? old : undefined;
		const kept = same && (given.apiKey || given.accessToken) ? withoutCredential(same) : same;
		const saved: Profile = {
			...kept,
			...defined(given),
			name: given.name,
			server: given.server,
			savedAt: new Date().toISOString(),
		};
		return activate({...before, profiles: {...before.profiles, [saved.name]: saved}}, saved.name);
	}, onFault);
	return findProfile(data, profile.name);
}

/** Stores a part of the scope in a profile; does nothing unless a profile of that name and server exists. */
export async function saveScope(
	config: Config,
	{name, server}: Pick<Profile, 'name' | 'server'>,
	part: Readonly<Partial<Pick<Profile, 'org' | 'workspace' | 'project'>>>,
): Promise<void> {
	await config.update(before => {
		const profile = entryOf(before.profiles, name);
		return profile?.server === server
			? {...before, profiles: {...before.profiles, [name]: {...profile, ...part}}}
			: before;
	});
}

/** Activates a profile. Throws AppError("not-found") if there is none of that name. */
export async function activateProfile(config: Config, name: string): Promise<Profile> {
	const data = await config.update(before => activate(before, findProfile(before, name).name));
	return findProfile(data, name);
}

/** Sets no profile as the active one, so that the built-in server is used. The one that was active is kept for going back. */
export async function deactivateProfile(config: Config): Promise<void> {
	await config.update(({activeProfile, ...rest}) => ({
		...rest,
		...(activeProfile !== undefined && {previousProfile: activeProfile}),
	}));
}

/**
 * Removes a profile with its credential. Calls `onFault` if the keychain still has it. Throws AppError("not-found") if there
 * is none of that name.
 */
export async function forgetProfile(config: Config, name: string, onFault?: OnFault): Promise<void> {
	await config.update(before => {
		findProfile(before, name);
		const {activeProfile, previousProfile, ...rest} = before;
		return {
			...rest,
			...(activeProfile !== undefined && activeProfile !== name && {activeProfile}),
			...(previousProfile !== undefined && previousProfile !== name && {previousProfile}),
			profiles: without(before.profiles, name),
		};
	}, onFault);
}

/**
 * Removes the key or tokens of a profile and keeps the rest: a logout. Calls `onFault` if the keychain still has them.
 * Throws AppError("not-found") if there is no profile of that name.
 */
export async function removeCredential(config: Config, name: string, onFault?: OnFault): Promise<void> {
	await config.update(before => {
		const profile = findProfile(before, name);
		return hasCredential(profile)
			? {...before, profiles: {...before.profiles, [name]: withoutCredential(profile)}}
			: before;
	}, onFault);
}

/**
 * Replaces the tokens of a profile whose refresh token is `used`; `undefined` removes them, because the login has expired.
 * Does nothing if another login was stored meanwhile.
 */
export async function replaceTokens(
	config: Config,
	name: string,
	used: Secret,
	tokens: Omit<StoredCredential, 'apiKey'> | undefined,
): Promise<void> {
	await config.update(before => {
		const profile = entryOf(before.profiles, name);
		return profile?.refreshToken?.equals(used)
			? {...before, profiles: {...before.profiles, [name]: {...withoutCredential(profile), ...defined(tokens ?? {})}}}
			: before;
	});
}

/** True for a profile with a credential; the server may have revoked it. */
export function hasCredential({apiKey, accessToken}: StoredCredential): boolean {
	return apiKey !== undefined || accessToken !== undefined;
}

function withoutCredential({apiKey, accessToken, refreshToken, expiresAt, ...rest}: Profile): Profile {
	return rest;
}

/** Returns the data with another active profile; the previous one is kept for going back. */
function activate(data: ConfigData, name: string): ConfigData {
	const {activeProfile} = data;
	const changes = activeProfile !== undefined && activeProfile !== name;
	return {...data, activeProfile: name, ...(changes && {previousProfile: activeProfile})};
}

/** Returns all profiles, latest login first. */
export function listProfiles(data: ConfigData): readonly (Profile & {readonly active: boolean})[] {
	return Object.values(data.profiles)
		.map(profile => ({...profile, active: profile.name === data.activeProfile}))
		.sort((a, b) => b.savedAt.localeCompare(a.savedAt));
}

/** Returns the profile of that name. Throws AppError("not-found") with the existing names if there is none. */
export function findProfile(data: ConfigData, name: string): Profile {
	const profile = entryOf(data.profiles, name);
	if (!profile) {
		const names = Object.keys(data.profiles);
		throw new AppError('not-found', `Profile not found: “${name}”.`, {
			hint:
				names.length > 0
					? `Choose one of ${names.join(', ')}, or log in.`
					: 'Log in to a server first: `login --server <url>`',
		});
	}

	return profile;
}

/** Returns the profile for a server: the active one if it is of that server, else the latest login to it. */
export function profileOfServer(data: ConfigData, server: Origin): Profile | undefined {
	const ofServer = listProfiles(data).filter(profile => profile.server === server);
	const {active, ...found} = ofServer.find(profile => profile.active) ?? ofServer[0] ?? {active: false};
	return 'name' in found ? found : undefined;
}

function defined<T extends object>(value: T): Partial<T> {
	return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<T>;
}

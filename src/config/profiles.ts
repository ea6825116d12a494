import {AppError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Config} from './config.ts';
import {type ConfigData, entryOf, type Profile, without} from './config-data.ts';

/** A server with what one needs to work there. */
export type Login = Pick<Profile, 'name' | 'server' | 'apiKey' | 'org' | 'workspace' | 'project'>;

/**
 * Stores a login and makes it the active one. What is not given is kept from a profile of the same name and server; for
 * another server nothing is, and least of all its key (SAFETY 6). Throws `usage` for a bad address.
 */
export async function saveProfile(config: Config, profile: Login): Promise<Profile> {
	const given = {...profile, server: originOf(profile.server)};
	const data = await config.update(before => {
		const old = entryOf(before.profiles, profile.name);
		const kept = old?.server === given.server ? old : undefined;
		const saved: Profile = {
			...kept,
			...defined(given),
			name: given.name,
			server: given.server,
			savedAt: new Date().toISOString(),
		};
		return {...before, profiles: {...before.profiles, [saved.name]: saved}, activeProfile: saved.name};
	});
	return findProfile(data, profile.name);
}

/** Makes a profile the active one. Throws `not-found`. */
export async function activateProfile(config: Config, name: string): Promise<Profile> {
	const data = await config.update(before => ({...before, activeProfile: findProfile(before, name).name}));
	return findProfile(data, name);
}

/** Removes a profile with its key. Throws `not-found`. */
export async function forgetProfile(config: Config, name: string): Promise<void> {
	await config.update(before => {
		findProfile(before, name);
		const {activeProfile, ...rest} = before;
		const active = activeProfile !== undefined && activeProfile !== name ? {activeProfile} : {};
		return {...rest, ...active, profiles: without(before.profiles, name)};
	});
}

/** Removes the key of a profile and keeps the rest: a logout. Throws `not-found`. */
export async function forgetProfileKey(config: Config, name: string): Promise<void> {
	await config.update(before => {
		const {apiKey, ...rest} = findProfile(before, name);
		return apiKey ? {...before, profiles: {...before.profiles, [name]: rest}} : before;
	});
}

/** All profiles, latest login first. */
export function listProfiles(data: ConfigData): readonly (Profile & {readonly active: boolean})[] {
	return Object.values(data.profiles)
		.map(profile => ({...profile, active: profile.name === data.activeProfile}))
		.sort((a, b) => b.savedAt.localeCompare(a.savedAt));
}

/** The profile of that name. Throws `not-found`, with the names that there are. */
export function findProfile(data: ConfigData, name: string): Profile {
	const profile = entryOf(data.profiles, name);
	if (!profile) {
		const names = Object.keys(data.profiles);
		throw new AppError('not-found', `There is no profile “${name}”.`, {
			hint: names.length > 0 ? `Choose one of ${names.join(', ')}, or log in.` : 'Log in to a server first.',
		});
	}

	return profile;
}

/** The profile that a server is reached by: the active one if it is of that server, else the latest login to it. */
export function profileOfServer(data: ConfigData, server: Origin): Profile | undefined {
	const ofServer = listProfiles(data).filter(profile => profile.server === server);
	const {active, ...found} = ofServer.find(profile => profile.active) ?? ofServer[0] ?? {active: false};
	return 'name' in found ? found : undefined;
}

function defined<T extends object>(value: T): Partial<T> {
	return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<T>;
}

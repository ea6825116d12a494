import type {Profile} from '../config/config-data.ts';
import {saveProfile} from '../config/profiles.ts';
import {profileNameOf} from '../core/origin.ts';
import type {Secret} from '../core/secret.ts';
import type {CommandContext} from './context.ts';

/**
 * Proves a key at its server, then stores it as a profile and makes that the active one. Nothing changes where the
 * server refuses or does not answer. Throws `auth` or `network`.
 */
export async function signIn(server: URL, key: Secret, context: CommandContext): Promise<Profile> {
	const {platform, config, flags, store} = context;
	await platform.prove(server.origin, key, flags.insecureHttp);
	const {org, workspace, project} = flags;
	const profile = await saveProfile(config, {
		name: flags.profile ?? profileNameOf(server),
		server: server.origin,
		apiKey: key,
		...(org && {org}),
		...(workspace && {workspace}),
		...(project && {project}),
	});
	store.getState().setConnection({profile: profile.name, server: profile.server, state: 'ready'});
	return profile;
}

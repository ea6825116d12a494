import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import {entryOf} from '../core/entry-of.ts';
import type {AccessContext} from './access-context.ts';

/**
 * Who a command acts as: the flags say it, else the connection of the app, else environment and active profile. `embedded`
 * is the app's own server; undefined where there is no server at all. Throws as `resolveProfile` does.
 */
export function identityOf({
	config,
	env,
	flags,
	live,
	store,
}: Pick<AccessContext, 'config' | 'env' | 'flags' | 'live' | 'store'>):
	| ResolvedProfile
	| {readonly embedded: string}
	| undefined {
	const data = config.read();
	const {connection} = store.getState();
	const isNamed = flags.profile !== undefined || flags.server !== undefined;
	if (live && !isNamed && connection.profile === 'local' && !entryOf(data.profiles, 'local')) {
		return {embedded: connection.server};
	}

	return resolveProfile({data, env, flags, connected: live && connection.profile});
}

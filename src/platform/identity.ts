import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import {entryOf} from '../core/entry-of.ts';
import type {AccessContext} from './platform.ts';

/**
 * Returns the identity of a command: that of its flags, else of the app's connection, else of environment and active
 * profile. `embedded` is the app's own server; undefined if there is no server. Throws as `resolveProfile` does.
 */
export function identityOf({
	program,
	flags,
	ui: {live},
}: AccessContext): ResolvedProfile | {readonly embedded: string} | undefined {
	const data = program.local.config.read();
	const {connection} = program.store.getState();
	const isNamed = flags.profile !== undefined || flags.server !== undefined;
	if (live && !isNamed && connection.profile === 'local' && !entryOf(data.profiles, 'local')) {
		return {embedded: connection.server};
	}

	return resolveProfile({data, env: program.local.env, flags, connected: live && connection.profile});
}

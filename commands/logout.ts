import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';
import {identityOf} from '../src/platform/identity.ts';

export default command({
	name: 'logout',
	summary: 'Log out of the active profile and revoke its tokens',
	args: z.object({}),

	async run(_, context) {
		const {
			flags,
			program: {
				servers: {platform},
				store,
			},
			signal,
		} = context;
		const profile = identityOf(context);
		if (!profile || 'embedded' in profile || !profile.keySource) {
			throw new AppError('auth', 'You are not logged in.', {hint: 'Log in: `login --server <url>`'});
		}

		if (profile.keySource === 'from env') {
			throw new AppError('usage', 'The API key comes from SERVICE_API_KEY.', {hint: 'Unset that variable to log out.'});
		}

		const logins = await platform.logins();
		const {revoked, faults} = await logins.logOut(profile.name, {insecureHttp: flags.insecureHttp, signal});
		store.getState().dropConnection(profile.name);
		const done = `Logged out of ${profile.server}`;
		return {
			kind: 'text',
			text: faults.length > 0 ? `${done}, but ${faults.join(', and ')}.` : `${done}.`,
			...(revoked === undefined && {
				hint: 'The API key is still valid on the server. Revoke it there, or log in and run `api-key revoke <key>`.',
			}),
			data: {profile: profile.name, logged_out: true, ...(revoked !== undefined && {tokens_revoked: revoked})},
		};
	},
});

import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {forgetCredential} from '../src/config/profiles.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'logout',
	summary: 'Forget the login of the active profile',
	args: z.object({}),

	async run(_, {config, env, flags, store}) {
		const profile = resolveProfile({data: config.read(), env, flags});
		if (!profile?.keySource) {
			throw new AppError('auth', 'You are not logged in.', {hint: '`login --server <url>` logs in.'});
		}

		if (profile.keySource === 'from env') {
			throw new AppError('usage', 'The key comes from SERVICE_API_KEY.', {hint: 'Unset that variable to log out.'});
		}

		await forgetCredential(config, profile.name);
		store.getState().dropConnection(profile.name);
		return {kind: 'text', text: `Logged out of ${profile.server}.`, data: {profile: profile.name, logged_out: true}};
	},
});

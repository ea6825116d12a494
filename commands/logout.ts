import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {identityOf} from '../src/command/identity.ts';
import {forgetCredential} from '../src/config/profiles.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'logout',
	summary: 'Forget the login of the active profile',
	args: z.object({}),

	async run(_, context) {
		const {config, store} = context;
		const profile = identityOf(context);
		if (!profile || 'embedded' in profile || !profile.keySource) {
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

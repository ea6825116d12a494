import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {findProfile, forgetProfile} from '../../src/config/profiles.ts';

export default command({
	name: 'forget',
	summary: 'Remove a profile with its key',
	args: z.object({profile: z.string(), yes: z.optional(z.boolean())}),
	positional: ['profile'],
	completes: {profile: 'profile'},
	describe: {profile: 'its name', yes: 'skip the confirmation'},
	examples: ['profile forget lab --yes'],

	async run(
		{profile, yes},
		{
			program: {
				local: {config, recents},
				store,
			},
			ui: {interact},
		},
	) {
		findProfile(config.read(), profile);
		if (!yes && !(await interact.confirm(`Forget profile ${profile} and its key?`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		let fault = '';
		await forgetProfile(config, profile, why => {
			fault = ` The keychain still has its key. ${why}`;
		});
		recents.forget(profile);
		store.getState().dropConnection(profile);
		return {kind: 'text', text: `Forgot profile ${profile}.${fault}`, data: {profile, forgotten: true}};
	},
});

import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {activateProfile, listProfiles} from '../../src/config/profiles.ts';
import {AppError} from '../../src/core/error.ts';
import {connectToEmbedded, isEmbedded} from '../../src/platform/connect.ts';

export default command({
	name: 'use',
	summary: 'Set the active profile',
	args: z.object({profile: z.optional(z.string())}),
	positional: ['profile'],
	completes: {profile: 'profile'},
	describe: {profile: 'its name; omit it to select one'},
	examples: ['profile use agents.example.com'],
	whileRunning: true,

	async run({profile}, context) {
		const {
			program: {
				local: {config},
				store,
			},
			ui: {interact},
		} = context;
		if (profile !== undefined && isEmbedded(profile, context)) {
			return connectToEmbedded(context);
		}

		const profiles = listProfiles(config.read());
		if (profile === undefined && profiles.length === 0) {
			throw new AppError('not-found', 'No profiles yet.', {hint: 'Create one: `login --server <url>`'});
		}

		const name =
			profile ??
			(await interact.choose({
				title: 'Select a profile',
				choices: profiles.map(({name: id, server}) => ({id, label: id, detail: server})),
			}));
		if (!name) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const used = await activateProfile(config, name);
		store.getState().setConnection({profile: used.name, server: used.server, state: 'ready'});
		return {
			kind: 'text',
			text: `Profile ${used.name} is active (${used.server}).`,
			data: {profile: used.name, server: used.server},
		};
	},
});

import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {hasCredential, listProfiles} from '../../src/config/profiles.ts';

export default command({
	name: 'list',
	summary: 'List the servers that you logged in to, latest first',
	args: z.object({}),
	whileRunning: true,

	run(
		_,
		{
			program: {
				local: {config},
			},
		},
	) {
		const profiles = listProfiles(config.read());
		return {
			kind: 'table',
			columns: [
				{label: 'profile', whole: true},
				{label: ''},
				{label: 'server', cut: 'middle'},
				{label: 'scope', spare: true},
				{label: 'key'},
				{label: 'login', spare: true},
			],
			rows: profiles.map(({name, server, org, workspace, project, apiKey, accessToken, savedAt, active}) => [
				name,
				active ? 'now' : '',
				server,
				[org, workspace, project].filter(Boolean).join('/'),
				apiKey ? `…${apiKey.last4}` : accessToken ? 'browser' : 'logged out',
				{at: savedAt},
			]),
			empty: 'No profiles yet. Create one: `login --server <url>`',
			data: profiles.map(profile => ({
				name: profile.name,
				server: profile.server,
				active: profile.active,
				org: profile.org ?? null,
				workspace: profile.workspace ?? null,
				project: profile.project ?? null,
				logged_in: hasCredential(profile),
				saved_at: profile.savedAt,
			})),
		};
	},
});

import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {activateProfile, findProfile, forgetProfile, hasCredential, listProfiles} from '../src/config/profiles.ts';
import {AppError} from '../src/core/error.ts';
import {connectToEmbedded, isEmbedded} from '../src/platform/connect.ts';

const list = command({
	name: 'list',
	summary: 'List the servers that you logged in to, latest first',
	args: z.object({}),
	whileRunning: true,

	run(_, {program}) {
		const profiles = listProfiles(program.local.config.read());
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

const use = command({
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
			return unchanged;
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

const forget = command({
	name: 'forget',
	summary: 'Remove a profile with its key',
	args: z.object({profile: z.string(), yes: z.optional(z.boolean())}),
	positional: ['profile'],
	completes: {profile: 'profile'},
	describe: {profile: 'its name', yes: 'skip the confirmation'},
	examples: ['profile forget lab --yes'],

	async run({profile, yes}, {program, ui: {interact}}) {
		findProfile(program.local.config.read(), profile);
		if (!yes && !(await interact.confirm(`Forget profile ${profile} and its key?`))) {
			return unchanged;
		}

		let fault = '';
		await forgetProfile(program.local.config, profile, why => {
			fault = ` The keychain still has its key. ${why}`;
		});
		program.local.recents.forget(profile);
		program.local.sightings.forget(profile);
		program.store.getState().dropConnection(profile);
		return {kind: 'text', text: `Forgot profile ${profile}.${fault}`, data: {profile, forgotten: true}};
	},
});

export default noun({name: 'profile', summary: 'Servers that you logged in to', verbs: [list, use, forget]});

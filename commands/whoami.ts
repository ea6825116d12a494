import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {Result} from '../src/command/result.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'whoami',
	summary: 'Show server, profile, scope and where the key comes from',
	args: z.object({}),
	examples: ['whoami --json'],
	whileRunning: true,

	async run(_, {config, env, flags, live, store, platform, signal}): Promise<Result> {
		const profile = resolveProfile({data: config.read(), env, flags});
		if (!profile) {
			const {connection} = store.getState();
			if (!live || connection.profile !== 'local') {
				throw new AppError('auth', 'You are not logged in.', {
					hint: '`login --server <url>` logs in; service chats without it.',
				});
			}

			return {
				kind: 'record',
				fields: [
					['profile', 'local'],
					['server', connection.server],
					['credential', 'made for this run'],
				],
				data: {profile: 'local', server: connection.server, credential: 'embedded'},
			};
		}

		const {name, server, keySource, org, workspace, project, apiKey, notice} = profile;
		if (!apiKey) {
			throw new AppError('auth', `You are not logged in to ${server}.`, {
				hint: notice ?? `login --server ${server} logs in.`,
			});
		}

		await platform.prove(server, apiKey, {insecureHttp: flags.insecureHttp, signal});
		return {
			kind: 'record',
			fields: [
				['profile', name],
				['server', server],
				['org', org ?? 'not chosen'],
				['workspace', workspace ?? 'not chosen'],
				['project', project ?? 'not chosen'],
				['credential', `API key ${apiKey.last4 ? `…${apiKey.last4} ` : ''}(${keySource})`],
				...(notice ? [['note', notice] as const] : []),
			],
			data: {
				profile: name,
				server,
				org: org ?? null,
				workspace: workspace ?? null,
				project: project ?? null,
				credential: {kind: 'api-key', source: keySource ?? null, last4: apiKey.last4},
			},
		};
	},
});

import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {Result} from '../src/command/result.ts';
import {entryOf} from '../src/config/config-data.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'whoami',
	summary: 'Show server, profile, scope and where the login comes from',
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

		const {name, server, keySource, org, workspace, project, apiKey, tokens, notice} = profile;
		if (!keySource) {
			throw new AppError('auth', `You are not logged in to ${server}.`, {
				hint: notice ?? `login --server ${server} logs in.`,
			});
		}

		await platform.proveLogin(profile, {insecureHttp: flags.insecureHttp, signal});
		// The proof may have renewed the login.
		const expiresAt = tokens && (entryOf(config.read().profiles, name)?.expiresAt ?? tokens.expiresAt);
		const ending = apiKey?.last4 ? `…${apiKey.last4} ` : '';
		return {
			kind: 'record',
			fields: [
				['profile', name],
				['server', server],
				['org', org ?? 'not chosen'],
				['workspace', workspace ?? 'not chosen'],
				['project', project ?? 'not chosen'],
				['credential', tokens ? `login through the browser (${keySource})` : `API key ${ending}(${keySource})`],
				...(tokens ? [['expires', expiryWords(expiresAt, tokens.refresh !== undefined)] as const] : []),
				...(notice ? [['note', notice] as const] : []),
			],
			data: {
				profile: name,
				server,
				org: org ?? null,
				workspace: workspace ?? null,
				project: project ?? null,
				credential: tokens
					? {
							kind: 'access-token',
							source: keySource,
							expires_at: expiresAt ?? null,
							renewable: tokens.refresh !== undefined,
						}
					: {kind: 'api-key', source: keySource, last4: apiKey?.last4 ?? ''},
			},
		};
	},
});

function expiryWords(at: string | undefined, isRenewable: boolean): string {
	const when = at ?? 'the server does not say when';
	return isRenewable ? `${when}, then it is renewed` : when;
}

import {listProfiles} from '../../config/profiles.ts';
import {listKeys} from '../../config/provider-keys.ts';
import type {ResolvedProfile} from '../../config/resolve-profile.ts';
import {registry} from '../../providers/registry.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';

/** A login with its user, in a few words, if the server says who that is. */
type Identity = ResolvedProfile & {readonly user: string | undefined};

/** Returns the facts of an identity; `expiresAt` is when its tokens expire, if known. */
export function identityResult(
	{name, server, user, keySource, org, workspace, project, apiKey, tokens, notice}: Identity,
	expiresAt: string | undefined,
): Result {
	const ending = apiKey?.last4 ? `…${apiKey.last4} ` : '';
	const isRenewable = tokens?.refresh !== undefined;
	const when = `${expiresAt ?? 'the server does not say when'}${isRenewable ? ', then it is renewed' : ''}`;
	return {
		kind: 'record',
		fields: [
			['profile', name],
			['server', server],
			...(user ? [['user', user] as const] : []),
			['org', org ?? 'not selected'],
			['workspace', workspace ?? 'not selected'],
			['project', project ?? 'not selected'],
			['credential', tokens ? `login through the browser (${keySource})` : `API key ${ending}(${keySource})`],
			...(tokens ? [['expires', when] as const] : []),
			...(notice ? [['note', notice] as const] : []),
		],
		data: {
			profile: name,
			server,
			...(user && {user}),
			org: org ?? null,
			workspace: workspace ?? null,
			project: project ?? null,
			credential: tokens
				? {kind: 'access-token', source: keySource ?? null, expires_at: expiresAt ?? null, renewable: isRenewable}
				: {kind: 'api-key', source: keySource ?? null, last4: apiKey?.last4 ?? ''},
		},
	};
}

/** Returns every secret in the configuration and the environment, masked, with the one origin that it may go to (SAFETY 6). */
export function wireResult({program}: CommandContext): Result {
	const ofProfiles = listProfiles(program.local.config.read()).flatMap(
		({name, server, apiKey, accessToken, refreshToken}) => {
			const held = {'API key': apiKey, 'access token': accessToken, 'refresh token': refreshToken};
			return Object.entries(held).flatMap(([kind, secret]) =>
				secret
					? [{secret: `${kind} of profile ${name}`, last4: kind === 'API key' ? secret.last4 : '', goes: server}]
					: [],
			);
		},
	);
	const fromEnvironment = program.local.env['SERVICE_API_KEY']?.trim()
		? [
				{
					secret: 'SERVICE_API_KEY',
					last4: '',
					goes: program.local.env['SERVICE_SERVER']?.trim() || 'the server from a flag or SERVICE_PROFILE',
				},
			]
		: [];
	const ofProviders = listKeys({config: program.local.config, env: program.local.env, rows: registry}).flatMap(
		({provider, last4, source, baseUrl}) =>
			last4 === undefined
				? []
				: [{secret: `key of ${provider} (${source})`, last4, goes: baseUrl ?? 'nowhere (no address)'}],
	);
	const all = [...ofProfiles, ...fromEnvironment, ...ofProviders];
	return {
		kind: 'table',
		columns: [{label: 'secret'}, {label: 'ends in'}, {label: 'may go to', cut: 'middle'}],
		rows: all.map(({secret, last4, goes}) => [secret, last4, goes]),
		empty: 'No secrets are stored or in the environment. Add one: `keys set <provider>`',
		data: all.map(({secret, last4, goes}) => ({secret, last4, may_go_to: goes})),
	};
}

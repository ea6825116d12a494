import type {ResolvedProfile} from '../../config/resolve-profile.ts';
import type {Result} from '../result.ts';

/** How an identity is shown; `expiresAt` is when the tokens end, as far as one knows by now. */
export function identityResult(
	{name, server, keySource, org, workspace, project, apiKey, tokens, notice}: ResolvedProfile,
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
			['org', org ?? 'not chosen'],
			['workspace', workspace ?? 'not chosen'],
			['project', project ?? 'not chosen'],
			['credential', tokens ? `login through the browser (${keySource})` : `API key ${ending}(${keySource})`],
			...(tokens ? [['expires', when] as const] : []),
			...(notice ? [['note', notice] as const] : []),
		],
		data: {
			profile: name,
			server,
			org: org ?? null,
			workspace: workspace ?? null,
			project: project ?? null,
			credential: tokens
				? {kind: 'access-token', source: keySource ?? null, expires_at: expiresAt ?? null, renewable: isRenewable}
				: {kind: 'api-key', source: keySource ?? null, last4: apiKey?.last4 ?? ''},
		},
	};
}

import type {ResolvedProfile} from '../../config/resolve-profile.ts';
import type {Result} from '../result.ts';

/** Returns the facts of an identity; `expiresAt` is when its tokens expire, if known. */
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
			org: org ?? null,
			workspace: workspace ?? null,
			project: project ?? null,
			credential: tokens
				? {kind: 'access-token', source: keySource ?? null, expires_at: expiresAt ?? null, renewable: isRenewable}
				: {kind: 'api-key', source: keySource ?? null, last4: apiKey?.last4 ?? ''},
		},
	};
}

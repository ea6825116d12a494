import {
	checkResourceAllowed,
	discoverOAuthServerInfo,
	extractWWWAuthenticateParams,
	type OAuthServerInfo,
	resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import {AppError} from '../../../core/error.ts';
import type {OAuthFetch} from './oauth-fetch.ts';
import {maxLoginScopes, scopesIn} from './scopes.ts';

/** The authorization server of a server, and what to ask it for. */
export type Found = OAuthServerInfo & {readonly scope: string | undefined; readonly resource: string | undefined};

type Options = {
	/** The URL of the MCP server. */
	readonly server: URL;
	/** Scopes to ask for beside those that the server names at first. */
	readonly scopes?: readonly string[] | undefined;
	readonly signal: AbortSignal;
};

/** Finds the authorization server of a server, from its answer to a request without a token. */
export async function discover({server, scopes = [], signal}: Options, fetch: OAuthFetch['fetch']): Promise<Found> {
	const response = await fetch(server, {
		method: 'POST',
		headers: {'content-type': 'application/json', accept: 'application/json, text/event-stream'},
		body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'ping'}),
		signal,
	});
	await response.body?.cancel();
	// A server that anybody may use can still have asked for scopes.
	if (response.status !== 401 && scopes.length === 0) {
		throw new AppError('conflict', `${server.host} asks for no login (status ${response.status}).`, {
			hint: 'Add a header with a key if it needs one: `mcp add <name> <url> --header "Name: value"`',
		});
	}

	const {resourceMetadataUrl, scope} = extractWWWAuthenticateParams(response);
	const info = await discoverOAuthServerInfo(server, {
		fetchFn: fetch,
		...(resourceMetadataUrl && {resourceMetadataUrl}),
	});
	const {resourceMetadata, authorizationServerMetadata: metadata} = info;
	if (
		resourceMetadata &&
		!checkResourceAllowed({
			requestedResource: resourceUrlFromServerUrl(server),
			configuredResource: resourceMetadata.resource,
		})
	) {
		throw new Error(`its metadata is that of another server, ${resourceMetadata.resource}`);
	}

	if (metadata && !metadata.code_challenge_methods_supported?.includes('S256')) {
		throw new Error(`${new URL(info.authorizationServerUrl).host} does not support PKCE`);
	}

	const wanted = scopesIn(maxLoginScopes, scope ?? resourceMetadata?.scopes_supported?.join(' '), ...scopes);
	return {...info, resource: resourceMetadata?.resource, scope: wanted.join(' ') || undefined};
}

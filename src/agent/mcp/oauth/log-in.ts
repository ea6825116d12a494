import {randomBytes} from 'node:crypto';
import {
	checkResourceAllowed,
	discoverOAuthServerInfo,
	exchangeAuthorization,
	extractWWWAuthenticateParams,
	type OAuthClientInformation,
	type OAuthServerInfo,
	type OAuthTokens,
	registerClient,
	resourceUrlFromServerUrl,
	startAuthorization,
	validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import type {McpLogin} from '../../../config/config-data.ts';
import {abortable} from '../../../core/abortable.ts';
import {AppError, isAbort, messageOf} from '../../../core/error.ts';
import {isLoopback} from '../../../core/origin.ts';
import {type Secret, secret} from '../../../core/secrets/secret.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';
import {type LoginAnswer, listenForCallback, readAnswer} from './callback.ts';
import {mayLeadTo, type OAuthFetch} from './oauth-fetch.ts';
import {maxLoginScopes, scopesIn} from './scopes.ts';

/** The page on which the user logs in. */
type LoginPage = {
	readonly url: string;
	/** The host of the authorization server. */
	readonly host: string;
	/** When the login is given up, in milliseconds since the epoch. */
	readonly expiresAt: number;
};

export type LoginOptions = {
	/** The URL of the MCP server. */
	readonly server: URL;
	/** The id of a client that was registered before; a new client is registered without it. */
	readonly clientId?: string | undefined;
	/** Scopes to ask for beside those that the server names at first. */
	readonly scopes?: readonly string[];
	/** Shows the page, or opens it. */
	readonly onPage: (page: LoginPage) => void;
	/**
	 * Asks for the address that the browser shows after the login, again with what was wrong with it; undefined if the user
	 * cancels. Never resolves where only the browser answers.
	 */
	readonly pasted: (problem: string | undefined) => Promise<string | undefined>;
	readonly signal: AbortSignal;
};

/** How long the user may take. */
const waitMs = 10 * 60_000;
const maxMessage = 300;

/**
 * Logs the user in to an MCP server, by the authorization specification of MCP: metadata of the resource (RFC 9728), metadata of
 * the authorization server (RFC 8414), a client of its own (RFC 7591), a code with PKCE that comes to a loopback address, and
 * tokens for this server alone (RFC 8707). Throws AppError("auth") if it is refused, AppError("network") if a server fails or
 * its metadata is not safe, AppError("conflict") if the server needs no login, and the signal's reason.
 */
export async function logInToServer(options: LoginOptions, {fetch}: Pick<OAuthFetch, 'fetch'>): Promise<McpLogin> {
	const {server, signal} = options;
	try {
		const found = await discover(options, fetch);
		return await authorize(found, options, fetch);
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError || isAbort(error)) {
			throw error;
		}

		const reason = safeLine(messageOf(error).slice(0, maxMessage)).replace(/\.$/, '');
		throw new AppError('network', `The login to ${server.host} failed: ${reason}.`, {cause: error});
	}
}

async function authorize(found: Found, options: LoginOptions, fetch: OAuthFetch['fetch']): Promise<McpLogin> {
	const {server, signal, clientId, onPage} = options;
	const {authorizationServerUrl, authorizationServerMetadata: metadata, scope, resource} = found;
	const callback = await listenForCallback();
	const until = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
	try {
		const {redirectUrl} = callback;
		const client = clientId
			? {client_id: clientId}
			: await registerClient(authorizationServerUrl, {
					...(metadata && {metadata}),
					clientMetadata: clientMetadataFor(redirectUrl),
					...(scope && {scope}),
					fetchFn: fetch,
				});
		const state = randomBytes(32).toString('base64url');
		const {authorizationUrl, codeVerifier} = await startAuthorization(authorizationServerUrl, {
			...(metadata && {metadata}),
			clientInformation: client,
			redirectUrl,
			state,
			...(scope && {scope}),
			...(resource && {resource: new URL(resource)}),
		});
		assertSafe(authorizationUrl, server);
		onPage({url: authorizationUrl.href, host: authorizationUrl.host, expiresAt: Date.now() + waitMs});
		const {code, iss} = await abortable(firstAnswer(callback.answer(state), state, options), until);
		validateAuthorizationResponseIssuer({
			iss,
			expectedIssuer: metadata?.issuer,
			issParameterSupported: metadata?.['authorization_response_iss_parameter_supported'] === true,
		});
		const tokens = await exchangeAuthorization(authorizationServerUrl, {
			...(metadata && {metadata}),
			clientInformation: client,
			authorizationCode: code,
			codeVerifier,
			redirectUri: redirectUrl,
			fetchFn: fetch,
			...(resource && {resource: new URL(resource)}),
			...(iss !== undefined && {iss}),
		});
		return loginOf(options, found, client, tokens);
	} catch (error) {
		if (until.aborted && !signal.aborted) {
			throw new AppError('auth', 'Nobody logged in within 10 minutes.', {hint: 'Try again.'});
		}

		throw error;
	} finally {
		callback.close();
	}
}

function clientMetadataFor(redirectUrl: string) {
	return {
		client_name: 'service',
		redirect_uris: [redirectUrl],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: 'none',
		application_type: 'native',
	};
}

/** A page of this machine, or one without TLS, is no login of a server elsewhere. */
function assertSafe(page: URL, server: URL): void {
	const isSafe =
		page.protocol === 'https:'
			? mayLeadTo(page, server)
			: page.protocol === 'http:' && isLoopback(page) && isLoopback(server);
	if (!isSafe || page.username || page.password) {
		throw new Error(`its login page is not safe: ${page.origin}`);
	}
}

/** Waits for the browser, or for the address that the user pastes. */
async function firstAnswer(browser: Promise<LoginAnswer>, state: string, {pasted}: LoginOptions): Promise<LoginAnswer> {
	const read = async () => {
		for (let problem: string | undefined; ; ) {
			const text = await pasted(problem);
			if (text === undefined) {
				throw new AppError('interrupted', 'Cancelled.');
			}

			const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
			const answer = url && readAnswer(url.searchParams, state);
			if (answer instanceof AppError) {
				throw answer;
			}

			if (answer) {
				return answer;
			}

			problem = 'That is not the address of this login: it begins with http://127.0.0.1 and has a code.';
		}
	};
	browser.catch(() => undefined);
	return Promise.race([browser, read()]);
}

/** Returns what is stored: the tokens go to the endpoint of now, whatever the metadata says later. */
function loginOf(
	{server, clientId}: LoginOptions,
	found: Found,
	client: OAuthClientInformation,
	tokens: OAuthTokens,
): McpLogin {
	const {authorizationServerUrl, authorizationServerMetadata: metadata, resource} = found;
	const {revocation_endpoint: revocation} = (metadata ?? {}) as {readonly revocation_endpoint?: unknown};
	return {
		url: server.href,
		issuer: metadata?.issuer ?? String(authorizationServerUrl),
		tokenEndpoint: metadata?.token_endpoint ?? `${new URL(authorizationServerUrl).origin}/token`,
		...(metadata?.token_endpoint_auth_methods_supported && {
			authMethods: metadata.token_endpoint_auth_methods_supported,
		}),
		...(typeof revocation === 'string' && {revocationEndpoint: revocation}),
		...(resource && {resource}),
		clientId: client.client_id,
		...(clientId && {isOwnClient: true}),
		// A server that grants what it was asked for need not say so (RFC 6749, section 5.1).
		...(found.scope && {scope: found.scope}),
		...(client.client_secret && {clientSecret: secret(client.client_secret)}),
		...tokenFieldsOf(tokens),
		savedAt: new Date().toISOString(),
	};
}

/** Returns the fields of a login that a token response changes. */
export function tokenFieldsOf({
	access_token,
	refresh_token,
	expires_in,
	scope,
}: OAuthTokens): Pick<McpLogin, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scope'> {
	return {
		accessToken: secret(access_token),
		...(scope && {scope: scopesIn(maxLoginScopes, scope).join(' ')}),
		...(refresh_token && {refreshToken: secret(refresh_token)}),
		...(expires_in !== undefined && {expiresAt: new Date(Date.now() + expires_in * 1000).toISOString()}),
	};
}

/** The authorization server of a server, and what to ask it for. */
type Found = OAuthServerInfo & {readonly scope: string | undefined; readonly resource: string | undefined};

type Options = {
	/** The URL of the MCP server. */
	readonly server: URL;
	/** Scopes to ask for beside those that the server names at first. */
	readonly scopes?: readonly string[] | undefined;
	readonly signal: AbortSignal;
};

/** Finds the authorization server of a server, from its answer to a request without a token. */
async function discover({server, scopes = [], signal}: Options, fetch: OAuthFetch['fetch']): Promise<Found> {
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

/**
 * Revokes the refresh token, else the access token, at the authorization server (RFC 7009). Returns false if it has no such
 * endpoint or refuses; never throws.
 */
export async function revokeLogin(
	{revocationEndpoint, clientId, refreshToken, accessToken}: McpLogin,
	open: (held: Secret) => Promise<Secret>,
	fetch: OAuthFetch['fetch'],
): Promise<boolean> {
	const held = refreshToken ?? accessToken;
	if (revocationEndpoint === undefined || held === undefined) {
		return false;
	}

	try {
		const token = (await open(held)).reveal();
		const {ok, body} = await fetch(revocationEndpoint, {
			method: 'POST',
			headers: {'content-type': 'application/x-www-form-urlencoded'},
			body: new URLSearchParams({token, client_id: clientId}).toString(),
		});
		await body?.cancel();
		return ok;
	} catch {
		return false;
	}
}

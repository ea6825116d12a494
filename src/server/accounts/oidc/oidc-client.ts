import type {AuthorizationServer, Client} from 'oauth4webapi';
import {messageOf} from '../../../core/error.ts';
import {isJsonObject, parseJson} from '../../../core/json.ts';
import {originOf} from '../../../core/origin.ts';
import {type BoundFetch, createBoundFetch} from '../../../net/bound-fetch.ts';
import type {OidcSettings} from './oidc-settings.ts';

/** Whom the provider vouches for. */
export type OidcIdentity = {
	readonly issuer: string;
	readonly subject: string;
	/** Undefined unless the provider says that it is verified. */
	readonly email: string | undefined;
	/** The session of the user at the provider (`sid`), if it says so. */
	readonly sessionId: string | undefined;
};

/** A user who logged out at the provider, or one of their sessions there that ended. */
export type OidcLogout = {
	readonly issuer: string;
	/** The user. With both, every login of the user ends. */
	readonly subject: string | undefined;
	readonly sessionId: string | undefined;
	/** What makes the token unique. */
	readonly tokenId: string;
};

export type OidcFault =
	/** The provider doesn't answer, or not as one. */
	| {readonly kind: 'unreachable'; readonly reason: string}
	/** The user or the provider refused. */
	| {readonly kind: 'denied'; readonly reason: string}
	/** The answer can't be trusted: a wrong signature, issuer, audience, nonce, state or time, or a used code. */
	| {readonly kind: 'invalid'; readonly reason: string};

/** What a login keeps secret until its callback. */
export type LoginSecrets = {readonly state: string; readonly nonce: string; readonly verifier: string};

/** A client of one OpenID provider (OpenID Connect Core 1.0, section 3.1). */
export type OidcClient = {
	/** Returns where the browser logs in. */
	readonly authorizationUrl: (secrets: LoginSecrets, redirectUri: string) => Promise<URL | OidcFault>;
	/** Exchanges the code of a callback for the user's identity, after every check that the specification asks for. */
	readonly redeem: (callback: URL, secrets: LoginSecrets, redirectUri: string) => Promise<OidcIdentity | OidcFault>;
	/** Returns whose logout a token of the provider announces, after every check of Back-Channel Logout 1.0, section 2.6. */
	readonly readLogout: (logoutToken: string) => Promise<OidcLogout | OidcFault>;
	/** Returns where the browser logs out of the provider; undefined if it has no such page. */
	readonly logOutUrl: () => Promise<URL | OidcFault | undefined>;
};

export const isFault = (value: object): value is OidcFault => 'kind' in value;

/** The member of `events` that makes a token a logout token, so that no id token passes for one. */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** An older logout token is refused; younger ones are remembered, so that each counts once. */
const maxLogoutAgeSeconds = 5 * 60;

const timeoutMs = 10_000;
const metadataLifetimeMs = 60 * 60 * 1000;
const maxAnswerBytes = 1024 * 1024;

const clients = new WeakMap<OidcSettings, Promise<OidcClient>>();

/** Returns the client of a provider, which is loaded with its library when it is first needed. */
export function oidcClient(settings: OidcSettings): Promise<OidcClient> {
	const known = clients.get(settings) ?? createClient(settings);
	clients.set(settings, known);
	return known;
}

async function createClient({issuer, clientId, clientSecret, env}: OidcSettings): Promise<OidcClient> {
	const {fetch} = createBoundFetch({
		env,
		userAgent: 'service',
		insecureHttp: false,
		origin: originOf(issuer),
		headers: {},
		allows: () => true,
	});
	const oauth = await import('oauth4webapi');
	const client: Client = {client_id: clientId};
	const options = () => ({
		signal: AbortSignal.timeout(timeoutMs),
		[oauth.customFetch]: (url: string, init: RequestInit) => fetchLimited(fetch, url, init),
		// Only an issuer on this machine has no TLS (SAFETY 9).
		[oauth.allowInsecureRequests]: issuer.startsWith('http:'),
	});
	let metadata: {readonly server: AuthorizationServer; readonly until: number} | undefined;
	const discover = async (): Promise<AuthorizationServer> => {
		if (metadata && metadata.until > performance.now()) {
			return metadata.server;
		}

		const url = new URL(issuer);
		const response = await oauth.discoveryRequest(url, options());
		const server = await oauth.processDiscoveryResponse(url, response);
		metadata = {server, until: performance.now() + metadataLifetimeMs};
		return server;
	};
	const reach = async (): Promise<{readonly server: AuthorizationServer} | OidcFault> => {
		try {
			return {server: await discover()};
		} catch (error) {
			return {kind: 'unreachable', reason: reasonOf(error)};
		}
	};

	return {
		async authorizationUrl({state, nonce, verifier}, redirectUri) {
			const reached = await reach();
			if (isFault(reached)) {
				return reached;
			}

			const {server} = reached;
			if (!server.authorization_endpoint || !URL.canParse(server.authorization_endpoint)) {
				return {kind: 'unreachable', reason: 'It names no authorization_endpoint.'};
			}

			const url = new URL(server.authorization_endpoint);
			const parameters = {
				client_id: clientId,
				response_type: 'code',
				redirect_uri: redirectUri,
				scope: 'openid email',
				state,
				nonce,
				code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
				code_challenge_method: 'S256',
			};
			for (const [name, value] of Object.entries(parameters)) {
				url.searchParams.set(name, value);
			}

			return url;
		},

		async redeem(callback, {state, nonce, verifier}, redirectUri) {
			const reached = await reach();
			if (isFault(reached)) {
				return reached;
			}

			const {server} = reached;
			const methods = server.token_endpoint_auth_methods_supported;
			const authenticate =
				methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
					? oauth.ClientSecretPost(clientSecret.reveal())
					: oauth.ClientSecretBasic(clientSecret.reveal());
			try {
				const parameters = oauth.validateAuthResponse(server, client, callback, state);
				const response = await oauth.authorizationCodeGrantRequest(
					server,
					client,
					authenticate,
					parameters,
					redirectUri,
					verifier,
					options(),
				);
				const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
					expectedNonce: nonce,
					requireIdToken: true,
				});
				await oauth.validateApplicationLevelSignature(server, response, options());
				const claims = oauth.getValidatedIdTokenClaims(tokens);
				if (!claims) {
					return {kind: 'invalid', reason: 'no id token'};
				}

				const {sub: subject} = claims;
				const sessionId = textClaim(claims['sid']);
				const email = verifiedEmail(claims);
				if (email !== undefined || !server.userinfo_endpoint) {
					return {issuer: server.issuer, subject, email, sessionId};
				}

				// Many providers keep the address out of the token (OpenID Connect Core 1.0, section 5.4).
				const answer = await oauth.userInfoRequest(server, client, tokens.access_token, options());
				const profile = await oauth.processUserInfoResponse(server, client, subject, answer);
				return {issuer: server.issuer, subject, email: verifiedEmail(profile), sessionId};
			} catch (error) {
				if (error instanceof oauth.AuthorizationResponseError) {
					// A code of the specification; any other text could come from whoever made the address.
					return {kind: 'denied', reason: /^[a-z_]{1,40}$/.test(error.error) ? error.error : 'unknown error'};
				}

				const isOffline = error instanceof UnreachableError;
				return {kind: isOffline ? 'unreachable' : 'invalid', reason: reasonOf(error)};
			}
		},

		async readLogout(logoutToken) {
			const reached = await reach();
			if (isFault(reached)) {
				return reached;
			}

			const {server} = reached;
			try {
				// As an answer of the authorization endpoint (JARM): the library checks its signature, issuer, audience and times. An id
				// token must have a user, which a logout token may lack. The algorithms are those of id tokens (section 2.6).
				const algorithms = server.id_token_signing_alg_values_supported;
				const signer = {...server, ...(algorithms && {authorization_signing_alg_values_supported: algorithms})};
				const parameters = new URLSearchParams({response: logoutToken});
				await oauth.validateJwtAuthResponse(signer, client, parameters, oauth.expectNoState, options());
				const claims = parseJson(Buffer.from(logoutToken.split('.')[1] ?? '', 'base64url').toString());
				const events = isJsonObject(claims) ? claims['events'] : undefined;
				if (!isJsonObject(claims) || !isJsonObject(events) || !isJsonObject(events[logoutEvent]) || 'nonce' in claims) {
					return {kind: 'invalid', reason: 'no logout token'};
				}

				const {jti, iat} = claims;
				const isRecent = typeof iat === 'number' && Math.abs(Date.now() / 1000 - iat) <= maxLogoutAgeSeconds;
				if (typeof jti !== 'string' || jti === '' || !isRecent) {
					return {kind: 'invalid', reason: 'no jti, or issued too long ago'};
				}

				const subject = textClaim(claims['sub']);
				const sessionId = textClaim(claims['sid']);
				return subject === undefined && sessionId === undefined
					? {kind: 'invalid', reason: 'neither sub nor sid'}
					: {issuer: server.issuer, subject, sessionId, tokenId: jti};
			} catch (error) {
				return {kind: error instanceof UnreachableError ? 'unreachable' : 'invalid', reason: reasonOf(error)};
			}
		},

		async logOutUrl() {
			const reached = await reach();
			if (isFault(reached)) {
				return reached;
			}

			const {server} = reached;
			const endpoint = server.end_session_endpoint;
			if (!endpoint || !URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
				return undefined;
			}

			const url = new URL(endpoint);
			url.searchParams.set('client_id', clientId);
			return url;
		},
	};
}

/** Returns a claim that is a text and not empty. */
const textClaim = (claim: unknown) => (typeof claim === 'string' && claim !== '' ? claim : undefined);

/** Returns the address of claims if it is verified; some providers say so with a text. */
function verifiedEmail(claims: {readonly [name: string]: unknown}): string | undefined {
	const {email, email_verified: isVerified} = claims;
	return typeof email === 'string' && (isVerified === true || isVerified === 'true') ? email : undefined;
}

/** The provider gave no answer, or one too large. */
class UnreachableError extends Error {}

/** Fetches an answer of limited size. Throws UnreachableError if there is none. */
async function fetchLimited(fetch: BoundFetch['fetch'], url: string, init: RequestInit): Promise<Response> {
	try {
		const response = await fetch(url, init);
		if (response.status >= 500) {
			throw new Error(`It answers with status ${response.status}.`);
		}

		const chunks: Uint8Array[] = [];
		let size = 0;
		for await (const chunk of response.body ?? []) {
			size += chunk.byteLength;
			if (size > maxAnswerBytes) {
				throw new Error('Its answer is too large.');
			}

			chunks.push(chunk);
		}

		const {status, headers} = response;
		return new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, {status, headers});
	} catch (error) {
		throw new UnreachableError(reasonOf(error), {cause: error});
	}
}

/** Returns why something failed, with the cause that fetch hides. Never a token: messages of the library have none. */
function reasonOf(error: unknown): string {
	const cause = error instanceof Error && !(error instanceof UnreachableError) ? error.cause : undefined;
	const code = error instanceof Error && 'error' in error && typeof error.error === 'string' ? `: ${error.error}` : '';
	return cause instanceof Error && error instanceof TypeError ? messageOf(cause) : `${messageOf(error)}${code}`;
}

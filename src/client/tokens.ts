import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {isWithin} from '../core/origin.ts';
import {type Secret, secret} from '../core/secrets/secret.ts';
import {maskText} from '../net/mask-secret.ts';
import {readText} from '../net/read-body.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';
import type {AuthorizationServer} from './authorization-server.ts';
import {refuse} from './refusal.ts';

/** The client id of `service` on every server: a public client without a secret. */
const clientId = 'service-cli';

type TokenPair = {
	readonly accessToken: Secret;
	/** Undefined if the server issued none: the login then ends with the access token. */
	readonly refreshToken: Secret | undefined;
};

/** The result of a login (RFC 6749 section 5.1). */
export type Tokens = TokenPair & {
	/** ISO 8601 in UTC; undefined if the server doesn't say. */
	readonly expiresAt: string | undefined;
};

/** An error of the protocol (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export type TokenRefusal = {readonly error: string; readonly description: string | undefined};

/** How a form reaches the server. */
type Channel = {
	/** Has no credential: the form has the proof. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
};

type Exchange = Channel & {
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** Part of the form, masked in an error that repeats it (SAFETY 8). */
	readonly held?: Secret;
};

const maxBytes = 256 * 1024;
const maxErrorLength = 200;

/**
 * Posts a form as a public client, and returns the JSON of the response. Throws what `refuse` returns for an error that the
 * protocol doesn't define, and AppError("network") for a success that isn't JSON.
 */
export async function postForm(
	url: string,
	form: Readonly<Record<string, string>>,
	{transport, now, signal, held}: Exchange,
): Promise<{readonly status: number; readonly answer: Readonly<Record<string, unknown>>}> {
	const response = await sendForm(url, form, {transport, signal}, 15_000);
	const from = new URL(url).origin;
	const {status, headers} = response;
	const sent = await readText(response, {from, maxBytes});
	const text = status === 200 ? sent : maskText(sent, held);
	const answer = parseJson(text);
	const isRefusal = isJsonObject(answer) && typeof answer['error'] === 'string' && status < 500 && status !== 429;
	if (status === 200 ? !isJsonObject(answer) : !isRefusal) {
		throw status === 200
			? new AppError('network', `${from} answered the login with something other than JSON.`, {
					hint: 'Check the address.',
					permanent: true,
				})
			: refuse({from, status, headers, text, now: now()});
	}

	return {status, answer: isJsonObject(answer) ? answer : {}};
}

/** Posts a form as a public client. */
function sendForm(
	url: string,
	form: Readonly<Record<string, string>>,
	{transport, signal}: Channel,
	headersTimeoutMs: number,
): Promise<TransportResponse> {
	return transport({
		method: 'POST',
		url,
		headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
		body: new URLSearchParams({...form, client_id: clientId}).toString(),
		signal,
		headersTimeoutMs,
	});
}

/** Requests tokens. Throws what `postForm` throws. */
export async function requestTokens(
	{server, tokenEndpoint}: AuthorizationServer,
	form: Readonly<Record<string, string>>,
	options: Exchange,
): Promise<Tokens | TokenRefusal> {
	const {status, answer} = await postForm(tokenEndpoint, form, options);
	if (status !== 200) {
		return refusalOf(answer);
	}

	const {access_token: access, refresh_token: refresh, token_type: type, expires_in: seconds} = answer;
	if (!isToken(access) || (typeof type === 'string' && type.toLowerCase() !== 'bearer')) {
		throw new AppError('network', `${server} approved the login without a valid token.`, {
			hint: 'Contact its administrator.',
			permanent: true,
		});
	}

	return {
		accessToken: secret(access),
		refreshToken: isToken(refresh) ? secret(refresh) : undefined,
		expiresAt: expiryOf(seconds, options.now()),
	};
}

/**
 * Returns new tokens for a refresh token (RFC 6749 section 6), with a new refresh token if the server rotates them;
 * undefined if the refresh token is no longer valid: the login has ended. Throws AppError("auth") for any other error of the
 * protocol, and what `postForm` throws.
 */
export async function refreshTokens(
	authorization: AuthorizationServer,
	refreshToken: Secret,
	options: Exchange,
): Promise<Tokens | undefined> {
	const form = {grant_type: 'refresh_token', refresh_token: refreshToken.reveal()};
	const answer = await requestTokens(authorization, form, {...options, held: refreshToken});
	if (!('error' in answer)) {
		return {...answer, refreshToken: answer.refreshToken ?? refreshToken};
	}

	if (answer.error !== 'invalid_grant') {
		throw loginRefused(authorization.server, answer);
	}

	return undefined;
}

/**
 * Asks the server to revoke the tokens of a login, the refresh token first, because it lives longer (RFC 7009 section 2).
 * Both secrets are opened. Throws AppError("failed"), AppError("auth") or AppError("network") with a message that can follow
 * a colon. Nothing is sent to another server (SAFETY 6).
 */
export async function revokeTokens(
	{server, revocationEndpoint: url}: AuthorizationServer,
	{accessToken, refreshToken}: TokenPair,
	channel: Channel,
): Promise<void> {
	if (url === undefined) {
		throw new AppError('failed', 'the server doesn’t offer revocation');
	}

	if (!isWithin(url, server)) {
		throw new AppError('auth', 'the server’s revocation address is on another host; nothing was sent');
	}

	const revoke = async (token: Secret, hint: 'access_token' | 'refresh_token') => {
		const form = {token: token.reveal(), token_type_hint: hint};
		const response = await sendForm(url, form, channel, 5000);
		await readText(response, {from: server, maxBytes});
		// An invalid token counts as revoked (RFC 7009 section 2.2).
		if (response.status < 200 || response.status > 299) {
			throw new AppError('network', `the server answered ${response.status}`);
		}
	};

	if (refreshToken) {
		await revoke(refreshToken, 'refresh_token');
	}

	await revoke(accessToken, 'access_token');
}

/** Returns the error of the protocol in a response. */
export function refusalOf({error, error_description: description}: Readonly<Record<string, unknown>>): TokenRefusal {
	return {
		error: String(error).slice(0, maxErrorLength),
		description: typeof description === 'string' ? description.slice(0, maxErrorLength) : undefined,
	};
}

/** Returns the error for a login that the server doesn't allow. */
export function loginRefused(server: string, {error, description}: TokenRefusal): AppError {
	return new AppError('auth', `${server} doesn't allow this login: ${(description ?? error).replace(/\.$/, '')}.`, {
		hint: `Log in with an API key: \`login --server ${server} --with-token\``,
	});
}

/** Returns true for a token that fits in a header: visible ASCII (RFC 6749 appendix A.12). */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);
}

function expiryOf(seconds: unknown, now: number): string | undefined {
	const end = typeof seconds === 'number' && seconds > 0 ? new Date(now + seconds * 1000) : undefined;
	return end && !Number.isNaN(end.getTime()) ? end.toISOString() : undefined;
}

import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {type Secret, secret} from '../core/secrets/secret.ts';
import {maskText} from '../net/mask-secret.ts';
import {readText} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import type {AuthorizationServer} from './authorization-server.ts';
import {refuse} from './refusal.ts';

/** How `service` is called at every server: a public client, which has no secret of its own. */
export const clientId = 'service-cli';

/** What a login gives (RFC 6749 section 5.1). */
export type Tokens = {
	readonly accessToken: Secret;
	/** Left out where the server gave none: the login then ends with the access token. */
	readonly refreshToken: Secret | undefined;
	/** ISO 8601 in UTC; undefined where the server does not say. */
	readonly expiresAt: string | undefined;
};

/** Why there are no tokens, in the words of the protocol (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export type TokenRefusal = {readonly error: string; readonly description: string | undefined};

type Options = {
	/** Without a credential: what proves who asks is in the form. */
	readonly transport: Transport;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	readonly signal: AbortSignal;
	/** What of the form must not come back in the words of a refusal (SAFETY 8). */
	readonly held?: Secret;
};

const maxBytes = 256 * 1024;
const longestWords = 200;

/**
 * Posts a form as a public client and reads the JSON that answers. Throws as `refuse` does for an answer that is no refusal
 * of the protocol, and `network` for a success that is no JSON.
 */
export async function postForm(
	url: string,
	form: Readonly<Record<string, string>>,
	{transport, now, signal, held}: Options,
): Promise<{readonly status: number; readonly answer: Readonly<Record<string, unknown>>}> {
	const response = await transport({
		method: 'POST',
		url,
		headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
		body: new URLSearchParams({...form, client_id: clientId}).toString(),
		signal,
		headersTimeoutMs: 15_000,
	});
	const from = new URL(url).origin;
	const {status, headers} = response;
	const sent = await readText(response, {from, maxBytes});
	const text = status === 200 ? sent : maskText(sent, held);
	const answer = parseJson(text);
	const isRefusal = isJsonObject(answer) && typeof answer['error'] === 'string' && status < 500 && status !== 429;
	if (status === 200 ? !isJsonObject(answer) : !isRefusal) {
		throw status === 200
			? new AppError('network', `${from} answered the login with something that is not JSON.`, {
					hint: 'Check the address.',
					permanent: true,
				})
			: refuse({from, status, headers, text, now: now()});
	}

	return {status, answer: isJsonObject(answer) ? answer : {}};
}

/** Asks for tokens. Throws `network`, as `postForm` does. */
export async function requestTokens(
	{server, tokenEndpoint}: AuthorizationServer,
	form: Readonly<Record<string, string>>,
	options: Options,
): Promise<Tokens | TokenRefusal> {
	const {status, answer} = await postForm(tokenEndpoint, form, options);
	if (status !== 200) {
		return refusalOf(answer);
	}

	const {access_token: access, refresh_token: refresh, token_type: type, expires_in: seconds} = answer;
	if (!isToken(access) || (typeof type === 'string' && type.toLowerCase() !== 'bearer')) {
		throw new AppError('network', `${server} approved the login, but gave no token that can be used.`, {
			hint: 'Ask those who run it.',
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
 * Trades a refresh token for new tokens (RFC 6749 section 6). A server that rotates gives a new refresh token, another one
 * leaves the old one good. Undefined where it is not accepted any more: the login has ended. Throws `auth` for any other
 * refusal, and `network`.
 */
export async function refreshTokens(
	authorization: AuthorizationServer,
	refreshToken: Secret,
	options: Options,
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

/** Reads a refusal of the protocol. */
export function refusalOf({error, error_description: description}: Readonly<Record<string, unknown>>): TokenRefusal {
	return {
		error: String(error).slice(0, longestWords),
		description: typeof description === 'string' ? description.slice(0, longestWords) : undefined,
	};
}

/** The error of a login that the server does not allow. */
export function loginRefused(server: string, {error, description}: TokenRefusal): AppError {
	return new AppError('auth', `${server} does not allow this login: ${(description ?? error).replace(/\.$/, '')}.`, {
		hint: `Log in with an API key: \`login --server ${server} --with-token\``,
	});
}

/** Whether it can stand in a header: visible ASCII (RFC 6749 appendix A.12). */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);
}

function expiryOf(seconds: unknown, now: number): string | undefined {
	const end = typeof seconds === 'number' && seconds > 0 ? new Date(now + seconds * 1000) : undefined;
	return end && !Number.isNaN(end.getTime()) ? end.toISOString() : undefined;
}

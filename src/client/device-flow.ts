import {AppError} from '../core/error.ts';
import {type Secret, secret} from '../core/secrets/secret.ts';
import type {RetryClock} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';
import type {AuthorizationServer} from './authorization-server.ts';
import {loginRefused, postForm, refusalOf, requestTokens, type TokenRefusal, type Tokens} from './tokens.ts';

/** The clock of the machine, or of a test. */
export type LoginClock = Pick<RetryClock, 'sleep'> & {
	/** Milliseconds since the epoch. */
	readonly now: () => number;
};

/** A login that waits for a person (RFC 8628 section 3.2). */
export type DeviceCode = {
	readonly deviceCode: Secret;
	/** What the person types on the page: printable ASCII. */
	readonly userCode: string;
	/** The page, http or https, as `URL.href` writes it: ASCII without control characters. */
	readonly page: string;
	/** The same page with the code filled in; `page` where the server has none. */
	readonly pageWithCode: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
	/** Between two questions, in milliseconds. */
	readonly interval: number;
};

type Options = {
	/** Without a credential. */
	readonly transport: Transport;
	readonly clock: LoginClock;
	readonly signal: AbortSignal;
};

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const defaultInterval = 5;
/** By how much every `slow_down` spreads the questions, in milliseconds (RFC 8628 section 3.5). */
const slowerBy = 5000;
const longestInterval = 60;
const longestLife = 60 * 60;

/** Begins a login. Throws `auth` where the server does not allow it, `network` where it cannot be understood or reached. */
export async function requestDeviceCode(
	{server, deviceEndpoint}: AuthorizationServer,
	{transport, clock, signal}: Options,
): Promise<DeviceCode> {
	const {status, answer} = await postForm(deviceEndpoint, {}, {transport, now: clock.now, signal});
	if (status !== 200) {
		throw loginRefused(server, refusalOf(answer));
	}

	const {device_code: device, user_code: code, verification_uri: page, verification_uri_complete: full} = answer;
	const address = pageOf(page);
	if (
		typeof device !== 'string' ||
		!device ||
		typeof code !== 'string' ||
		!/^[\x20-\x7e]{1,64}$/.test(code) ||
		!address
	) {
		throw new AppError(
			'network',
			`${server} began a login that nobody can finish: no code or no page that is safe to show.`,
			{
				hint: `Log in with an API key: \`login --server ${server} --with-token\``,
				permanent: true,
			},
		);
	}

	const complete = pageOf(full);
	return {
		deviceCode: secret(device),
		userCode: code,
		page: address,
		pageWithCode: complete && new URL(complete).origin === new URL(address).origin ? complete : address,
		expiresAt: clock.now() + within(answer['expires_in'], 1, longestLife, longestLife) * 1000,
		interval: within(answer['interval'], 1, longestInterval, defaultInterval) * 1000,
	};
}

/**
 * Asks until the person has decided, no faster than the server wants (RFC 8628 section 3.4). A server that does not answer
 * for a while is asked ever less often. Throws `auth` for a login that was denied, not allowed, or not approved in time,
 * `network` for an answer that makes no sense, and the signal's reason.
 */
export async function awaitTokens(
	authorization: AuthorizationServer,
	{deviceCode, expiresAt, interval: first}: Pick<DeviceCode, 'deviceCode' | 'expiresAt' | 'interval'>,
	{transport, clock, signal}: Options,
): Promise<Tokens> {
	const form = {grant_type: grantType, device_code: deviceCode.reveal()};
	let interval = first;
	for (;;) {
		const left = expiresAt - clock.now();
		await clock.sleep(Math.max(0, Math.min(interval, left)), signal);
		if (left <= interval) {
			throw expired(authorization.server);
		}

		try {
			const answer = await requestTokens(authorization, form, {transport, now: clock.now, signal, held: deviceCode});
			if (!('error' in answer)) {
				return answer;
			}

			interval = nextInterval(authorization.server, answer, interval);
		} catch (error) {
			if (signal.aborted || !(error instanceof AppError) || error.code !== 'network' || error.permanent) {
				throw error;
			}

			interval = Math.max(error.retryAfter ?? 0, Math.min(interval * 2, longestInterval * 1000));
		}
	}
}

function nextInterval(server: string, refusal: TokenRefusal, interval: number): number {
	switch (refusal.error) {
		case 'authorization_pending':
			return interval;
		case 'slow_down':
			return interval + slowerBy;
		case 'expired_token':
			throw expired(server);
		case 'access_denied':
			throw new AppError('auth', `The login was denied at ${server}.`, {
				hint: `Log in again and approve it: \`login --server ${server}\``,
			});
		default:
			throw loginRefused(server, refusal);
	}
}

function expired(server: string): AppError {
	return new AppError('auth', 'The code was not approved before it expired.', {
		hint: `Get a new one: \`login --server ${server}\``,
	});
}

function pageOf(address: unknown): string | undefined {
	const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
	// A user name before the host only serves to make one host look like another.
	return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && url.href.length <= 2000
		? url.href
		: undefined;
}

function within(value: unknown, least: number, most: number, otherwise: number): number {
	return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, least), most) : otherwise;
}

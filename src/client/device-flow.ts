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

/** A login that waits for the user's approval (RFC 8628 section 3.2). */
export type DeviceCode = {
	readonly deviceCode: Secret;
	/** The code that the user enters on the page: printable ASCII. */
	readonly userCode: string;
	/** The http or https page as `URL.href`: ASCII without control characters. */
	readonly page: string;
	/** The page with the code filled in; `page` if the server has none. */
	readonly pageWithCode: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
	/** Between two polls. */
	readonly intervalMs: number;
};

type Options = {
	/** Has no credential. */
	readonly transport: Transport;
	readonly clock: LoginClock;
	readonly signal: AbortSignal;
};

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const defaultIntervalS = 5;
/** How much each `slow_down` adds to the interval (RFC 8628 section 3.5). */
const slowDownMs = 5000;
const maxIntervalS = 60;
const maxLifetimeS = 60 * 60;

/** Starts a login. Throws AppError("auth") if the server doesn't allow it, AppError("network") if there is no valid response. */
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
		throw new AppError('network', `${server} started a login without a valid code or page.`, {
			hint: `Log in with an API key: \`login --server ${server} --with-token\``,
			permanent: true,
		});
	}

	const complete = pageOf(full);
	return {
		deviceCode: secret(device),
		userCode: code,
		page: address,
		pageWithCode: complete && new URL(complete).origin === new URL(address).origin ? complete : address,
		expiresAt: clock.now() + clamped(answer['expires_in'], {max: maxLifetimeS, otherwise: maxLifetimeS}) * 1000,
		intervalMs: clamped(answer['interval'], {max: maxIntervalS, otherwise: defaultIntervalS}) * 1000,
	};
}

/**
 * Polls until the user has decided, no faster than the server allows (RFC 8628 section 3.4), and less often while the server
 * doesn't respond. Throws AppError("auth") if the login was denied, not allowed, or not approved in time,
 * AppError("network") for an invalid response, and the signal's reason.
 */
export async function awaitTokens(
	authorization: AuthorizationServer,
	{deviceCode, expiresAt, intervalMs: firstMs}: DeviceCode,
	{transport, clock, signal}: Options,
): Promise<Tokens> {
	const form = {grant_type: grantType, device_code: deviceCode.reveal()};
	let intervalMs = firstMs;
	for (;;) {
		const leftMs = expiresAt - clock.now();
		await clock.sleep(Math.max(0, Math.min(intervalMs, leftMs)), signal);
		if (leftMs <= intervalMs) {
			throw expired(authorization.server);
		}

		try {
			const answer = await requestTokens(authorization, form, {transport, now: clock.now, signal, held: deviceCode});
			if (!('error' in answer)) {
				return answer;
			}

			intervalMs = nextIntervalMs(authorization.server, answer, intervalMs);
		} catch (error) {
			if (signal.aborted || !(error instanceof AppError) || error.code !== 'network' || error.permanent) {
				throw error;
			}

			intervalMs = Math.max(error.retryAfter ?? 0, Math.min(intervalMs * 2, maxIntervalS * 1000));
		}
	}
}

function nextIntervalMs(server: string, refusal: TokenRefusal, intervalMs: number): number {
	switch (refusal.error) {
		case 'authorization_pending':
			return intervalMs;
		case 'slow_down':
			return intervalMs + slowDownMs;
		case 'expired_token':
			throw expired(server);
		case 'access_denied':
			throw new AppError('auth', `The login was denied on ${server}.`, {
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
	// A user name before the host can only make one host look like another.
	return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && url.href.length <= 2000
		? url.href
		: undefined;
}

/** Returns a number of at least 1 and at most `max`; `otherwise` if the value isn't a number. */
function clamped(value: unknown, {max, otherwise}: {readonly max: number; readonly otherwise: number}): number {
	return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, 1), max) : otherwise;
}

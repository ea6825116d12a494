import {findAuthorizationServer} from '../client/authorization-server.ts';
import {awaitTokens, type DeviceCode, type LoginClock, requestDeviceCode} from '../client/device-flow.ts';
import type {Refresh} from '../client/refreshing.ts';
import {refreshTokens, type Tokens} from '../client/tokens.ts';
import type {Config} from '../config/config.ts';
import {entryOf} from '../config/config-data.ts';
import {replaceTokens} from '../config/profiles.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import type {Secret} from '../core/secret.ts';
import type {Credential} from '../net/credential.ts';
import {systemClock} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';

type Dependencies = {
	readonly config: Config;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
	readonly clock?: LoginClock | undefined;
};

/** A stored login whose access token a server does not accept any more. */
type Stale = {
	readonly profile: string;
	readonly server: Origin;
	readonly accessToken: Secret;
	readonly insecureHttp: boolean;
};

export type LoginAccess = {
	/**
	 * Logs a person in through his browser: `onCode` shows him where. Undefined where the server has no device flow.
	 * Throws as `findAuthorizationServer` and `awaitTokens` do.
	 */
	readonly logIn: (
		server: Origin,
		onCode: (code: DeviceCode) => void,
		options: {readonly insecureHttp: boolean; readonly signal: AbortSignal},
	) => Promise<Tokens | undefined>;
	/** What a client does about a 401: takes the token that another process got, or gets and stores a new one. */
	readonly refreshOf: (stale: Stale) => Refresh;
};

/** A refresh must be over before others think that we died with the lock, in milliseconds. */
const longestRefresh = 20_000;

/** Every request for tokens goes to the origin that they are for, without a credential in its header (SAFETY 6). */
export function createLoginAccess({
	config,
	createTransport,
	clock = {...systemClock, now: Date.now},
}: Dependencies): LoginAccess {
	/** One process refreshes, the others find what it stored: a rotated refresh token is good only once. */
	const renew = ({profile, server, accessToken, insecureHttp}: Stale): Promise<Secret | undefined> =>
		config.alone(async () => {
			const stored = entryOf(config.read().profiles, profile);
			if (stored?.server !== server || !stored.accessToken) {
				return undefined;
			}

			if (!stored.accessToken.equals(accessToken) || !stored.refreshToken) {
				return stored.accessToken.equals(accessToken) ? undefined : stored.accessToken;
			}

			const {refreshToken} = stored;
			return inTime(server, async signal => {
				const transport = await createTransport(undefined, insecureHttp);
				const authorization = await findAuthorizationServer(server, transport, signal);
				if (!authorization) {
					return undefined;
				}

				const tokens = await refreshTokens(authorization, refreshToken, {transport, now: clock.now, signal});
				await replaceTokens(config, profile, refreshToken, tokens);
				if (!tokens) {
					throw new AppError('auth', `Your login to ${server} has ended.`, {
						hint: `Log in again: \`login --server ${server}\``,
						logInTo: server,
					});
				}

				return tokens.accessToken;
			});
		});

	return {
		async logIn(server, onCode, {insecureHttp, signal}) {
			const transport = await createTransport(undefined, insecureHttp);
			const authorization = await findAuthorizationServer(server, transport, signal);
			if (!authorization) {
				return undefined;
			}

			const code = await requestDeviceCode(authorization, {transport, clock, signal});
			onCode(code);
			return awaitTokens(authorization, code, {transport, clock, signal});
		},
		refreshOf(stale) {
			let {accessToken} = stale;
			return async () => {
				const fresh = await renew({...stale, accessToken});
				accessToken = fresh ?? accessToken;
				return fresh && createTransport({origin: stale.server, kind: 'bearer', secret: fresh}, stale.insecureHttp);
			};
		},
	};
}

async function inTime<T>(server: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const late = new AbortController();
	const timer = setTimeout(() => {
		late.abort(new AppError('network', `${server} took too long to renew the login.`, {hint: 'Try again.'}));
	}, longestRefresh);
	try {
		return await run(late.signal);
	} finally {
		clearTimeout(timer);
	}
}

import {findAuthorizationServer} from '../client/authorization-server.ts';
import {awaitTokens, type DeviceCode, type LoginClock, requestDeviceCode} from '../client/device-flow.ts';
import type {Refresh} from '../client/refreshing.ts';
import {revokeTokens} from '../client/revocation.ts';
import {refreshTokens, type Tokens} from '../client/tokens.ts';
import type {Config} from '../config/config.ts';
import {forgetCredential, replaceTokens} from '../config/profiles.ts';
import {asClause} from '../config/stored-where.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError, reportError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
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

/** How a logout went beyond what is stored here. */
export type LoggedOut = {
	/** Undefined for an API key, which a logout does not revoke. */
	readonly revoked: boolean | undefined;
	/** What could not be done, as clauses: the local logout is done all the same. */
	readonly faults: readonly string[];
};

export type LoginAccess = {
	/**
	 * Logs the user in through a browser: `onCode` shows them where. Undefined where the server has no device flow.
	 * Throws as `findAuthorizationServer` and `awaitTokens` do.
	 */
	readonly logIn: (
		server: Origin,
		onCode: (code: DeviceCode) => void,
		options: {readonly insecureHttp: boolean; readonly signal: AbortSignal},
	) => Promise<Tokens | undefined>;
	/**
	 * Forgets the login of a profile here, then has the server revoke its tokens, in five seconds at most. Throws as
	 * `forgetCredential` does, and never because of the server or the keychain.
	 */
	readonly logOut: (
		profile: string,
		options: {readonly insecureHttp: boolean; readonly signal: AbortSignal},
	) => Promise<LoggedOut>;
	/** What a client does about a 401: takes the token that another process got, or gets and stores a new one. */
	readonly refreshOf: (stale: Stale) => Refresh;
};

/** A refresh must be over before others think that we died with the lock, in milliseconds. */
const longestRefresh = 20_000;

/** A person who logs out does not wait for a server that does not answer, in milliseconds. */
const longestRevocation = 5000;

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

			const [current, used] = [await config.open(stored.accessToken), await config.open(accessToken)];
			if (!current.equals(used) || !stored.refreshToken) {
				return current.equals(used) ? undefined : current;
			}

			const {refreshToken} = stored;
			return inTime(server, async signal => {
				const opened = await config.open(refreshToken);
				const transport = await createTransport(undefined, insecureHttp);
				const authorization = await findAuthorizationServer(server, transport, signal);
				if (!authorization) {
					return undefined;
				}

				const tokens = await refreshTokens(authorization, opened, {transport, now: clock.now, signal});
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
		async logOut(profile, {insecureHttp, signal}) {
			const faults: string[] = [];
			/** The tokens are read before they are forgotten, and while nobody renews them. */
			const held = await config.alone(async () => {
				const {server, accessToken, refreshToken} = entryOf(config.read().profiles, profile) ?? {};
				const opening = openTokens(config, accessToken, refreshToken);
				const tokens = await opening.catch(error => void faults.push(`its tokens weren't revoked: ${clauseOf(error)}`));
				await forgetCredential(config, profile, why =>
					faults.push(`the keychain still has its secrets: ${clauseOf(why)}`),
				);
				return server !== undefined && accessToken && {server: originOf(server), tokens};
			});
			if (!held) {
				return {revoked: undefined, faults};
			}

			if (!held.tokens) {
				return {revoked: false, faults};
			}

			const {server, tokens} = held;
			const within = AbortSignal.any([signal, AbortSignal.timeout(longestRevocation)]);
			try {
				const transport = await createTransport(undefined, insecureHttp);
				const authorization = await findAuthorizationServer(server, transport, within);
				if (!authorization) {
					throw new AppError('failed', 'the server offers no revocation');
				}

				await revokeTokens(authorization, tokens, {transport, signal: within});
				return {revoked: true, faults};
			} catch (error) {
				const why = within.aborted ? (signal.aborted ? 'interrupted' : 'the server did not answer in time') : error;
				return {revoked: false, faults: [...faults, `its tokens weren't revoked: ${clauseOf(why)}`]};
			}
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

async function openTokens(config: Config, access: Secret | undefined, refresh: Secret | undefined) {
	return (
		access && {
			accessToken: await config.open(access),
			refreshToken: refresh && (await config.open(refresh)),
		}
	);
}

/** Why something failed, as a part of a sentence. */
function clauseOf(why: unknown): string {
	return asClause(typeof why === 'string' ? why : reportError(why).message);
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

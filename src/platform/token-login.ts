import {findAuthorizationServer} from '../client/authorization-server.ts';
import {awaitTokens, type DeviceCode, type LoginClock, requestDeviceCode} from '../client/device-flow.ts';
import type {Refresh} from '../client/refreshing.ts';
import {refreshTokens, revokeTokens, type Tokens} from '../client/tokens.ts';
import {assertWritable, type Config} from '../config/config.ts';
import {removeCredential, replaceTokens} from '../config/profiles.ts';
import {asClause} from '../config/stored-where.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError, reportError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Credential} from '../net/credential.ts';
import {systemClock} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';

/** What logins are kept in, and how servers are reached. */
export type LoginParts = {
	readonly config: Config;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
	/** The clock of logins; that of the machine by default. */
	readonly loginClock?: LoginClock | undefined;
};

/** A request about a login. */
type LoginRequest = {readonly insecureHttp: boolean; readonly signal: AbortSignal};

/** A stored login whose access token the server no longer accepts. */
type StaleLogin = {
	readonly profile: string;
	readonly server: Origin;
	readonly accessToken: Secret;
	readonly insecureHttp: boolean;
};

/** The outcome of a logout on the server. */
export type LoggedOut = {
	/** Undefined for an API key, which a logout doesn't revoke. */
	readonly revoked: boolean | undefined;
	/** What failed, as clauses; the local logout is done all the same. */
	readonly faults: readonly string[];
};

/** A refresh must end before other processes take its lock for abandoned. */
const refreshTimeoutMs = 20_000;

/** How long a logout waits for a server that doesn't respond. */
const revocationTimeoutMs = 5000;

const machineClock: LoginClock = {...systemClock, now: Date.now};

/**
 * Logs the user in through a browser; `onCode` shows them where. Returns undefined if the server has no device flow.
 * Throws as `findAuthorizationServer` and `awaitTokens` do.
 */
export async function logInByBrowser(
	parts: LoginParts,
	server: Origin,
	onCode: (code: DeviceCode) => void,
	{insecureHttp, signal}: LoginRequest,
): Promise<Tokens | undefined> {
	const found = await authorize(parts, server, {insecureHttp, signal});
	if (!found) {
		return undefined;
	}

	const {authorization, transport} = found;
	const clock = parts.loginClock ?? machineClock;
	const code = await requestDeviceCode(authorization, {transport, clock, signal});
	onCode(code);
	return awaitTokens(authorization, code, {transport, clock, signal});
}

/**
 * Removes the login of a profile here, then asks the server to revoke its tokens, for five seconds at most. Throws as
 * `removeCredential` does, never because of the server or the keychain.
 */
export async function logOut(
	parts: LoginParts,
	profile: string,
	{insecureHttp, signal}: LoginRequest,
): Promise<LoggedOut> {
	const faults: string[] = [];
	const removed = await removeLogin(parts.config, profile, faults);
	if (!removed?.tokens) {
		return {revoked: removed ? false : undefined, faults};
	}

	const {server, tokens} = removed;
	const fault = await tryRevocation(signal, async within => {
		const found = await authorize(parts, server, {insecureHttp, signal: within});
		const {authorization, transport} = found ?? noRevocation();
		await revokeTokens(authorization, tokens, {transport, signal: within});
	});
	return {revoked: fault === undefined, faults: [...faults, ...(fault ?? [])]};
}

/** Returns the refresh for a 401: it uses the token that another process stored, or gets and stores a new one. */
export function refreshOf(parts: LoginParts, stale: StaleLogin): Refresh {
	const {config, createTransport, loginClock = machineClock} = parts;
	const {server, insecureHttp} = stale;
	const exchange: Exchange = async (refreshToken, signal) => {
		const opened = await config.open(refreshToken);
		const found = await authorize(parts, server, {insecureHttp, signal});
		if (!found) {
			return undefined;
		}

		const {authorization, transport} = found;
		return {tokens: await refreshTokens(authorization, opened, {transport, now: loginClock.now, signal})};
	};
	let {accessToken} = stale;
	return async () => {
		const fresh = await renewLogin(config, {...stale, accessToken}, exchange);
		accessToken = fresh ?? accessToken;
		return fresh && createTransport({origin: server, kind: 'bearer', secret: fresh}, insecureHttp);
	};
}

/**
 * Finds the authorization server of an origin, without a credential: every request for tokens goes to the origin that they
 * are for (SAFETY 6). Returns undefined if there is none.
 */
async function authorize({createTransport}: LoginParts, server: Origin, {insecureHttp, signal}: LoginRequest) {
	const transport = await createTransport(undefined, insecureHttp);
	const authorization = await findAuthorizationServer(server, transport, signal);
	return authorization && {authorization, transport};
}

/** Exchanges a refresh token for `tokens`, undefined for a refused one. Returns undefined if the server can't do that. */
type Exchange = (
	refreshToken: Secret,
	signal: AbortSignal,
) => Promise<{readonly tokens: Tokens | undefined} | undefined>;

/**
 * Returns an access token that the server accepts; undefined if there is none. One process refreshes, the others find what
 * it stored: a rotated refresh token works only once. Throws `AppError("auth")` if the login has ended, and what
 * `Config.update` throws, before the server is asked.
 */
function renewLogin(
	config: Config,
	{profile, server, accessToken}: StaleLogin,
	exchange: Exchange,
): Promise<Secret | undefined> {
	return config.runExclusively(async () => {
		const stored = entryOf(config.read().profiles, profile);
		if (stored?.server !== server || !stored.accessToken) {
			return undefined;
		}

		const [current, used] = [await config.open(stored.accessToken), await config.open(accessToken)];
		if (!current.equals(used) || !stored.refreshToken) {
			return current.equals(used) ? undefined : current;
		}

		const {refreshToken} = stored;
		await assertWritable(config);
		return withRefreshTimeout(server, async signal => {
			const exchanged = await exchange(refreshToken, signal);
			if (!exchanged) {
				return undefined;
			}

			const {tokens} = exchanged;
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
}

/**
 * Removes the login of a profile from this machine. Returns its server with the tokens to revoke, undefined if it had
 * none; adds to `faults` what failed. The tokens are read before they are removed, and while no process renews them.
 */
function removeLogin(config: Config, profile: string, faults: string[]) {
	return config.runExclusively(async () => {
		const {server, accessToken, refreshToken} = entryOf(config.read().profiles, profile) ?? {};
		const opening = openTokens(config, accessToken, refreshToken);
		const tokens = await opening.catch(error => void faults.push(notRevoked(error)));
		await removeCredential(config, profile, why => faults.push(`the keychain still has its secrets: ${clauseOf(why)}`));
		return server === undefined || !accessToken ? undefined : {server: originOf(server), tokens};
	});
}

async function openTokens(config: Config, access: Secret | undefined, refresh: Secret | undefined) {
	return (
		access && {
			accessToken: await config.open(access),
			refreshToken: refresh && (await config.open(refresh)),
		}
	);
}

/** Runs a revocation, for five seconds at most. Returns what failed, as a clause. */
async function tryRevocation(
	signal: AbortSignal,
	revoke: (signal: AbortSignal) => Promise<void>,
): Promise<readonly [string] | undefined> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(revocationTimeoutMs)]);
	try {
		await revoke(within);
		return undefined;
	} catch (error) {
		const why = within.aborted ? (signal.aborted ? 'interrupted' : 'the server did not answer in time') : error;
		return [notRevoked(why)];
	}
}

function noRevocation(): never {
	throw new AppError('failed', 'the server doesn’t offer revocation');
}

const notRevoked = (why: unknown) => `its tokens weren't revoked: ${clauseOf(why)}`;

/** Returns why something failed, as a part of a sentence. */
function clauseOf(why: unknown): string {
	return asClause(typeof why === 'string' ? why : reportError(why).message);
}

async function withRefreshTimeout<T>(server: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const late = new AbortController();
	const timer = setTimeout(() => {
		late.abort(new AppError('network', `${server} took too long to renew the login.`, {hint: 'Try again.'}));
	}, refreshTimeoutMs);
	try {
		return await run(late.signal);
	} finally {
		clearTimeout(timer);
	}
}

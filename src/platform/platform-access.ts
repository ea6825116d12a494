import {type Client, createClient} from '../client/client.ts';
import type {LoginClock} from '../client/device-flow.ts';
import {environmentLogSource} from '../client/environment-logs.ts';
import {getPreferences, recognizeServer} from '../client/preferences.ts';
import {refreshing} from '../client/refreshing.ts';
import type {Config} from '../config/config.ts';
import {saveScope} from '../config/profiles.ts';
import type {Recents} from '../config/recents.ts';
import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Scope} from '../contract/endpoint.ts';
import type {LogSource} from '../contract/log-cursor.ts';
import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import {localConnection} from '../store/connection-slice.ts';
import {checkScope} from './check-scope.ts';
import {assertEnvironmentId, createEnvironmentPaths, type EnvironmentPath} from './environment-path.ts';
import type {Interaction} from './interaction.ts';
import {openedOnFirstRead} from './log-source.ts';
import {createLoginAccess, type LoginAccess} from './login-access.ts';
import {createPlatformScope, type ScopeOf} from './platform-scope.ts';
import {sightingsOf} from './resume-sightings.ts';
import {seenIds} from './seen-ids.ts';
import type {ServerFlags} from './server-flags.ts';
import {createWholeIds} from './whole-ids.ts';

/** A server with the login and the scope that a command works with. */
export type PlatformSession = {
	readonly client: Client;
	readonly server: Origin;
	readonly profile: string;
	/** The parts of the scope that an operation needs; see `createPlatformScope`. */
	readonly scope: ScopeOf;
	/** The project, for an operation that can do without one. */
	readonly project: string | undefined;
	/** The UUID of the project. Throws `not-found` for one that the server does not list. */
	readonly projectId: () => Promise<string>;
	/**
	 * The path of an environment: its whole id, and the organization and workspace that it was seen in here, else those of
	 * the command. Throws `not-found` for the beginning of an id that nothing has, `usage` for that of several.
	 */
	readonly environment: (idOrPrefix: string, signal?: AbortSignal) => Promise<EnvironmentPath>;
	/** The log of an environment of this server, for `tailLog`. It throws as `environment` does. */
	readonly logOf: (idOrPrefix: string) => LogSource;
};

type Dependencies = {
	readonly config: Config;
	readonly env: Environment;
	/** Where the ids that calls show are kept for completion. */
	readonly recents: Pick<Recents, 'remember' | 'recall'>;
	/** Where it is kept what they say of sessions, runtimes and environments. */
	readonly sightings: Pick<Sightings, 'remember' | 'recall'>;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
	/** The embedded server, started when it is first asked for, and what opens it. */
	readonly embedded: () => Promise<{
		readonly url: string;
		readonly token: Secret;
		readonly scope: Readonly<Record<Scope, string>>;
	}>;
	/** What logins wait by; the clock of the machine otherwise. */
	readonly clock?: LoginClock | undefined;
};

type Login = Pick<ResolvedProfile, 'name' | 'server' | 'apiKey' | 'tokens'>;
type Remember = NonNullable<Parameters<typeof createClient>[0]['onAnswer']>;
type Proof = {
	readonly insecureHttp: boolean;
	readonly signal: AbortSignal;
	/** True for what a login through the browser gave. */
	readonly isLogin?: boolean;
	/** What is to be kept with it, and must exist. */
	readonly scope?: Readonly<Partial<Record<Scope, string | undefined>>>;
};

export type PlatformAccess = Pick<LoginAccess, 'logIn' | 'logOut'> & {
	/** Checks that an address is a server's, without any credential. Throws `network` where it is not. */
	readonly recognize: (server: string, options: Proof) => Promise<void>;
	/** Asks the server whether the key is good. Throws `auth` for a refusal, `not-found` for the scope, `network`. */
	readonly prove: (server: string, key: Secret | undefined, options: Proof) => Promise<void>;
	/** The same for a stored login, whose token is renewed where that is needed. */
	readonly proveLogin: (login: Login, options: Proof) => Promise<void>;
	/**
	 * The server that the flags, the environment, or else `connected` choose. `connected` is the profile that the app is
	 * connected to, undefined in a shell, where the active profile stands in. The embedded server needs no login; throws
	 * `auth` without one everywhere else.
	 */
	readonly open: (
		flags: ServerFlags,
		connected: string | undefined,
		onWait: (milliseconds: number, error: unknown) => void,
		user?: {readonly choose: Interaction['choose']; readonly signal: AbortSignal},
	) => Promise<PlatformSession>;
};

/** Every key goes to the server that it was stored for, in the header that each operation asks for (SAFETY 6). */
export function createPlatformAccess(dependencies: Dependencies): PlatformAccess {
	const {config, env, recents, sightings, createTransport, embedded, clock} = dependencies;
	const {logIn, logOut, refreshOf} = createLoginAccess({config, createTransport, clock});

	/** Without a login it is undefined. Only an API key opens what takes one in a header of its own. */
	const credentialsOf = async ({name, server, apiKey, tokens}: Login, insecureHttp: boolean) => {
		const secret = apiKey ?? tokens?.access;
		const transportOf = async (kind: 'bearer' | 'x-api-key', held = secret) =>
			held && createTransport({origin: server, kind, secret: held}, insecureHttp);
		const [bearer, apiKeyTransport] = await Promise.all([transportOf('bearer'), apiKey && transportOf('x-api-key')]);
		const refresh = tokens && refreshOf({profile: name, server, accessToken: tokens.access, insecureHttp});
		return bearer && {transports: {bearer, apiKey: apiKeyTransport}, refresh};
	};

	const embeddedLogin = async (flags: Partial<Record<Scope, string | undefined>>) => {
		const {url, token, scope} = await embedded();
		const {org = scope.org, workspace = scope.workspace, project = scope.project} = flags;
		return {name: localConnection.profile, server: originOf(url), apiKey: token, org, workspace, project};
	};

	return {
		logIn,
		logOut,
		async recognize(server, {insecureHttp, signal}) {
			await recognizeServer(server, await createTransport(undefined, insecureHttp), signal);
		},
		async prove(server, key, {insecureHttp, signal, isLogin, scope = {}}) {
			const credential = key && {origin: originOf(server), kind: 'bearer' as const, secret: key};
			const bearer = await createTransport(credential, insecureHttp);
			await getPreferences(server, bearer, signal, {isLogin});
			await checkScope(createClient({transports: {bearer}, server}), scope, {host: new URL(server).host, signal});
		},
		async proveLogin(login, {insecureHttp, signal}) {
			const credentials = await credentialsOf(login, insecureHttp);
			if (!credentials) {
				throw notLoggedIn(login.server);
			}

			const {transports, refresh} = credentials;
			const transport = refresh ? refreshing(transports.bearer, refresh) : transports.bearer;
			await getPreferences(login.server, transport, signal, {isLogin: login.tokens !== undefined});
		},
		async open(flags, connected, onWait, user) {
			const {activeProfile, ...others} = config.read();
			// The app's own server has no login, and the active profile is of another server.
			const isEmbedded = connected === localConnection.profile && !entryOf(others.profiles, connected);
			const data = isEmbedded ? others : config.read();
			const named = resolveProfile({data, env, flags, connected});
			const found = named ?? (isEmbedded ? await embeddedLogin(flags) : undefined);
			const credentials = found && (await credentialsOf(found, flags.insecureHttp));
			if (!credentials) {
				throw notLoggedIn(found?.server);
			}

			const {transports, refresh} = credentials;
			// One transport for both: whoever meets a 401 waits for the same refresh.
			const bearer = refresh ? refreshing(transports.bearer, refresh) : transports.bearer;
			const onAnswer: Remember = (operation, params, answer) => {
				recents.remember(found.name, seenIds(operation, params, answer));
				const place = {profile: found.name, server: found.server, at: new Date().toISOString()};
				sightings.remember(sightingsOf(place, operation, params, answer));
			};

			const client = createClient({
				transports: {...transports, bearer},
				server: found.server,
				retry: {onWait},
				onAnswer,
			});
			const {name: profile, server} = found;
			const ids = createWholeIds({client, recents, profile});
			const {scope, projectId} = createPlatformScope({
				...{client, server, profile, recents},
				given: found,
				...(user && {choose: user.choose, signal: user.signal}),
				keep: (name, slug) => saveScope(config, {name: profile, server}, {[name]: slug}),
			});
			const environment = createEnvironmentPaths({profile, server, sightings, scope, find: ids.find});
			return {
				client: ids.client,
				environment,
				logOf(idOrPrefix) {
					assertEnvironmentId(idOrPrefix);
					return openedOnFirstRead(async signal => {
						const params = await environment(idOrPrefix, signal);
						return environmentLogSource(server, bearer, params, answer =>
							onAnswer('getEnvironmentLogs', params, answer),
						);
					});
				},
				server,
				profile,
				scope,
				projectId,
				project: found.project || undefined,
			};
		},
	};
}

function notLoggedIn(server: string | undefined): AppError {
	return new AppError('auth', `You are not logged in${server ? ` to ${server}` : ''}.`, {
		hint: `Log in: \`login --server ${server ?? '<url>'}\``,
		logInTo: server,
	});
}

import {type Client, createClient} from '../client/client.ts';
import type {DeviceCode} from '../client/device-flow.ts';
import {getPreferences, recognizeServer} from '../client/preferences.ts';
import {refreshing} from '../client/refreshing.ts';
import type {Tokens} from '../client/tokens.ts';
import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import type {Scope} from '../contract/endpoint.ts';
import {abortable} from '../core/abortable.ts';
import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf, profileNameOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import {localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import {type PageQuery, readAllPages} from './all-pages.ts';
import {createContact} from './contact.ts';
import {createPlatformSession, type PlatformSession, type SessionStores, type SessionUser} from './platform-session.ts';
import {type LoggedOut, type LoginParts, logInByBrowser, logOut, refreshOf} from './token-login.ts';

/** Flags that choose a server, a login and a scope. */
export type ServerFlags = {
	/** Plain http beyond this machine is allowed (SAFETY 9). */
	readonly insecureHttp: boolean;
	readonly server: string | undefined;
	readonly profile: string | undefined;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	readonly project: string | undefined;
};

/** What logins are made of: where they are kept, and what is learned with them. */
export type LoginStores = LoginParts &
	SessionStores & {
		readonly store: AppStore;
		readonly env: Environment;
		/** The embedded server with its credential, started on first use. */
		readonly embedded: () => Promise<{
			readonly url: string;
			readonly token: Secret;
			readonly scope: Readonly<Record<Scope, string>>;
		}>;
	};

type Login = Pick<ResolvedProfile, 'name' | 'server' | 'apiKey' | 'tokens'>;
type PartialScope = Readonly<Partial<Record<Scope, string | undefined>>>;
type Proof = {
	readonly insecureHttp: boolean;
	readonly signal: AbortSignal;
	/** True for the token of a login through the browser. */
	readonly isLogin?: boolean;
	/** The scope that is saved with it and must exist. */
	readonly scope?: PartialScope;
};

/** Everything that needs a login, or makes one. */
export type Logins = {
	/** Checks that an address is a server's, without a credential. Throws `AppError("network")` if it isn't. */
	readonly recognize: (server: string, options: Proof) => Promise<void>;
	/**
	 * Asks the server whether the key is valid, and returns whose it is, if the server says that. Throws `AppError` with `auth`,
	 * `not-found` for the scope, or `network`.
	 */
	readonly prove: (server: string, key: Secret | undefined, options: Proof) => Promise<string | undefined>;
	/** Does the same for a stored login, whose token is renewed if needed. */
	readonly proveLogin: (login: Login, options: Proof) => Promise<string | undefined>;
	/** Logs the user in through a browser; see `logInByBrowser`. */
	readonly logIn: (server: Origin, onCode: (code: DeviceCode) => void, options: Proof) => Promise<Tokens | undefined>;
	/** Removes the login of a profile, and revokes its tokens; see `logOut`. */
	readonly logOut: (profile: string, options: Proof) => Promise<LoggedOut>;
	/**
	 * Opens the server that the flags, the environment, or else `connected` select. `connected` is the profile that the app
	 * is connected to; a shell has none and uses the active profile. Throws `AppError("auth")` without a login, which the
	 * embedded server doesn't need.
	 */
	readonly open: (flags: ServerFlags, connected: string | undefined, user: SessionUser) => Promise<PlatformSession>;
	/** Asks the connected server, without a credential, whether it answers, if it said nothing for a minute. Never throws. */
	readonly checkContact: () => Promise<void>;
};

/** Longer than a connection may take. */
const contactTimeoutMs = 30_000;

/** Every key goes to the server that it was stored for, in the header that each operation asks for (SAFETY 6). */
export function createLogins(stores: LoginStores): Logins {
	const {createTransport, store} = stores;
	const contact = createContact(store);

	/** Returns undefined without a login. Only an API key is sent in a header of its own. */
	const transportsOf = async ({name, server, apiKey, tokens}: Login, insecureHttp: boolean) => {
		const secret = apiKey ?? tokens?.access;
		const transportOf = async (kind: 'bearer' | 'x-api-key', held = secret) =>
			held && createTransport({origin: server, kind, secret: held}, insecureHttp);
		const [bearer, apiKeyTransport] = await Promise.all([transportOf('bearer'), apiKey && transportOf('x-api-key')]);
		const refresh = tokens && refreshOf(stores, {profile: name, server, accessToken: tokens.access, insecureHttp});
		// One transport for the client and for logs: all requests that get a 401 wait for the same refresh.
		const renewed = bearer && refresh ? refreshing(bearer, refresh) : bearer;
		return (
			renewed && {
				bearer: contact.follow(renewed, server),
				apiKey: apiKeyTransport && contact.follow(apiKeyTransport, server),
			}
		);
	};

	return {
		logIn: (server, onCode, options) => logInByBrowser(stores, server, onCode, options),
		logOut: (profile, options) => logOut(stores, profile, options),
		async recognize(server, {insecureHttp, signal}) {
			await recognizeServer(server, await createTransport(undefined, insecureHttp), signal);
		},
		async prove(server, key, {insecureHttp, signal, isLogin, scope = {}}) {
			const credential = key && {origin: originOf(server), kind: 'bearer' as const, secret: key};
			const bearer = await createTransport(credential, insecureHttp);
			const {user} = await getPreferences(server, bearer, signal, {isLogin});
			await checkScope(createClient({transports: {bearer}, server}), scope, {
				host: profileNameOf(new URL(server)),
				signal,
			});
			return user;
		},
		async proveLogin(login, {insecureHttp, signal}) {
			const {bearer} = (await transportsOf(login, insecureHttp)) ?? notLoggedIn(login.server);
			const {user} = await getPreferences(login.server, bearer, signal, {isLogin: login.tokens !== undefined});
			return user;
		},
		async open(flags, connected, user) {
			const found = loginFor(flags, connected, stores);
			// The own server may take seconds to start, and starts for others, too.
			const login = (await (user.signal ? abortable(found, user.signal) : found)) ?? notLoggedIn(undefined);
			const {name: profile, server, org, workspace, project} = login;
			const transports = (await transportsOf(login, flags.insecureHttp)) ?? notLoggedIn(server);
			const scope = {org, workspace, project};
			return createPlatformSession({profile, server, scope, transports}, stores, user);
		},
		async checkContact() {
			const server = contact.silent();
			if (server) {
				const transport = contact.follow(await createTransport(undefined, false), server);
				await recognizeServer(server, transport, AbortSignal.timeout(contactTimeoutMs)).catch(() => undefined);
			}
		},
	};
}

/** Returns the login of a command, undefined without one. The embedded server's is used if nothing else was selected. */
async function loginFor(
	flags: ServerFlags,
	connected: string | undefined,
	{config, env, embedded}: LoginStores,
): Promise<(Login & Readonly<Record<Scope, string | undefined>>) | undefined> {
	const {activeProfile, ...others} = config.read();
	// The app's own server has no login, and the active profile is of another server.
	const isEmbedded = connected === localConnection.profile && !entryOf(others.profiles, connected);
	const data = isEmbedded ? others : {activeProfile, ...others};
	const named = resolveProfile({data, env, flags, connected});
	if (named || !isEmbedded) {
		return named;
	}

	const {url, token, scope} = await embedded();
	const {org = scope.org, workspace = scope.workspace, project = scope.project} = flags;
	return {
		name: localConnection.profile,
		server: originOf(url),
		apiKey: token,
		tokens: undefined,
		org,
		workspace,
		project,
	};
}

function notLoggedIn(server: string | undefined): never {
	throw new AppError('auth', `You are not logged in${server ? ` to ${server}` : ''}.`, {
		hint: server
			? `Log in: \`login --server ${server}\``
			: 'Log in: `login --server <url>`. Or start the app, whose built-in server needs no login.',
		logInTo: server,
	});
}

type Listed = {readonly slug?: string; readonly id?: string};

/**
 * Checks that a scope exists before it is saved, as far as the server lists its parts. Throws `AppError("not-found")` with
 * the ones that exist.
 */
async function checkScope(
	client: Client,
	{org, workspace, project}: PartialScope,
	{host, signal}: {readonly host: string; readonly signal: AbortSignal},
): Promise<void> {
	const check = async (
		label: string,
		wanted: string,
		readPage: (query: PageQuery) => Promise<{readonly items?: readonly Listed[]}>,
	) => {
		const items = await readAllPages(client, readPage, signal);
		if (items && !items.some(({slug, id}) => slug === wanted || id === wanted)) {
			const slugs = items.flatMap(({slug}) => slug ?? []);
			throw new AppError('not-found', `Not found on ${host}: ${label} “${wanted}”.`, {
				hint: slugs.length > 0 ? `Available: ${slugs.join(', ')}.` : `You belong to no ${label} there.`,
			});
		}
	};

	if (!org) {
		return;
	}

	await check('organization', org, query => client.listOrganizations({query}, signal));
	if (workspace) {
		await check('workspace', workspace, query => client.listWorkspaces({params: {org}, query}, signal));
		if (project) {
			await check('project', project, query => client.listProjects({params: {org, workspace}, query}, signal));
		}
	}
}

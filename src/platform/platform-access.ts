import {type Client, createClient} from '../client/client.ts';
import type {LoginClock} from '../client/device-flow.ts';
import {getPreferences, recognizeServer} from '../client/preferences.ts';
import {refreshing} from '../client/refreshing.ts';
import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import type {Scope} from '../contract/endpoint.ts';
import {entryOf} from '../core/entry-of.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {originOf, profileNameOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import {localConnection} from '../store/connection-slice.ts';
import {type PageQuery, readAllPages} from './all-pages.ts';
import {createLoginAccess, type LoginAccess} from './login-access.ts';
import {createPlatformSession, type PlatformSession, type SessionStores, type SessionUser} from './platform-session.ts';
import type {ServerFlags} from './server-flags.ts';

type Dependencies = SessionStores & {
	readonly env: Environment;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
	/** The embedded server with its credential, started on first use. */
	readonly embedded: () => Promise<{
		readonly url: string;
		readonly token: Secret;
		readonly scope: Readonly<Record<Scope, string>>;
	}>;
	/** The clock of logins; that of the machine by default. */
	readonly clock?: LoginClock | undefined;
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

export type PlatformAccess = Pick<LoginAccess, 'logIn' | 'logOut'> & {
	/** Checks that an address is a server's, without a credential. Throws `AppError("network")` if it isn't. */
	readonly recognize: (server: string, options: Proof) => Promise<void>;
	/** Asks the server whether the key is valid. Throws `AppError` with `auth`, `not-found` for the scope, or `network`. */
	readonly prove: (server: string, key: Secret | undefined, options: Proof) => Promise<void>;
	/** Does the same for a stored login, whose token is renewed if needed. */
	readonly proveLogin: (login: Login, options: Proof) => Promise<void>;
	/**
	 * Opens the server that the flags, the environment, or else `connected` select. `connected` is the profile that the app
	 * is connected to; a shell has none and uses the active profile. Throws `AppError("auth")` without a login, which the
	 * embedded server doesn't need.
	 */
	readonly open: (flags: ServerFlags, connected: string | undefined, user: SessionUser) => Promise<PlatformSession>;
};

/** Every key goes to the server that it was stored for, in the header that each operation asks for (SAFETY 6). */
export function createPlatformAccess(dependencies: Dependencies): PlatformAccess {
	const {config, createTransport, clock} = dependencies;
	const {logIn, logOut, refreshOf} = createLoginAccess({config, createTransport, clock});

	/** Returns undefined without a login. Only an API key is sent in a header of its own. */
	const transportsOf = async ({name, server, apiKey, tokens}: Login, insecureHttp: boolean) => {
		const secret = apiKey ?? tokens?.access;
		const transportOf = async (kind: 'bearer' | 'x-api-key', held = secret) =>
			held && createTransport({origin: server, kind, secret: held}, insecureHttp);
		const [bearer, apiKeyTransport] = await Promise.all([transportOf('bearer'), apiKey && transportOf('x-api-key')]);
		const refresh = tokens && refreshOf({profile: name, server, accessToken: tokens.access, insecureHttp});
		// One transport for the client and for logs: all requests that get a 401 wait for the same refresh.
		return bearer && {bearer: refresh ? refreshing(bearer, refresh) : bearer, apiKey: apiKeyTransport};
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
			await checkScope(createClient({transports: {bearer}, server}), scope, {
				host: profileNameOf(new URL(server)),
				signal,
			});
		},
		async proveLogin(login, {insecureHttp, signal}) {
			const {bearer} = (await transportsOf(login, insecureHttp)) ?? notLoggedIn(login.server);
			await getPreferences(login.server, bearer, signal, {isLogin: login.tokens !== undefined});
		},
		async open(flags, connected, user) {
			const login = (await loginFor(flags, connected, dependencies)) ?? notLoggedIn(undefined);
			const {name: profile, server, org, workspace, project} = login;
			const transports = (await transportsOf(login, flags.insecureHttp)) ?? notLoggedIn(server);
			const scope = {org, workspace, project};
			return createPlatformSession({profile, server, scope, transports}, dependencies, user);
		},
	};
}

/** Returns the login of a command, undefined without one. The embedded server's is used if nothing else was selected. */
async function loginFor(
	flags: ServerFlags,
	connected: string | undefined,
	{config, env, embedded}: Pick<Dependencies, 'config' | 'env' | 'embedded'>,
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
		hint: `Log in: \`login --server ${server ?? '<url>'}\``,
		logInTo: server,
	});
}

type Lists = Pick<Client, 'listOrganizations' | 'listWorkspaces' | 'listProjects'>;
type Listed = {readonly slug?: string; readonly id?: string};

/**
 * Checks that a scope exists before it is saved, as far as the server lists its parts. Throws `AppError("not-found")` with
 * the ones that exist.
 */
async function checkScope(
	client: Lists,
	{org, workspace, project}: Readonly<Partial<Record<Scope, string | undefined>>>,
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

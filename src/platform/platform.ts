import type {Config} from '../config/config.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {once} from '../core/once.ts';
import {isLoopback, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {TlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import type {Connection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import type {Interaction} from './interaction.ts';
import type {LoginStores, Logins, ServerFlags} from './logins.ts';
import type {PlatformSession} from './platform-session.ts';
import {retryNotice} from './retry-notice.ts';

/** The place of something: the name of a profile, and a scope. The flags give the parts that are left out. */
export type Place = Partial<Pick<ServerFlags, 'profile' | 'server' | 'org' | 'workspace'>>;

/** What a command says about the server that it wants, and how its user is asked. */
type AccessRequest = {
	readonly ui: {
		readonly interact: Interaction;
		/** The session on screen; undefined in a shell. */
		readonly live: object | undefined;
	};
	readonly flags: ServerFlags;
	readonly signal: AbortSignal;
};

/** The part of a command's context that login and connections need. */
export type AccessContext = AccessRequest & {
	readonly program: {
		readonly store: AppStore;
		readonly local: {readonly config: Config; readonly env: Environment};
		readonly servers: {readonly platform: Platform};
	};
};

/** The servers of the platform, and the embedded one. */
export type Platform = {
	/** Returns how the connection to an https address is protected, if known. Throws AppError("network"). */
	readonly tlsOf: (address: URL, signal: AbortSignal) => Promise<TlsInfo | undefined>;
	/** Returns a transport without a credential, for URLs that are signed. It never uses plain http beyond this machine. */
	readonly anonymous: () => Promise<Transport>;
	/** Returns the address of the embedded server, and starts it if needed. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	/** Loads what needs a login, at the first call. */
	readonly logins: () => Promise<Logins>;
	/** Opens the server of a command with its login and scope; `place` overrides its flags. Throws as `Logins.open`. */
	readonly open: (request: AccessRequest, place?: Place) => Promise<PlatformSession>;
	/** Opens the server that the app is connected to, or was with `profile`, outside of commands. Throws as `Logins.open`. */
	readonly openConnected: (profile?: string) => Promise<PlatformSession>;
};

type PlatformParts = LoginStores & {
	readonly store: AppStore;
	/** Allows plain http beyond this machine in the whole program (SAFETY 9). */
	readonly insecureHttp: boolean;
};

/** Creates the access to servers. Most of it is loaded on first use, never before the first frame. */
export function createPlatform(parts: PlatformParts): Platform {
	const {store, env, embedded, createTransport, insecureHttp} = parts;
	const connected = () => store.getState().connection.profile;
	const logins = once(async () => {
		const {createLogins} = await import('./logins.ts');
		return createLogins({
			...parts,
			createTransport: (credential, isAllowed) => createTransport(credential, isAllowed || insecureHttp),
		});
	});

	return {
		embedded,
		logins,
		anonymous: () => createTransport(undefined, false),
		tlsOf: async (address, signal) => (await import('../net/tls-info.ts')).readTlsInfo(address, env, signal),
		async open({flags, ui: {live, interact}, signal}, place) {
			// A command in a shell has no connection of an app.
			const user = {onWait: retryNotice(interact.say), choose: interact.choose, signal};
			const named = {...flags, ...place};
			const session = await (await logins()).open(named, live && connected(), user);
			const isNamed = named.server !== undefined || named.profile !== undefined;
			return live && !isNamed ? assertSameServer(session, store.getState().connection) : session;
		},
		async openConnected(profile = connected()) {
			const session = await (await logins()).open({...noFlags, insecureHttp}, profile, {onWait: () => undefined});
			return profile === connected() ? assertSameServer(session, store.getState().connection) : session;
		},
	};
}

/**
 * Returns the session. Throws AppError("conflict") if the profile that the app is connected with is another server's by now:
 * another process may have changed or removed it, and what the user sees is of the server before.
 */
function assertSameServer(session: PlatformSession, {server, profile}: Connection): PlatformSession {
	// The app's own server may not have started when the app connected to it.
	const isSame = server === 'local' ? isLoopback(new URL(session.server)) : originOf(server) === session.server;
	if (isSame) {
		return session;
	}

	throw new AppError('conflict', `The profile “${profile}” is now for ${session.server}, not for ${server}.`, {
		hint: `Reconnect: \`connect ${session.server}\``,
	});
}

const noFlags = {
	server: undefined,
	profile: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
};

import {AppError} from '../core/error.ts';
import {once} from '../core/once.ts';
import {isLoopback, originOf} from '../core/origin.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {Connection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import type {AccessContext} from './access-context.ts';
import type {Platform} from './platform.ts';
import type {createPlatformAccess} from './platform-access.ts';
import type {PlatformSession} from './platform-session.ts';
import {retryNotice} from './retry-notice.ts';
import type {ServerFlags} from './server-flags.ts';

type Dependencies = Omit<Parameters<typeof createPlatformAccess>[0], 'createTransport'> & {
	readonly store: AppStore;
	/** Allows plain http beyond this machine in the whole program (SAFETY 9). */
	readonly insecureHttp: boolean;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
};

export type PlatformOnDemand = {
	/** Returns the access of one command. */
	readonly forCommand: (command: Omit<AccessContext, 'program'>) => Platform;
	/** Opens the server that the app is connected to, or was with `profile`, outside of commands. Throws as `Platform.open`. */
	readonly openConnected: (profile?: string) => Promise<PlatformSession>;
};

/** Creates the access to servers. Its modules are loaded on first use, never before the first frame. */
export function createPlatform(dependencies: Dependencies): PlatformOnDemand {
	const {store, env, embedded, createTransport, insecureHttp} = dependencies;
	const connected = () => store.getState().connection.profile;
	const access = once(async () => {
		const {createPlatformAccess} = await import('./platform-access.ts');
		return createPlatformAccess({
			...dependencies,
			createTransport: (credential, isAllowed) => createTransport(credential, isAllowed || insecureHttp),
		});
	});

	return {
		forCommand: ({flags, ui: {live, interact}, signal}) => ({
			embedded,
			anonymous: () => createTransport(undefined, false),
			recognize: async (...given) => (await access()).recognize(...given),
			prove: async (...given) => (await access()).prove(...given),
			proveLogin: async (...given) => (await access()).proveLogin(...given),
			logIn: async (...given) => (await access()).logIn(...given),
			logOut: async (...given) => (await access()).logOut(...given),
			tlsOf: async (address, signal) => (await import('../net/tls-info.ts')).readTlsInfo(address, env, signal),
			async open(place) {
				// A command in a shell has no connection of an app.
				const user = {onWait: retryNotice(interact.say), choose: interact.choose, signal};
				const named = {...flags, ...place};
				const session = await (await access()).open(named, live && connected(), user);
				const isNamed = named.server !== undefined || named.profile !== undefined;
				return live && !isNamed ? assertSameServer(session, store.getState().connection) : session;
			},
		}),
		async openConnected(profile = connected()) {
			const session = await (await access()).open({...noFlags, insecureHttp}, profile, {onWait: () => undefined});
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

const noFlags: Omit<ServerFlags, 'insecureHttp'> = {
	server: undefined,
	profile: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
};

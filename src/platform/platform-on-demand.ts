import {once} from '../core/once.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
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

type PlatformOnDemand = {
	/** Returns the access of one command. */
	readonly forCommand: (command: Pick<AccessContext, 'flags' | 'live' | 'interact' | 'signal'>) => Platform;
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
		forCommand: ({flags, live, interact, signal}) => ({
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
				return (await access()).open({...flags, ...place}, live && connected(), user);
			},
		}),
		async openConnected(profile = connected()) {
			return (await access()).open({...noFlags, insecureHttp}, profile, {onWait: () => undefined});
		},
	};
}

const noFlags: Omit<ServerFlags, 'insecureHttp'> = {
	server: undefined,
	profile: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
};

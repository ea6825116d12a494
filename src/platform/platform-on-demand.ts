import {once} from '../core/once.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {AppStore} from '../store/store.ts';
import type {AccessContext} from './access-context.ts';
import type {Platform} from './platform.ts';
import type {createPlatformAccess} from './platform-access.ts';
import type {PlatformSession} from './platform-session.ts';
import type {ServerFlags} from './server-flags.ts';
import {waitTeller} from './wait-teller.ts';

type Dependencies = Omit<Parameters<typeof createPlatformAccess>[0], 'createTransport'> & {
	readonly store: AppStore;
	/** Plain http beyond this machine is allowed to the whole program (SAFETY 9). */
	readonly insecureHttp: boolean;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
};

export type PlatformOnDemand = {
	/** What one command may do with servers. */
	readonly forCommand: (command: Pick<AccessContext, 'flags' | 'live' | 'interact' | 'signal'>) => Platform;
	/** The server that the app is connected to, for what no command asks for. Throws as `Platform.open`. */
	readonly openConnected: () => Promise<PlatformSession>;
};

/** The way to servers, whose modules are loaded when something first goes there: never before the first frame. */
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
				// A command in a shell chooses its server by itself.
				const user = {onWait: waitTeller(interact.say), choose: interact.choose, signal};
				return (await access()).open({...flags, ...place}, live && connected(), user);
			},
		}),
		async openConnected() {
			return (await access()).open({...noFlags, insecureHttp}, connected(), {onWait: () => undefined});
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

import type {Secret} from '../core/secrets/secret.ts';
import type {TlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import type {PlatformAccess} from './platform-access.ts';
import type {PlatformSession} from './platform-session.ts';
import type {ServerFlags} from './server-flags.ts';

/** Where something is: a profile by its name, and a scope. What is left out is as the flags say. */
export type Place = Partial<Pick<ServerFlags, 'profile' | 'server' | 'org' | 'workspace'>>;

export type Platform = Pick<PlatformAccess, 'recognize' | 'prove' | 'proveLogin' | 'logIn' | 'logOut'> & {
	/** How the connection to an https address is protected, as far as that can be seen. Throws `network`. */
	readonly tlsOf: (address: URL, signal: AbortSignal) => Promise<TlsInfo | undefined>;
	/** Sends no credential: for addresses that carry a permission of their own. Never plain http beyond this machine. */
	readonly anonymous: () => Promise<Transport>;
	/** The embedded server's address, started when it is not yet running. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	/**
	 * The server of this command, with its login and scope; `place` stands in for what the flags say of them. Throws `auth`
	 * without a login.
	 */
	readonly open: (place?: Place) => Promise<PlatformSession>;
};

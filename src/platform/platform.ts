import type {Secret} from '../core/secrets/secret.ts';
import type {TlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import type {PlatformAccess} from './platform-access.ts';
import type {PlatformSession} from './platform-session.ts';
import type {ServerFlags} from './server-flags.ts';

/** The place of something: the name of a profile, and a scope. The flags give the parts that are left out. */
export type Place = Partial<Pick<ServerFlags, 'profile' | 'server' | 'org' | 'workspace'>>;

export type Platform = Pick<PlatformAccess, 'recognize' | 'prove' | 'proveLogin' | 'logIn' | 'logOut'> & {
	/** Returns how the connection to an https address is protected, if known. Throws AppError("network"). */
	readonly tlsOf: (address: URL, signal: AbortSignal) => Promise<TlsInfo | undefined>;
	/** Returns a transport without a credential, for URLs that are signed. It never uses plain http beyond this machine. */
	readonly anonymous: () => Promise<Transport>;
	/** Returns the address of the embedded server, and starts it if needed. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	/**
	 * Opens the server of this command with its login and scope; `place` overrides the flags. Throws AppError("auth") without
	 * a login.
	 */
	readonly open: (place?: Place) => Promise<PlatformSession>;
};

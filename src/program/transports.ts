import type {Config} from '../config/config.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import type {Environment} from '../core/environment.ts';
import type {Credential} from '../net/credential.ts';
import type {WarmTransport} from '../net/transport.ts';
import type {DebugLog} from '../storage/debug-log.ts';

type Options = {
	readonly config: Config;
	readonly env: Environment;
	readonly version: string;
	/** Whether plain HTTP may leave this machine if a caller doesn't say. */
	readonly insecureHttp: boolean;
	/** Gets each secret that is opened. */
	readonly secrets: KnownSecrets;
	readonly debug: DebugLog | undefined;
};

/** Opens a transport with a credential, whose secret may still be in the keychain. */
type OpenTransport = (credential: Credential | undefined, insecureHttp?: boolean) => Promise<WarmTransport>;

/** Returns what opens transports. This is the one place where a stored secret is opened: at its first use. */
export function transportsWith({config, env, version, insecureHttp, secrets, debug}: Options): OpenTransport {
	return async (given, isPlainAllowed = insecureHttp) => {
		const {createTransport} = await import('../net/undici-transport.ts');
		const credential = given && {...given, secret: await config.open(given.secret)};
		if (credential) {
			secrets.add(credential.secret);
		}

		const transport = createTransport({
			env,
			userAgent: `service/${version}`,
			insecureHttp: isPlainAllowed,
			...(credential && {credential}),
		});
		return debug ? (await import('../net/debug-transport.ts')).withDebug(transport, debug.write) : transport;
	};
}

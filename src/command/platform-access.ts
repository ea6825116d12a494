import {type Client, createClient} from '../client/client.ts';
import {getPreferences} from '../client/preferences.ts';
import type {Config} from '../config/config.ts';
import type {Recents} from '../config/recents.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import type {Scope} from '../contract/endpoint.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Secret} from '../core/secret.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {GlobalFlags} from './context.ts';
import {seenIds} from './seen-ids.ts';

/** A server with the login and the scope that a command works with. */
export type PlatformSession = {
	readonly client: Client;
	readonly server: Origin;
	readonly profile: string;
	/**
	 * The parts of the scope that an operation needs, as `params` take them. Throws `usage` that says how to give the
	 * first one that is missing.
	 */
	readonly scope: <Name extends Scope>(...names: readonly Name[]) => Readonly<Record<Name, string>>;
};

type Dependencies = {
	readonly config: Config;
	readonly env: Environment;
	/** Where the ids that calls show are kept for completion. */
	readonly recents: Pick<Recents, 'remember'>;
	readonly createTransport: (credential: Credential | undefined, insecureHttp: boolean) => Promise<Transport>;
};

type Proof = {readonly insecureHttp: boolean; readonly signal: AbortSignal};

export type PlatformAccess = {
	/** Asks the server whether the key is good. Throws `auth` for a refusal, `network` where nothing answers. */
	readonly prove: (server: string, key: Secret | undefined, options: Proof) => Promise<void>;
	/**
	 * The server that the flags, the environment, or else `connected` choose. `connected` is the profile that the app is
	 * connected to, undefined in a shell, where the active profile stands in. Throws `auth` without a login.
	 */
	readonly open: (
		flags: Omit<GlobalFlags, 'json'>,
		connected: string | undefined,
		onWait: (milliseconds: number, error: unknown) => void,
	) => Promise<PlatformSession>;
};

/** Every key goes to the server that it was stored for, in the header that each operation asks for (SAFETY 6). */
export function createPlatformAccess({config, env, recents, createTransport}: Dependencies): PlatformAccess {
	return {
		async prove(server, key, {insecureHttp, signal}) {
			const credential = key && {origin: originOf(server), kind: 'bearer' as const, secret: key};
			await getPreferences(server, await createTransport(credential, insecureHttp), signal);
		},
		async open(flags, connected, onWait) {
			const chosen = flags.profile ?? (flags.server ? undefined : connected);
			const found = resolveProfile({data: config.read(), env, flags: {...flags, profile: chosen}});
			if (!found?.apiKey) {
				const where = found ? ` to ${found.server}` : '';
				throw new AppError('auth', `You are not logged in${where}.`, {
					hint: `Log in: \`login --server ${found?.server ?? '<url>'}\``,
				});
			}

			const {server, apiKey} = found;
			const transportOf = (kind: 'bearer' | 'x-api-key') =>
				createTransport({origin: server, kind, secret: apiKey}, flags.insecureHttp);
			const [bearer, apiKeyTransport] = await Promise.all([transportOf('bearer'), transportOf('x-api-key')]);
			return {
				client: createClient({
					server,
					transports: {bearer, apiKey: apiKeyTransport},
					retry: {onWait},
					onAnswer: (operation, params, answer) => recents.remember(found.name, seenIds(operation, params, answer)),
				}),
				server,
				profile: found.name,
				scope: (...names) => scopeOf(found, names),
			};
		},
	};
}

function scopeOf<Name extends Scope>(
	given: Readonly<Record<Scope, string | undefined>>,
	names: readonly Name[],
): Readonly<Record<Name, string>> {
	const entries = names.map(name => {
		const value = given[name];
		if (!value) {
			throw new AppError('usage', `Which ${name}?`, {
				hint: `Give --${name}, set SERVICE_${name.toUpperCase()}, or log in again with --${name} to keep it.`,
			});
		}

		return [name, value] as const;
	});
	return Object.fromEntries(entries) as Record<Name, string>;
}

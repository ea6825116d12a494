import {type Client, createClient} from '../client/client.ts';
import {environmentLogSource} from '../client/environment-logs.ts';
import type {ServicePlaces} from '../client/sandbox-services.ts';
import type {Config} from '../config/config.ts';
import {saveScope} from '../config/profiles.ts';
import type {Recents} from '../config/recents.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Scope} from '../contract/endpoint.ts';
import type {LogSource} from '../contract/log-cursor.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import type {Transport} from '../net/transport.ts';
import type {Interaction} from './interaction.ts';
import {openedOnFirstRead} from './log-source.ts';
import {createPlatformScope, isIdPrefix, type ScopeOf} from './platform-scope.ts';
import {sightingsOf} from './resume-sightings.ts';
import {seenIds} from './seen-ids.ts';
import {createWholeIds, type WholeIds} from './whole-ids.ts';

/** A server with the login and the scope that a command works with. */
export type PlatformSession = {
	readonly client: Client;
	readonly server: Origin;
	readonly profile: string;
	/** The parts of the scope that an operation needs; see `createPlatformScope`. */
	readonly scope: ScopeOf;
	/** Returns the project, for an operation that doesn't require one. */
	readonly project: () => Promise<string | undefined>;
	/** Returns the UUID of the project. Throws `AppError("not-found")` if the server doesn't list it. */
	readonly projectId: () => Promise<string>;
	/**
	 * Returns the path of an environment: its full id, and the organization and workspace that it was seen in here, else
	 * those of the command. Throws `AppError("not-found")` for a prefix of no id, `AppError("usage")` for one of several.
	 */
	readonly environment: (idOrPrefix: string, signal?: AbortSignal) => Promise<EnvironmentPath>;
	/** Finds full ids where the client's path parameters don't: in questions, and in bodies (`findUuid`). */
	readonly find: WholeIds['find'];
	readonly findUuid: WholeIds['findUuid'];
	/** Sends requests with the login, for what is beside the operations of the platform. */
	readonly transport: Transport;
	/** Returns the log of an environment of this server, for `tailLog`. Throws as `environment` does. */
	readonly logOf: (idOrPrefix: string) => LogSource;
};

/** Where sessions save what they learn. */
export type SessionStores = {
	readonly config: Config;
	/** Saves the ids that calls show, for completion. */
	readonly recents: Recents;
	/** Saves what servers say of sessions, runtimes and environments. */
	readonly sightings: Sightings;
	/** Keeps the addresses of the services of sandboxes that the user creates. */
	readonly services: ServicePlaces;
};

type Login = {
	readonly profile: string;
	readonly server: Origin;
	readonly scope: Readonly<Record<Scope, string | undefined>>;
	readonly transports: {readonly bearer: Transport; readonly apiKey: Transport | undefined};
};

/** How a session reaches the user. */
export type SessionUser = {
	readonly onWait: (delayMs: number, error: unknown) => void;
	/** Left out if the user can't be asked. */
	readonly choose?: Interaction['choose'];
	readonly signal?: AbortSignal;
};

/** Creates the session of a login. It sends nothing before its first call. */
export function createPlatformSession(
	{profile, server, scope: given, transports}: Login,
	{config, recents, sightings, services}: SessionStores,
	{onWait, choose, signal}: SessionUser,
): PlatformSession {
	const remember: NonNullable<Parameters<typeof createClient>[0]['onAnswer']> = (operation, params, answer) => {
		recents.remember(profile, seenIds(operation, params, answer));
		services.remember(operation, server, answer);
		sightings.remember(sightingsOf({profile, server, at: new Date().toISOString()}, operation, params, answer));
	};
	const client = createClient({transports, server, retry: {onWait}, onAnswer: remember});
	const {scope, project, projectId} = createPlatformScope({
		client,
		server,
		profile,
		given,
		recents,
		choose,
		signal,
		keep: (name, slug) => saveScope(config, {name: profile, server}, {[name]: slug}),
	});
	const projectOf = async () => (await scope('project')).project;
	const ids = createWholeIds({client, recents, profile, projectOf});
	const environment = createEnvironmentPaths({profile, server, sightings, scope, find: ids.find});
	return {
		client: ids.client,
		server,
		profile,
		scope,
		project,
		projectId,
		environment,
		transport: transports.bearer,
		find: ids.find,
		findUuid: ids.findUuid,
		logOf(idOrPrefix) {
			assertEnvironmentId(idOrPrefix);
			return openedOnFirstRead(async abort => {
				const params = await environment(idOrPrefix, abort);
				return environmentLogSource(server, transports.bearer, params, answer =>
					remember('getEnvironmentLogs', params, answer),
				);
			});
		},
	};
}

/** The path of an environment, as `params` take it. */
type EnvironmentPath = Readonly<Record<'org' | 'workspace' | 'environmentId', string>>;

type Dependencies = {
	readonly profile: string;
	readonly server: Origin;
	readonly sightings: Sightings;
	readonly scope: ScopeOf;
	readonly find: WholeIds['find'];
};

/**
 * Returns what finds the path of an environment: the organization and workspace that it was seen in, whatever the scope
 * of the command, because an id belongs to one workspace. The scope is asked for only if the environment was never seen.
 */
function createEnvironmentPaths({profile, server, sightings, scope, find}: Dependencies) {
	return async (idOrPrefix: string, signal?: AbortSignal): Promise<EnvironmentPath> => {
		assertEnvironmentId(idOrPrefix);
		const begins = idOrPrefix.toLowerCase();
		const seen = (await sightings.recall()).filter(
			sighting => sighting.kind === 'environment' && sighting.profile === profile && sighting.server === server,
		);
		const [only, ...others] = seen.filter(({id}) => id.toLowerCase().startsWith(begins));
		if (only?.org && only.workspace && (others.length === 0 || only.id.toLowerCase() === begins)) {
			return {org: only.org, workspace: only.workspace, environmentId: only.id};
		}

		const place = await scope('org', 'workspace');
		return {...place, environmentId: await find('environment', idOrPrefix, place, signal)};
	};
}

/** Throws AppError("usage") for text that can't be an id or a prefix of one. */
function assertEnvironmentId(text: string): void {
	if (!isIdPrefix(text)) {
		throw new AppError('usage', `Invalid sandbox id “${text}”.`, {hint: 'List sandboxes: `env list`'});
	}
}

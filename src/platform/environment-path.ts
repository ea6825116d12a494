import type {Sightings} from '../config/sightings.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import {isIdPrefix, type ScopeOf} from './platform-scope.ts';
import type {WholeIds} from './whole-ids.ts';

/** The path of an environment, as `params` take it. */
export type EnvironmentPath = Readonly<Record<'org' | 'workspace' | 'environmentId', string>>;

type Dependencies = {
	readonly profile: string;
	readonly server: Origin;
	readonly sightings: Pick<Sightings, 'recall'>;
	readonly scope: ScopeOf;
	readonly find: WholeIds['find'];
};

/**
 * Returns what finds the path of an environment: the organization and workspace that it was seen in, whatever the scope
 * of the command, because an id belongs to one workspace. The scope is asked for only if the environment was never seen.
 */
export function createEnvironmentPaths({profile, server, sightings, scope, find}: Dependencies) {
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
export function assertEnvironmentId(text: string): void {
	if (!isIdPrefix(text)) {
		throw new AppError('usage', `Invalid sandbox id “${text}”.`, {hint: 'List sandboxes: `env list`'});
	}
}

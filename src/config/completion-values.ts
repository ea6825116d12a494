import {providerNames} from '../core/model.ts';
import type {Config} from './config.ts';
import {listProfiles} from './profiles.ts';
import type {RecentKind, Recents} from './recents.ts';

/** The kind of an argument's value, if known values of it can be listed. */
export type CompletionKind = RecentKind | 'provider' | 'profile' | 'server' | 'model';

/** Returns the known values of a kind, best first. Synchronous and cheap, because a key press waits for it; never throws. */
export type CompletionValues = (kind: CompletionKind) => readonly string[];

type Sources = {
	readonly config: Pick<Config, 'read'>;
	readonly recents: Pick<Recents, 'recall'>;
	/** The profile whose ids are offered. */
	readonly profile: () => string | undefined;
	/** Ids of models; empty before they are loaded. */
	readonly models: () => readonly string[];
};

/** Finds values in the configuration, among recently seen ids and among known models. */
export function createCompletionValues({config, recents, profile, models}: Sources): CompletionValues {
	return kind => {
		try {
			switch (kind) {
				case 'provider':
					return providerNames;
				case 'profile':
					return listProfiles(config.read()).map(({name}) => name);
				case 'server':
					return [...new Set(listProfiles(config.read()).map(({server}) => server))];
				case 'model':
					return models();
				default:
					return recents.recall(profile() ?? '', kind);
			}
		} catch {
			// The command that needs the configuration reports its error; a key press must not.
			return [];
		}
	};
}

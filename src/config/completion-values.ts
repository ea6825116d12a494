import {isJsonObject} from '../core/json.ts';
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
	/** The name of the app's own server, which stands below the others; left out in a shell. */
	readonly embedded?: string;
};

/** Finds values in the configuration, among recently seen ids and among known models. */
export function createCompletionValues({config, recents, profile, models, embedded}: Sources): CompletionValues {
	return kind => {
		try {
			switch (kind) {
				case 'provider':
					return providerNames;
				case 'profile':
					return listProfiles(config.read()).map(({name}) => name);
				case 'server':
					return serversOf(config, embedded);
				case 'model':
					return [...new Set([...ownModels(config), ...models()])];
				default:
					return recents.recall(profile() ?? '', kind);
			}
		} catch {
			// The command that needs the configuration reports its error; a key press must not.
			return [];
		}
	};
}

/** Returns the models that the settings name: the selected one, and those of a host that lists no prices. */
function ownModels(config: Sources['config']): readonly string[] {
	const {model, prices, windows} = config.read().settings;
	const named = [prices, windows].flatMap(own => (isJsonObject(own) ? Object.keys(own) : []));
	return model === undefined ? named : [model, ...named];
}

function serversOf(config: Sources['config'], embedded: string | undefined): readonly string[] {
	const servers = new Set<string>(listProfiles(config.read()).map(({server}) => server));
	return [...servers, ...(embedded !== undefined && servers.size > 0 ? [embedded] : [])];
}

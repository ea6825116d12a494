import {complete} from '../../command/completion/complete.ts';
import type {Entry} from '../../command/context.ts';
import type {AppStore} from '../../store/store.ts';
import type {SavedSession} from '../../store/view-slice.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly entries: readonly Entry[];
	/** The sessions of this folder, newest first. */
	readonly list: () => Promise<readonly SavedSession[]>;
};

/**
 * Has the sessions of this folder at hand for completion: they are read anew each time that a line comes to where one is
 * named, because other windows make some too. Gives what ends it.
 */
export function followSavedSessions({store, entries, list}: Dependencies): () => void {
	let named = false;
	return store.subscribe(({composer, setSavedSessions}, before) => {
		if (composer.text === before.composer.text) {
			return;
		}

		const names = namesSession(entries, composer.text);
		if (names && !named) {
			// A folder that cannot be read is told by the command that needs it, not by each key.
			list().then(setSavedSessions, () => undefined);
		}

		named = names;
	});
}

function namesSession(entries: readonly Entry[], line: string): boolean {
	let asked = false;
	complete(entries, line, {
		valuesOf(kind) {
			asked ||= kind === 'saved-session';
			return [];
		},
	});
	return asked;
}

import {complete} from '../../command/completion/complete.ts';
import type {Entry} from '../../command/context.ts';
import {textOf} from '../../editor/long-text.ts';
import type {AppStore} from '../../store/store.ts';
import type {SavedSession} from '../../store/view-slice.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly entries: () => readonly Entry[];
	/** The sessions of this folder, newest first. */
	readonly list: () => Promise<readonly SavedSession[]>;
};

/**
 * Keeps the sessions of this folder available for completion. They are read again each time the line reaches an argument
 * that names a session, because other windows create sessions too. Returns a function that stops it.
 */
export function followSavedSessions({store, entries, list}: Dependencies): () => void {
	let wasNamed = false;
	const look = () => {
		const {composer, setSavedSessions} = store.getState();
		const isNamed = textOf(composer).charAt(0) === '/' && namesSession(entries(), composer.text);
		if (isNamed && !wasNamed) {
			// The command reports a folder that can't be read; a key press doesn't.
			list().then(setSavedSessions, () => undefined);
		}

		wasNamed = isNamed;
	};

	// The line may have been typed while the app started.
	look();
	return store.subscribe(({composer}, before) => {
		if (composer.text !== before.composer.text) {
			look();
		}
	});
}

/** Returns true if the line is at an argument that names a session. */
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

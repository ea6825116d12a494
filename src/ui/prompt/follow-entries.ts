import {type Entry, isNoun} from '../../command/context.ts';
import {commandName} from '../../command/line.ts';
import {textOf} from '../../editor/long-text.ts';
import type {AppState, AppStore} from '../../store/store.ts';

/** Calls `refresh` each time the user begins a slash line. Returns a function that stops it. */
export function followEntries(store: AppStore, refresh: () => Promise<void>): () => void {
	let isSlash = false;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		const wasSlash = isSlash;
		isSlash = textOf(composer).charAt(0) === '/';
		if (isSlash && !wasSlash) {
			// What can't be read is missing in the list, and the line reports it.
			refresh().catch(() => undefined);
		}
	};
	// The user may have begun while this was loaded.
	follow(store.getState());
	return store.subscribe(follow);
}

/** True for a line whose command comes from a file, or is not known yet: the file may have changed. */
export function comesFromFile(line: string, entries: readonly Entry[]): boolean {
	const name = commandName(line);
	const entry = entries.find(each => each.name === name || each.aliases?.includes(name));
	return !entry || (!isNoun(entry) && entry.takesLine === true);
}

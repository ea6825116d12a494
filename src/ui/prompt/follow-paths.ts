import type {PathIndex} from '../../core/fuzzy-paths.ts';
import type {AppStore} from '../../store/store.ts';
import {followMention} from './follow-mention.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Lists the files of the working folder. */
	readonly list: () => Promise<PathIndex>;
	/** Returns the time in milliseconds. */
	readonly now?: () => number;
};

/** How long a list of files is used before the next mention reads it again. */
const maxAgeMs = 5000;

/** Reads the list of files when the user begins a mention, unless it is fresh. Returns a function that stops it. */
export function followPaths({store, list, now = performance.now.bind(performance)}: Dependencies): () => void {
	let wasTyped = false;
	let isReading = false;
	let readAt = Number.NEGATIVE_INFINITY;

	const read = async () => {
		isReading = true;
		try {
			store.getState().setPaths(await list());
			readAt = now();
		} catch {
			// Without the list, paths are typed in full; what can't be read is told when the message is sent.
		} finally {
			isReading = false;
		}
	};

	return followMention(store, typed => {
		const isTyped = typed !== undefined;
		if (isTyped && !wasTyped && !isReading && now() - readAt > maxAgeMs) {
			void read();
		}

		wasTyped = isTyped;
	});
}

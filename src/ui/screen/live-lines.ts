import {createStore, type StoreApi} from 'zustand/vanilla';

/** The last lines of the transcript, which may still change. They are derived from the store, so they are not in it. */
export type LiveLines = StoreApi<readonly string[]>;

export function createLiveLines(): LiveLines {
	return createStore<readonly string[]>(() => []);
}

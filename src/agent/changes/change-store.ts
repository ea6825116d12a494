import {join} from 'node:path';
import {folderSlug} from '../../storage/session-folder.ts';
import {cleanStore} from './clean-store.ts';
import {type ObjectStore, openObjectStore} from './object-store.ts';

/** Opens the store of a working folder, a real path. Throws AppError("failed") as `openObjectStore` does. */
export type OpenChangeStore = (folder: string) => Promise<ObjectStore>;

/** Returns the folder in the state folder that has the stores of all working folders. */
export function changesFolder(stateFolder: string): string {
	return join(stateFolder, 'changes');
}

/** Returns what opens the stores, each once. A store that is opened is cleaned later, once a day. */
export function createChangeStores(stateFolder: string): OpenChangeStore {
	const stores = new Map<string, Promise<ObjectStore>>();
	return folder => {
		const path = join(changesFolder(stateFolder), folderSlug(folder));
		const store = stores.get(path) ?? openCleaned(path);
		stores.set(path, store);
		store.catch(() => stores.delete(path));
		return store;
	};
}

/** How long after its opening a store is cleaned: the first call of a tool doesn't wait for it. */
const cleanDelayMs = 60_000;

async function openCleaned(path: string): Promise<ObjectStore> {
	const store = await openObjectStore(path);
	// What can't be cleaned today may be tomorrow.
	setTimeout(() => void cleanStore(store, {nowMs: Date.now()}).catch(() => undefined), cleanDelayMs).unref();
	return store;
}

import {join} from 'node:path';
import {folderSlug} from '../../storage/session-folder.ts';
import {type ObjectStore, openObjectStore} from './object-store.ts';

/** Opens the store of a working folder, a real path. Throws AppError("failed") as `openObjectStore` does. */
export type OpenChangeStore = (folder: string) => Promise<ObjectStore>;

/** Returns the folder in the state folder that has the stores of all working folders. */
export function changesFolder(stateFolder: string): string {
	return join(stateFolder, 'changes');
}

/** Returns what opens the stores, each once. */
export function createChangeStores(stateFolder: string): OpenChangeStore {
	const stores = new Map<string, Promise<ObjectStore>>();
	return folder => {
		const path = join(changesFolder(stateFolder), folderSlug(folder));
		const store = stores.get(path) ?? openObjectStore(path);
		stores.set(path, store);
		store.catch(() => stores.delete(path));
		return store;
	};
}

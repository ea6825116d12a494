import type {Places} from '../policy/protected-places.ts';
import {writeBoundsOf} from '../tools/files/bounds.ts';
import type {ObjectStore} from './object-store.ts';
import {type KnownFiles, scanFolder} from './scan-folder.ts';
import type {Entry, EntryChange, Files} from './tree.ts';

/** Creates what reads the folder, and knows it as it was when it was last read as a whole. */
export function createFolderNow(places: Places) {
	let known: {readonly folder: string; readonly files: KnownFiles; readonly isWhole: boolean} | undefined;
	return {
		/** Reads the folder. Throws as `scanFolder`. */
		async scan(folder: string, store: ObjectStore, signal: AbortSignal): Promise<KnownFiles> {
			const before: KnownFiles = known?.folder === folder ? known.files : new Map();
			known = {folder, files: before, isWhole: false};
			const bounds = await writeBoundsOf(folder, places);
			const files = await scanFolder({...{folder, store, signal, known: before}, bounds});
			known = {folder, files, isWhole: true};
			return files;
		},
		/** Returns what was read last; undefined if the folder was never read, or not to its end. */
		last: (folder: string) => (known?.folder === folder && known.isWhole ? known.files : undefined),
		/** Notes what is at a path since; undefined for nothing. */
		note(folder: string, path: string, entry: Entry | undefined) {
			if (known?.folder === folder) {
				const files = new Map(known.files);
				files.delete(path);
				// It is read again next time.
				known = {...known, files: entry ? files.set(path, {stamp: 'noted', entry, changedAtMs: Date.now()}) : files};
			}
		},
	};
}

/** Returns the files with the entries from before these changes. */
export function withEntries(files: Files, changes: readonly EntryChange[]): Files {
	const next = new Map(files);
	for (const {path, before} of changes) {
		next.delete(path);
		if (before) {
			next.set(path, before);
		}
	}

	return next;
}

import {existsSync, type FSWatcher, statSync, watch} from 'node:fs';
import {dirname} from 'node:path';
import type {GuardedGit} from '../obeyed/obeyed-places.ts';
import {isWithin} from '../paths/existing.ts';
import {type FolderSearch, listFolder} from '../paths/search-folder.ts';
import {type GitSnapshot, removeObeyed, removePlanted, removeRedirects, removeUnfinished} from './planted.ts';

/** How often everything is searched while a command runs: after this time, and after many times what a search took. */
const intervalMs = 2000;
const restsPerSearch = 20;
const maxWatched = 50;

export type GitGuard = {
	/** Stops watching, and removes what is left. Returns what the folder holds then; undefined if it was changed. */
	readonly end: () => Promise<FolderSearch | undefined>;
};

type Options = {
	readonly snapshot: GitSnapshot;
	readonly git: GuardedGit;
	/** Gets what was done, as a clause. */
	readonly onRemoved: (note: string) => void;
	/** Called when a command plants what nothing but an attack needs, or does it again. */
	readonly onAttack: () => void;
};

/**
 * Removes what a command plants for the user's own git while it still runs: at once in the folders of git, and within seconds
 * elsewhere.
 */
export function guardGit({snapshot, git, onRemoved, onAttack}: Options): GitGuard {
	let last: Promise<unknown> = Promise.resolve();
	let timer: NodeJS.Timeout | undefined;
	let isWaiting = false;
	let isOver = false;
	let count = 0;

	const run = (remove: (before: GitSnapshot) => Promise<readonly string[]>, mayRepeat: number) => {
		const done = last.then(async () => {
			const notes = await remove(snapshot);
			notes.forEach(onRemoved);
			count += notes.length;
			if (notes.length > 0 && count > mayRepeat && !isOver) {
				onAttack();
			}
		});
		last = done.catch(() => undefined);
		return done;
	};
	const look = () => {
		if (!isOver) {
			watchAll();
		}

		if (!isWaiting) {
			isWaiting = true;
			last.then(() => {
				isWaiting = false;
			});
			void run(removeRedirects, 0).catch(() => undefined);
			void run(removeObeyed, 1).catch(() => undefined);
		}
	};
	const searchAfter = (delayMs: number) => {
		timer = setTimeout(async () => {
			const startedAt = performance.now();
			await run(before => removePlanted(before), 1).catch(() => undefined);
			if (!isOver) {
				searchAfter(Math.max(intervalMs, (performance.now() - startedAt) * restsPerSearch));
			}
		}, delayMs);
		timer.unref();
	};
	const awaited = new Set([...git.awaited, ...git.links.map(([path]) => path)].map(path => dirname(path)));
	const watchers = new Map<string, readonly FSWatcher[]>();
	/** Watches the folders of what is awaited; of one that is missing, the nearest around it until it is there. */
	const watchAll = () => {
		const existing = [...awaited].map(folder => nearest(folder, snapshot.workspace));
		for (const folder of new Set([...git.writable, ...existing])) {
			// Another folder may take the place of one.
			const key = `${statSync(folder, {throwIfNoEntry: false})?.ino} ${folder}`;
			if (!watchers.has(key) && watchers.size < maxWatched) {
				watchers.set(key, watched(folder, look));
			}
		}
	};
	watchAll();
	searchAfter(intervalMs);

	return {
		async end() {
			isOver = true;
			clearTimeout(timer);
			for (const watcher of [...watchers.values()].flat()) {
				watcher.close();
			}

			await last;
			const listing = await listFolder(snapshot.workspace);
			const countBefore = count;
			await run(before => removePlanted(before, listing), 0);
			// Not before: git works with them while a command rebases.
			await run(before => removeUnfinished(before, listing), 0);
			return count === countBefore ? listing : undefined;
		},
	};
}

/** Returns the folder, or if it is missing, the innermost one around it that exists. */
function nearest(folder: string, top: string): string {
	return folder === top || !isWithin(folder, top) || existsSync(folder) ? folder : nearest(dirname(folder), top);
}

/** Watches a folder, if the system still has room for that: the searches find everything as well, only later. */
function watched(folder: string, onChange: () => void): readonly FSWatcher[] {
	try {
		const watcher = watch(folder, {persistent: false}, onChange);
		watcher.on('error', () => watcher.close());
		return [watcher];
	} catch {
		return [];
	}
}

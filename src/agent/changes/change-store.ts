import {readdir, rmdir, stat, unlink, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {tryLock} from '../../storage/lock.ts';
import {folderSlug} from '../../storage/session-folder.ts';
import {type ObjectStore, openObjectStore} from './object-store.ts';
import {objectsIn} from './tree.ts';

/** Opens the store of a working folder, a real path. Throws AppError("failed") as `openObjectStore` does. */
export type OpenChangeStore = (folder: string) => Promise<ObjectStore>;

/** Returns the folder in the state folder that has the stores of all working folders. */
function changesFolder(stateFolder: string): string {
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

type Options = {
	readonly nowMs: number;
	/** Longest time that the contents of a session are kept after its last change; 30 days by default. */
	readonly maxAgeMs?: number;
	/** Most bytes of all contents of a folder; 1 GiB by default. The oldest sessions go first. */
	readonly maxBytes?: number;
	/** Shortest time between two cleanups; a day by default. */
	readonly intervalMs?: number;
};

const dayMs = 24 * 60 * 60 * 1000;
const objectName = /^[\da-f]{38}$/;

type Session = {readonly name: string; readonly ageMs: number};

/**
 * Deletes the contents of sessions that are too old, and of the oldest ones while all are too large. Objects of the last day
 * stay: a session that runs may be about to need them. At most one process cleans, once a day.
 */
export async function cleanStore(
	store: ObjectStore,
	{nowMs, maxAgeMs = 30 * dayMs, maxBytes = 1024 ** 3, intervalMs = dayMs}: Options,
): Promise<void> {
	const stamp = join(store.path, 'cleaned');
	if (nowMs - (await modifiedMs(stamp)) < intervalMs) {
		return;
	}

	const lock = tryLock(join(store.path, 'clean.lock'), {staleAfterMs: dayMs});
	if (!('release' in lock)) {
		return;
	}

	try {
		await writeFile(stamp, '', {mode: 0o600});
		await utimes(stamp, nowMs / 1000, nowMs / 1000);
		const refs = join(store.path, 'refs', 'heads');
		const sessions = await sessionsIn(refs, nowMs);
		const old = sessions.filter(({ageMs}) => ageMs > maxAgeMs);
		const young = sessions.filter(({ageMs}) => ageMs <= maxAgeMs);
		await Promise.all(old.map(({name}) => unlink(join(refs, name))));
		let bytes = await sweep(store, young, nowMs);
		while (bytes > maxBytes && young.length > 1 && (young.at(-1)?.ageMs ?? 0) > dayMs) {
			const oldest = young.pop();
			await unlink(join(refs, oldest?.name ?? ''));
			bytes = await sweep(store, young, nowMs);
		}
	} finally {
		lock.release();
	}
}

/** Returns the sessions, the latest first. */
async function sessionsIn(refs: string, nowMs: number): Promise<Session[]> {
	const names = await readdir(refs);
	const sessions = await Promise.all(
		names.map(async name => ({name, ageMs: nowMs - (await modifiedMs(join(refs, name)))})),
	);
	return sessions.sort((one, other) => one.ageMs - other.ageMs);
}

/** Deletes the objects that none of the sessions needs. Returns the bytes of those that stay. */
async function sweep(store: ObjectStore, sessions: readonly Session[], nowMs: number): Promise<number> {
	const needed = new Set<string>();
	for (const {name} of sessions) {
		await objectsIn(store, await store.ref(name), needed);
	}

	const objects = join(store.path, 'objects');
	let bytes = 0;
	for (const prefix of await readdir(objects)) {
		const folder = join(objects, prefix);
		if (prefix.endsWith('.tmp')) {
			await removeIfOld(folder, nowMs);
			continue;
		}

		for (const name of (await readdir(folder)).filter(each => objectName.test(each))) {
			const path = join(folder, name);
			const isGone = !needed.has(prefix + name) && (await removeIfOld(path, nowMs));
			bytes += isGone ? 0 : (await stat(path)).size;
		}

		// Only an empty folder can be removed.
		await rmdir(folder).catch(() => undefined);
	}

	return bytes;
}

async function removeIfOld(path: string, nowMs: number): Promise<boolean> {
	const isOld = nowMs - (await modifiedMs(path)) > dayMs;
	if (isOld) {
		await unlink(path);
	}

	return isOld;
}

async function modifiedMs(path: string): Promise<number> {
	return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

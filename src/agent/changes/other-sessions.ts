import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {ObjectStore} from './object-store.ts';

/** The clock of a file system may lag behind. */
const clockToleranceMs = 50;
/** A session that began a step earlier and never ended it has ended itself. */
const maxStepMs = 60 * 60 * 1000;

/**
 * Returns true if another session, of this program or of another one, saved changes of the folder since a time, or is at
 * work in it: what changed meanwhile may be its work. `sinceMs` is in milliseconds since 1970.
 */
export async function hasOtherSession(
	store: Pick<ObjectStore, 'path' | 'get' | 'ref'>,
	session: string,
	sinceMs: number,
): Promise<boolean> {
	const heads = join(store.path, 'refs', 'heads');
	for (const name of await readdir(heads).catch((): readonly string[] => [])) {
		const savedAtMs = name === session ? 0 : ((await stat(join(heads, name)).catch(() => undefined))?.mtimeMs ?? 0);
		if (savedAtMs >= sinceMs - clockToleranceMs) {
			return true;
		}

		if (savedAtMs >= Date.now() - maxStepMs && (await isAtWork(store, name))) {
			return true;
		}
	}

	return false;
}

/** True if the last commit of a session is from before a step: `saveTree` names it so. */
async function isAtWork(store: Pick<ObjectStore, 'get' | 'ref'>, session: string): Promise<boolean> {
	const id = await store.ref(session);
	const commit = id && (await store.get('commit', id).catch(() => undefined))?.toString();
	return commit?.includes('\n\nbefore ') ?? false;
}

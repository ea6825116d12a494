import type {ObjectStore} from './object-store.ts';
import {type Files, writeTree} from './tree.ts';

/** A session, and the one that it continues: that one's contents are kept with it. */
type Owner = {readonly session: string; readonly parent?: string | undefined};

/** Stores the files as a commit of the session, which keeps them from being cleaned up. Returns the id of their tree. */
export async function saveTree(
	store: ObjectStore,
	{session, parent}: Owner,
	files: Files,
	message: string,
): Promise<string> {
	const tree = await writeTree(store, files);
	const last = (await store.ref(session)) ?? (parent === undefined ? undefined : await store.ref(parent));
	const author = `service <service@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
	const head = [`tree ${tree}`, ...(last ? [`parent ${last}`] : []), `author ${author}`, `committer ${author}`];
	await store.setRef(session, await store.put('commit', Buffer.from(`${head.join('\n')}\n\n${message}\n`)));
	return tree;
}

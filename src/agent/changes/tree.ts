import type {ObjectStore} from './object-store.ts';

/**
 * A file at one time. `mode` is that of git: a file, a program, a symbolic link (its content is its target), or
 * `left-out`, something whose content isn't stored: then `id` only tells whether it changed.
 */
export type TreeEntry = {
	readonly mode: EntryMode;
	readonly id: string;
	/** Who may read, write and run it, as in `chmod`; left out for 644 and for a program with 755. */
	readonly permissions?: number;
};
type EntryMode = 'file' | 'program' | 'link' | 'left-out';

/** Files by their path, relative to the folder, with `/`. */
export type Files = ReadonlyMap<string, TreeEntry>;

/** What happened to a file between two trees; undefined where it didn't exist. */
export type EntryChange = {
	readonly path: string;
	readonly before: TreeEntry | undefined;
	readonly after: TreeEntry | undefined;
};

/** A submodule's mode marks what is left out: git never looks for its object. */
const modeNumbers: Readonly<Record<EntryMode, string>> = {
	file: '100644',
	program: '100755',
	link: '120000',
	'left-out': '160000',
};
const folderMode = '40000';
const modesByNumber = new Map(Object.entries(modeNumbers).map(([mode, number]) => [number, mode as EntryMode]));
const usual: Readonly<Partial<Record<EntryMode, number>>> = {file: 0o644, program: 0o755};

/** Returns the entry of a regular file with these permissions. */
export function fileEntry(id: string, permissions: number): TreeEntry {
	const mode = (permissions & 0o100) === 0 ? 'file' : 'program';
	return {mode, id, ...(permissions !== usual[mode] && {permissions})};
}

/** Returns the permissions of an entry; undefined for what isn't a regular file. */
export function permissionsOf({mode, permissions}: TreeEntry): number | undefined {
	return permissions ?? usual[mode];
}

/** Returns the mode of a row. git reads all modes of regular files as one of two. */
function modeNumberOf({mode, permissions}: TreeEntry): string {
	return permissions === undefined ? modeNumbers[mode] : `100${permissions.toString(8).padStart(3, '0')}`;
}

type Folder = {readonly folders: Map<string, Folder>; readonly files: Map<string, TreeEntry>};

/** Stores the files as a tree. Returns its id. */
export async function writeTree(store: ObjectStore, files: Files): Promise<string> {
	const root = newFolder();
	for (const [path, entry] of files) {
		const names = path.split('/');
		const name = names.pop() ?? '';
		let folder = root;
		for (const each of names) {
			const next = folder.folders.get(each) ?? newFolder();
			folder.folders.set(each, next);
			folder = next;
		}

		folder.files.set(name, entry);
	}

	return writeFolder(store, root);
}

function newFolder(): Folder {
	return {folders: new Map(), files: new Map()};
}

async function writeFolder(store: ObjectStore, {folders, files}: Folder): Promise<string> {
	const rows: {readonly key: Buffer; readonly row: Buffer}[] = [];
	const add = (mode: string, name: string, id: string) => {
		// git sorts a folder as if its name ended in a slash.
		const key = Buffer.from(mode === folderMode ? `${name}/` : name);
		rows.push({key, row: Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])});
	};
	for (const [name, folder] of folders) {
		add(folderMode, name, await writeFolder(store, folder));
	}

	for (const [name, entry] of files) {
		add(modeNumberOf(entry), name, entry.id);
	}

	return store.put('tree', Buffer.concat(rows.sort((a, b) => a.key.compare(b.key)).map(({row}) => row)));
}

type Row = {readonly name: string; readonly mode: string; readonly id: string};

async function readFolder(store: ObjectStore, id: string | undefined): Promise<ReadonlyMap<string, Row>> {
	const rows = new Map<string, Row>();
	const data = id === undefined ? Buffer.alloc(0) : await store.get('tree', id);
	for (let at = 0; at < data.length; ) {
		const end = data.indexOf(0, at);
		const [mode = '', ...name] = data.toString('utf8', at, end).split(' ');
		rows.set(name.join(' '), {name: name.join(' '), mode, id: data.toString('hex', end + 1, end + 21)});
		at = end + 21;
	}

	return rows;
}

/** Returns what differs between two trees, in the order of the paths. Throws AppError("not-found") if one isn't stored. */
export async function diffTrees(
	store: ObjectStore,
	before: string | undefined,
	after: string | undefined,
): Promise<readonly EntryChange[]> {
	const changes: EntryChange[] = [];
	await diffFolders(store, before, after, '', changes);
	return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function diffFolders(
	store: ObjectStore,
	before: string | undefined,
	after: string | undefined,
	prefix: string,
	changes: EntryChange[],
): Promise<void> {
	const [old, now] = [await readFolder(store, before), await readFolder(store, after)];
	for (const name of new Set([...old.keys(), ...now.keys()])) {
		const [one, other] = [old.get(name), now.get(name)];
		if (one?.id === other?.id && one?.mode === other?.mode) {
			continue;
		}

		const path = prefix + name;
		const [oldFolder, newFolder] = [folderId(one), folderId(other)];
		if (oldFolder !== undefined || newFolder !== undefined) {
			await diffFolders(store, oldFolder, newFolder, `${path}/`, changes);
		}

		const [oldFile, newFile] = [entryOf(one), entryOf(other)];
		if (oldFile || newFile) {
			changes.push({path, before: oldFile, after: newFile});
		}
	}
}

function folderId(row: Row | undefined): string | undefined {
	return row?.mode === folderMode ? row.id : undefined;
}

function entryOf(row: Row | undefined): TreeEntry | undefined {
	const [, permissions] = /^100([0-7]{3})$/.exec(row?.mode ?? '') ?? [];
	if (row && permissions !== undefined) {
		return fileEntry(row.id, Number.parseInt(permissions, 8));
	}

	const mode = row && modesByNumber.get(row.mode);
	return row && mode && {mode, id: row.id};
}

/** Returns true for the same content and permissions, or if neither exists. */
export function isSameEntry(one: TreeEntry | undefined, other: TreeEntry | undefined): boolean {
	return one?.id === other?.id && one?.mode === other?.mode && one?.permissions === other?.permissions;
}

/** Adds the ids of a commit, its ancestors, and everything in them to `ids`. What is missing is passed over. */
export async function objectsIn(store: ObjectStore, commit: string | undefined, ids: Set<string>): Promise<void> {
	for (let id = commit; id !== undefined && !ids.has(id); ) {
		ids.add(id);
		const text = (await store.get('commit', id).catch(() => Buffer.alloc(0))).toString('latin1');
		const [, tree] = /^tree ([\da-f]{40})$/m.exec(text) ?? [];
		if (tree) {
			await objectsInFolder(store, tree, ids);
		}

		[, id] = /^parent ([\da-f]{40})$/m.exec(text) ?? [];
	}
}

async function objectsInFolder(store: ObjectStore, tree: string, ids: Set<string>): Promise<void> {
	if (ids.has(tree)) {
		return;
	}

	ids.add(tree);
	for (const row of (await readFolder(store, tree).catch(() => new Map<string, Row>())).values()) {
		if (row.mode === folderMode) {
			await objectsInFolder(store, row.id, ids);
		} else {
			ids.add(row.id);
		}
	}
}

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

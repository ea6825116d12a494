import {execFile, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {type BigIntStats, existsSync} from 'node:fs';
import {lstat, mkdir, open, readdir, readFile, rm, stat, utimes, writeFile} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import {isJsonObject, parseJson} from '../../core/json.ts';
import {once} from '../../core/once.ts';
import {isGone, parseOwner, thisProcess} from '../../storage/lock-owner.ts';
import {isWithin} from '../paths/existing.ts';
import {findCommand} from '../paths/search-folder.ts';
import {createWalk, pathIn, statsOf} from '../paths/walk-folder.ts';
import {headOf, refsOf} from './committed-files.ts';
import {anyFolder, identifyFile} from './file-identity.ts';
import {
	type Changer,
	createLedger,
	crowdedFirst,
	hasUnseen,
	isChanger,
	type LedgerPlace,
	ledgerFolder,
	maxFiles,
	noteUnseen,
} from './unseen-ledger.ts';

export type {Changer} from './unseen-ledger.ts';

/** The time in which something of the agent may change files of a folder. */
export type ChangeWindow = {
	/** Ends it: what is changed from now on is the user's. */
	readonly end: () => Promise<void>;
	/** Ends it and notes what was changed. Never throws: if this fails, whoever looks next does it. */
	readonly close: () => Promise<void>;
};

/** How long the files of a folder may take to be listed. */
const listTimeoutMs = 20_000;
const maxListBytes = 32 * 1024 * 1024;
const maxParallel = 16;

/** Returns what finds a name in the folder of git of a repository, a submodule or a worktree. */
function inGit({source}: RegExp): RegExp {
	return new RegExp(String.raw`(?:^|\/)\.git\/(?:(?:modules\/.+|worktrees\/[^/]+)\/)?${source}`);
}

/** What git writes with each commit. What it runs and obeys is protected from the agent otherwise. */
const gitData = inGit(
	/(?:objects(?:\/(?:[\da-f]{2}(?:\/(?:[\da-f]{38,62}|tmp_obj_\w+))?|pack(?:\/[\w.-]+)?|info(?:\/[\w./-]+)?))?|(?:refs|logs|sequencer|rebase-\w+)(?:\/.*)?|index|HEAD|\w+_HEAD|MERGE_\w+|AUTO_MERGE|COMMIT_EDITMSG|info\/refs|gc\.(?:pid|log)|packed-refs|[\w.-]+\.lock)$/,
);

/**
 * Begins to watch the files of a folder, before something of the agent can change any. If this program is killed, the next
 * one that looks still finds what was changed (SAFETY 12). Throws AppError("failed") if that can't be kept.
 */
export async function openWindow(place: LedgerPlace, by: Changer): Promise<ChangeWindow> {
	const path = join(await createLedger(place), `window-${randomUUID()}`);
	await mkdir(path, {mode: 0o700});
	const mark = join(path, 'mark');
	await writeFile(mark, '', {mode: 0o600});
	const at = await startOfWindow(mark, place.folder);
	await utimes(mark, at, at);
	await writeFile(canaryIn(path), '', {mode: 0o600});
	const [head] = await Promise.all([headOf(place.folder), listNames(place.folder, join(path, 'names'))]);
	await writeFile(noteIn(path), JSON.stringify({owner: thisProcess(), by, head}), {mode: 0o600});
	const end = once(async () => {
		const note: WindowEnd = {head: await headOf(place.folder), atMs: Date.now()};
		await writeFile(endIn(path), JSON.stringify(note), {mode: 0o600});
	});
	return {
		end,
		async close() {
			try {
				await end();
				await settle(place, path);
				await removeWindow(path);
			} catch {
				// Nothing is lost: the window stays, as that of a process that is gone.
				await rm(noteIn(path), {force: true}).catch(() => undefined);
			}
		},
	};
}

/**
 * Notes what was changed in all windows of a folder, also of other processes, and ends those whose process is gone. Returns
 * true if one is still open, in which files change at any time. Throws AppError("failed").
 */
export async function settleWindows(place: LedgerPlace): Promise<boolean> {
	const parent = ledgerFolder(place);
	const names = await readdir(parent).catch(() => []);
	let isOpen = false;
	for (const path of names.filter(name => name.startsWith('window-')).map(name => join(parent, name))) {
		const isOver = await isOwnerGone(path);
		isOpen ||= !isOver && (await statsOf(endIn(path))) === undefined;
		await settle(place, path);
		await (isOver && removeWindow(path));
	}

	return isOpen;
}

/**
 * Returns a time, in seconds since the epoch, that is before everything that changes from now on: clocks of file systems
 * stand still for milliseconds, and some of them count in seconds.
 */
async function startOfWindow(mark: string, folder: string): Promise<number> {
	const [{mtimeNs}, {ctimeNs}] = [await stat(mark, {bigint: true}), await stat(folder, {bigint: true})];
	const leadNs = ctimeNs % 1_000_000_000n === 0n ? 2_000_000_000n : 2000n;
	return Number(mtimeNs - leadNs) / 1e9;
}

function noteIn(path: string): string {
	return join(path, 'window.json');
}

/** A file that is in every list of what was changed, or the list is no good. */
function canaryIn(path: string): string {
	return join(path, 'canary');
}

/** A file that is there once a window has ended. */
function endIn(path: string): string {
	return join(path, 'end');
}

/** Which commit was checked out when a window ended, and when that was, in milliseconds since the epoch. */
type WindowEnd = {readonly head: string | undefined; readonly atMs: number};

/** Returns the end of a window; one that has not ended ends now. */
async function readEnd(path: string, folder: string): Promise<WindowEnd> {
	const note = parseJson(await readFile(endIn(path), 'utf8').catch(() => ''));
	const {head, atMs} = isJsonObject(note) ? note : {};
	return typeof atMs === 'number'
		? {head: typeof head === 'string' ? head : undefined, atMs}
		: {head: await headOf(folder), atMs: Date.now()};
}

async function readNote(path: string) {
	const note = parseJson(await readFile(noteIn(path), 'utf8').catch(() => ''));
	const {by, head, owner} = isJsonObject(note) ? note : {};
	return {
		by: isChanger(by) ? by : ('command' as const),
		head: typeof head === 'string' ? head : undefined,
		owner: parseOwner(owner),
	};
}

/** True if nothing of the agent changes files in this window any more. */
async function isOwnerGone(path: string): Promise<boolean> {
	const {owner} = await readNote(path);
	const since = (await stat(join(path, 'mark')).catch(() => undefined))?.mtimeMs ?? 0;
	// One without a note is just being opened, or could not be closed.
	return owner ? isGone(owner, since) : Date.now() - since > 2 * listTimeoutMs;
}

/** Removes a window whose changes were noted: first the file by which whoever is reading the others sees it. */
async function removeWindow(path: string): Promise<void> {
	await rm(canaryIn(path), {force: true});
	await rm(path, {recursive: true, force: true});
}

async function settle(place: LedgerPlace, path: string): Promise<void> {
	const {folder} = place;
	const {by, head} = await readNote(path);
	const listed = await listChanged(place, path);
	// Nobody knows what it was, so that it is everything.
	const changes = listed ? await changesOf(listed, folder, join(path, 'names')) : new Map([['', anyFolder]]);
	const isRemoved = (await stat(canaryIn(path)).catch(() => undefined)) === undefined;
	if (!isRemoved && (changes.size > 0 || hasUnseen(place))) {
		const {head: after, atMs} = await readEnd(path, folder);
		// A commit that the agent made, and that HEAD has left since, is not the user's once they come back to it.
		const refs =
			(head ?? after) !== undefined && mayMoveRefs(listed, folder) ? ((await refsOf(folder)) ?? null) : undefined;
		await noteUnseen(place, changes, by, {before: head, after, refs, atMs});
	}
}

/** What says which commits there are. */
const gitRefs = inGit(/(?:HEAD|packed-refs|refs(?:\/.*)?)$/);

/** True unless what was changed has no part in which commits there are. */
function mayMoveRefs(listed: readonly string[] | undefined, folder: string): boolean {
	return !listed || !existsSync(join(folder, '.git')) || listed.some(name => gitRefs.test(name));
}

/** Returns what was changed: identities, and how many files a folder has that holds too many, by their name in the folder. */
async function changesOf(
	listed: readonly string[],
	folder: string,
	listFile: string,
): Promise<ReadonlyMap<string, string | number>> {
	const {names, crowded} = apart(listed.filter(name => !gitData.test(name)));
	const found = new Set<string>();
	const folders = new Set<string>();
	for (const name of names) {
		const stats = await lstat(join(folder, name)).catch(() => undefined);
		// One that is gone since is missing in its folder, too.
		if (stats) {
			(stats.isDirectory() ? folders : found).add(name);
		}
	}

	const before = folders.size > 0 ? await childrenBefore(folders, listFile) : undefined;
	for (const name of [...folders].filter(each => !crowded.has(each))) {
		const now = await readdir(join(folder, name)).catch(() => undefined);
		if (!now || !before) {
			found.add(name);
			continue;
		}

		const known = before.get(name) ?? new Set();
		const inside = (child: string) => (name === '' ? child : `${name}/${child}`);
		const gone = [...known].filter(child => !now.includes(child)).map(inside);
		const added = await Promise.all(
			now.filter(child => !known.has(child)).map(child => filesBelow(folder, inside(child))),
		);
		for (const each of [...gone, ...added.flat()].filter(one => !gitData.test(one))) {
			found.add(each);
		}
	}

	const changes = new Map<string, string | number>(crowded);
	const waiting = found.values();
	const work = async () => {
		for (const name of waiting) {
			changes.set(name, await identifyFile(join(folder, name)));
		}
	};
	await Promise.all(Array.from({length: maxParallel}, work));
	return changes;
}

/** Sets the top folders apart that hold the most, until few enough files are left to be looked at one by one. */
function apart(names: readonly string[]) {
	const crowded = new Map<string, number>();
	const left = new Set(names);
	for (const [top, inside] of crowdedFirst(names)) {
		if (left.size > maxFiles && top !== '') {
			crowded.set(top, inside.length);
			inside.forEach(name => void left.delete(name));
		}
	}

	return {names: [...left], crowded};
}

/** Returns the names that folders had when the window was opened; undefined if they weren't listed as a whole. */
async function childrenBefore(
	folders: ReadonlySet<string>,
	listFile: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined> {
	const text = await readFile(listFile, 'utf8').catch(() => undefined);
	if (!text?.endsWith(listEnd)) {
		return undefined;
	}

	const children = new Map<string, Set<string>>([...folders].map(name => [name, new Set()]));
	for (const line of text.slice(0, -listEnd.length).split('\0').filter(Boolean)) {
		const name = line.slice('./'.length);
		for (let at = -1; at < name.length; ) {
			const next = name.indexOf('/', at + 1);
			const end = next === -1 ? name.length : next;
			children.get(at === -1 ? '' : name.slice(0, at))?.add(name.slice(at + 1, end));
			at = end;
		}
	}

	return children;
}

/** Returns a file, or all files below a folder. */
async function filesBelow(folder: string, name: string): Promise<readonly string[]> {
	const stats = await lstat(join(folder, name)).catch(() => undefined);
	if (!stats?.isDirectory()) {
		return [name];
	}

	const children = await readdir(join(folder, name)).catch(() => undefined);
	return children ? (await Promise.all(children.map(child => filesBelow(folder, `${name}/${child}`)))).flat() : [name];
}

/** The end of a list that is complete. */
const listEnd = '\0/\0';

const walkNames = createWalk({
	maxFolders: 350,
	maxNames: 3500,
	isEntered: name => !isObjects.test(name),
});
const isObjects = /(?:^|\/)\.git\/objects$/;

/** Writes the names of all files below a folder to a file. Without `find`, too large a folder has a list without an end. */
async function listNames(folder: string, listFile: string): Promise<void> {
	const file = await open(listFile, 'wx', 0o600);
	try {
		const walked = await walkNames(folder);
		if (walked) {
			const files = walked.names.filter(({name, isFolder}) => !isFolder && !isObjects.test(name));
			await file.writeFile(`${files.map(({name}) => `./${name}\0`).join('')}${listEnd}`);
			return;
		}

		const args = ['.', '-path', '*/.git/objects', '-prune', '-o', '!', '-type', 'd', '-print0'];
		const child = spawn(findCommand(folder), args, {
			cwd: folder,
			env: {},
			stdio: ['ignore', file.fd, 'ignore'],
			timeout: listTimeoutMs,
		});
		const isComplete = await new Promise<boolean>(resolve => {
			child.once('error', () => resolve(false));
			child.once('close', status => resolve(status !== null));
		});
		await (isComplete && file.appendFile(listEnd));
	} finally {
		await file.close();
	}
}

const walkAll = createWalk({maxFolders: 250, maxNames: 3500});
/** Each of these takes as long as ten names of a list. */
const maxLooks = 500;

/** Returns the names of what changed below a small folder since the mark, with the folders; undefined if `find` is to say it. */
async function walkChanged(folder: string, path: string): Promise<readonly string[] | undefined> {
	const [mark, end] = await Promise.all([statsOf(join(path, 'mark')), statsOf(endIn(path))]);
	const walked = mark && (await walkAll(folder));
	const names = walked?.names.flatMap(({name, isFolder}) =>
		isFolder || (gitData.test(name) && !gitRefs.test(name)) ? [] : [name],
	);
	if (!walked || !names || names.length > maxLooks) {
		return undefined;
	}

	const isChanged = ({ctimeNs}: BigIntStats) => ctimeNs > mark.mtimeNs && !(end && ctimeNs > end.mtimeNs);
	const files = await Promise.all(names.map(async name => [name, await statsOf(pathIn(folder, name))] as const));
	const canary = await statsOf(canaryIn(path));
	return canary && isChanged(canary)
		? [...walked.folders, ...files].flatMap(([name, stats]) => (stats && isChanged(stats) ? [name] : []))
		: undefined;
}

/** Returns what below the folder changed since the mark, with the folders; undefined if that can't be found out. */
async function listChanged({folder, stateFolder}: LedgerPlace, path: string): Promise<readonly string[] | undefined> {
	const walked = await walkChanged(folder, path).catch(() => undefined);
	if (walked) {
		return walked.filter(name => !isWithin(pathIn(folder, name), stateFolder));
	}

	const [mark, canary, end] = [join(path, 'mark'), canaryIn(path), endIn(path)];
	const hasEnded = (await stat(end).catch(() => undefined)) !== undefined;
	const text = await new Promise<string | undefined>(resolve => {
		const limits = {env: {}, timeout: listTimeoutMs, maxBuffer: maxListBytes};
		const until = hasEnded ? ['!', '-cnewer', end] : [];
		execFile(findCommand(folder), [folder, canary, '-cnewer', mark, ...until, '-print0'], limits, (error, stdout) => {
			// What was found before an error, such as a folder that can't be read, counts as well.
			resolve(error && (error.killed || typeof error.code !== 'number') ? undefined : stdout);
		});
	});
	const files = text?.split('\0').filter(Boolean) ?? [];
	if (!files.includes(canary)) {
		return undefined;
	}

	return files.filter(file => !isWithin(file, stateFolder)).map(file => relative(folder, file).replaceAll(sep, '/'));
}

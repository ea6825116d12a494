import {lstat, readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {parseJson} from '../../core/json.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {updateSmallFile} from '../../storage/kept-file.ts';
import {readPrivateFile} from '../../storage/private-file.ts';
import {makePrivateFolder} from '../../storage/private-folder.ts';
import {folderSlug} from '../../storage/session-folder.ts';
import {isWithin} from '../paths/existing.ts';
import {findCommitted} from './committed-files.ts';
import {anyFolder, goneFile, identifyFile} from './file-identity.ts';

/** A folder, a real path, and the state folder in which its ledger is. */
export type LedgerPlace = {readonly stateFolder: string; readonly folder: string};

const changers = ['edit', 'command', 'hook', 'MCP server', 'agent'] as const;
/** What changed a file: a tool of our agent, a hook in the sandbox, or an agent of another maker. */
export type Changer = (typeof changers)[number];

export function isChanger(value: unknown): value is Changer {
	return changers.some(each => each === value);
}

/** A file that is as the agent left it, and that nobody saw. */
export type UnseenFile = {
	/** Absolute; that of a folder for one that holds too many to list. */
	readonly path: string;
	readonly by: Changer;
	readonly isGone: boolean;
	/** How many files it stands for. */
	readonly count: number;
};

/** Where HEAD was before and after something changed files; undefined without a commit. */
export type Heads = {
	readonly before: string | undefined;
	readonly after: string | undefined;
	/** What all branches named after that, if they may have changed meanwhile; null if nobody knows. */
	readonly refs?: readonly string[] | null | undefined;
	/** When it was `after`, in milliseconds since the epoch: what ended first may be noted last. */
	readonly atMs: number;
};

/** Most files of a folder that are remembered one by one; more are remembered by the folder that they are in. */
export const maxFiles = 2000;
/** Most versions of a file that are remembered as left by the agent. */
const maxLeft = 8;
const maxSeen = 4000;
const maxLedgers = 300;
const maxParallel = 16;

const changed = z.object({
	/** Relative to the folder. A record would lose a file called `__proto__`. */
	name: z.string(),
	/** What the agent left, as `identifyFile` says it; the newest is last. */
	left: z.array(z.string()),
	by: z.enum(changers),
	/** How many files a folder stands for. */
	count: z.optional(z.number()),
});
const stored = z.object({
	version: z.literal(1),
	folder: z.string(),
	/** The commit that was checked out when the agent last changed anything. */
	head: z.optional(z.string()),
	headAtMs: z.optional(z.number()),
	/** What all branches named then; null if nobody knows, and left out if the agent changed none. */
	refs: z.optional(z.nullable(z.array(z.string()))),
	/** What nobody saw. */
	files: z.array(changed),
	/** What the user saw, by its name: a command that still runs may have left it. */
	seen: z.array(z.tuple([z.string(), z.string()])),
});

type Changed = Omit<z.infer<typeof changed>, 'name'>;
type Ledger = {
	readonly folder: string;
	readonly head?: string | undefined;
	readonly headAtMs?: number | undefined;
	readonly refs?: readonly string[] | null | undefined;
	readonly files: ReadonlyMap<string, Changed>;
	readonly seen: ReadonlyMap<string, string>;
};

/** Returns the folder of a ledger in the state folder. */
export function ledgerFolder({stateFolder, folder}: LedgerPlace): string {
	return join(stateFolder, 'unseen', folderSlug(folder));
}

/** Creates the ledger of a folder, if there is none. Returns its folder. Throws AppError("failed"). */
export async function createLedger(place: LedgerPlace): Promise<string> {
	const path = ledgerFolder(place);
	const hint = 'Move it away, then try again.';
	makePrivateFolder(join(place.stateFolder, 'unseen'), {hint});
	makePrivateFolder(path, {hint});
	if (readPrivateFile(fileIn(path)) === undefined) {
		await update(place, ledger => ledger);
		await removeOldest(join(place.stateFolder, 'unseen'));
	}

	return path;
}

/**
 * Returns the ledgers of folders inside this one, and of those around it, of this process and others. Throws
 * AppError("failed") if one can't be read.
 */
export async function ledgersAbout(root: string, stateFolder: string): Promise<readonly LedgerPlace[]> {
	const parent = join(stateFolder, 'unseen');
	const names = await readdir(parent).catch(error => {
		if (errnoOf(error) === 'ENOENT') {
			return [];
		}

		throw new AppError('failed', `Couldn't read ${parent}: ${error.message}.`, {cause: error});
	});
	return names
		.flatMap(name => readLedger(join(parent, name))?.folder ?? [])
		.filter(folder => isWithin(folder, root) || isWithin(root, folder))
		.map(folder => ({stateFolder, folder}));
}

/**
 * Notes what the agent changed, by the path relative to the folder: identities, or the number of files of a folder. Forgets
 * what the user committed in the meantime. Throws AppError("failed").
 */
export async function noteUnseen(
	place: LedgerPlace,
	changes: ReadonlyMap<string, string | number>,
	by: Changer,
	heads: Heads,
): Promise<void> {
	await createLedger(place);
	if (changes.size === 0 && heads.refs === undefined && readLedger(ledgerFolder(place))?.head === heads.after) {
		return;
	}

	const committed = await committedIn(place, heads.before);
	await update(place, ledger => {
		const files = new Map(without(ledger.files, committed));
		for (const [name, change] of changes) {
			const {left = [], count = 0} = files.get(name) ?? {};
			if (typeof change === 'number') {
				files.set(name, {left: [], by, count: Math.max(change, count)});
			} else if (ledger.seen.get(name) === change) {
				files.delete(name);
			} else {
				files.set(name, {left: withVersion(left, change), by, ...(count > 0 && {count})});
			}
		}

		const {after: head, atMs: headAtMs, refs} = heads;
		// A clock that was set back must not keep an old commit.
		const isNewer = headAtMs >= Math.min(ledger.headAtMs ?? 0, Date.now());
		return {
			...ledger,
			files: collapsed(files),
			...(head !== undefined && isNewer && {head, headAtMs}),
			...(refs !== undefined && {refs}),
		};
	});
}

/** True if the agent left anything that nobody saw, or that was not looked at since. Throws AppError("failed"). */
export function hasUnseen(place: LedgerPlace): boolean {
	return (readLedger(ledgerFolder(place))?.files.size ?? 0) > 0;
}

/**
 * Notes that the user saw the content of a file that an edit left, if anything of the folder is noted. The rest of a file
 * that was unseen before stays unseen. Throws AppError("failed").
 */
export async function noteSeen(place: LedgerPlace, name: string, before: string, after: string): Promise<void> {
	const ledger = readLedger(ledgerFolder(place));
	if (!ledger) {
		return;
	}

	await update(place, ledger => {
		const unseen = ledger.files.get(name);
		return unseen?.left.includes(before)
			? {...ledger, files: new Map([...ledger.files, [name, {...unseen, left: withVersion(unseen.left, after)}]])}
			: {...ledger, files: without(ledger.files, new Set([name])), seen: withSeen(ledger.seen, [[name, after]])};
	});
}

/**
 * Returns what is still as the agent left it, and what of it nobody saw or committed. Forgets the rest. `head` is the commit
 * that is checked out. While something of the agent still changes files, they stay unseen whatever they have become. Throws
 * AppError("failed") if the ledger can't be read.
 */
export async function unseenIn(
	place: LedgerPlace,
	{head, isChanging}: {readonly head: string | undefined; readonly isChanging: boolean},
): Promise<readonly UnseenFile[]> {
	const {folder} = place;
	const known = [...(readLedger(ledgerFolder(place))?.files ?? [])];
	if (known.length === 0) {
		return [];
	}

	const committed = await committedIn(place, head);
	const left = new Map<string, UnseenFile>();
	const waiting = known.values();
	const work = async () => {
		for (const [name, {left: versions, by, count = 1}] of waiting) {
			const path = join(folder, name);
			const identity = committed.has(name) ? undefined : await identifyFile(path);
			if (identity !== undefined && (isChanging || count > 1 || versions.includes(identity))) {
				left.set(name, {path, by, isGone: identity === goneFile, count});
			}
		}
	};
	await Promise.all(Array.from({length: maxParallel}, work));
	if (left.size < known.length) {
		const over = new Map(known.filter(([name]) => !left.has(name)));
		const forget = update(place, ledger => ({
			...ledger,
			// Another process may have noted a newer version.
			files: new Map(
				[...ledger.files].filter(
					([name, {left: now}]) => !over.has(name) || now.at(-1) !== over.get(name)?.left.at(-1),
				),
			),
		}));
		// If that fails, they are looked at again.
		await forget.catch(() => undefined);
	}

	return known.flatMap(([name]) => left.get(name) ?? []);
}

/** Notes that the user saw these files as they are. A ledger that can't be read is begun again. Throws AppError("failed"). */
export async function takeOver(place: LedgerPlace, shown: readonly UnseenFile[]): Promise<void> {
	const {folder} = place;
	const own = shown.filter(({path}) => isWithin(path, folder));
	const names = new Set(own.map(({path}) => path.slice(folder.length + 1)));
	await update(place, ledger => {
		const taken = [...ledger.files].filter(([name]) => names.has(name));
		const now = taken.flatMap(([name, {left}]) =>
			left.slice(-1).flatMap(version => (version === anyFolder ? [] : [[name, version] as const])),
		);
		return {...ledger, files: without(ledger.files, names), seen: withSeen(ledger.seen, now)};
	});
}

/** Removes the ledgers that can't be read, because the user agreed to what they may say. */
export async function removeUnreadable(stateFolder: string): Promise<void> {
	const parent = join(stateFolder, 'unseen');
	for (const name of await readdir(parent).catch(() => [])) {
		try {
			readLedger(join(parent, name));
		} catch {
			await rm(join(parent, name), {recursive: true, force: true});
		}
	}
}

/** Returns the names that the user committed since the agent last changed anything. */
async function committedIn(place: LedgerPlace, head: string | undefined): Promise<ReadonlySet<string>> {
	const ledger = readLedger(ledgerFolder(place));
	const names = [...(ledger?.files.keys() ?? [])];
	const {head: from, refs = []} = ledger ?? {};
	return from === undefined || head === undefined || head === from || refs === null || names.length === 0
		? new Set()
		: findCommitted(place.folder, {from: [from, ...refs], to: head, names});
}

/** Reads a ledger; undefined if there is none. Throws AppError("failed") for one that can't be read. */
function readLedger(path: string): Ledger | undefined {
	const text = readPrivateFile(fileIn(path));
	if (text === undefined) {
		return undefined;
	}

	const {data} = stored.safeParse(parseJson(text));
	if (!data) {
		throw new AppError('failed', `${fileIn(path)} is damaged, so nobody knows which files the agent changed.`);
	}

	const {files, seen, ...rest} = data;
	return {...rest, files: new Map(files.map(({name, ...file}) => [name, file])), seen: new Map(seen)};
}

async function update(place: LedgerPlace, change: (ledger: Ledger) => Ledger): Promise<void> {
	const path = ledgerFolder(place);
	const none: Ledger = {folder: place.folder, files: new Map(), seen: new Map()};
	await updateSmallFile(fileIn(path), () => {
		const {files, seen, ...rest} = change(readLedger(path) ?? none);
		const rows = [...files].map(([name, file]) => ({name, ...file}));
		return `${JSON.stringify({version: 1, ...rest, files: rows, seen: [...seen]})}\n`;
	});
}

function fileIn(path: string): string {
	return join(path, 'files.json');
}

function without(files: Ledger['files'], names: ReadonlySet<string>): Ledger['files'] {
	return new Map([...files].filter(([name]) => !names.has(name)));
}

function withVersion(left: readonly string[], version: string): string[] {
	return [...left.filter(each => each !== version), version].slice(-maxLeft);
}

function withSeen(seen: Ledger['seen'], more: Iterable<readonly [string, string]>): Ledger['seen'] {
	return new Map([...new Map([...seen, ...more])].slice(-maxSeen));
}

/** Replaces the files of the folders that hold the most by these folders, until few enough are left. */
function collapsed(files: Ledger['files']): Ledger['files'] {
	if (files.size <= maxFiles) {
		return files;
	}

	const result = new Map(files);
	for (const [top, names] of crowdedFirst(files.keys())) {
		if (result.size > maxFiles) {
			const inside = names.flatMap(name => files.get(name) ?? []);
			for (const name of names) {
				result.delete(name);
			}

			const [{by} = {by: 'command' as const}] = inside;
			const count = Math.max(
				inside.reduce((sum, each) => sum + (each.count ?? 1), 0),
				files.get(top)?.count ?? 0,
			);
			result.set(top, {left: [], by, count});
		}
	}

	return result;
}

/** Returns names by the top folder that they are in, '' for none, the largest group first. */
export function crowdedFirst(names: Iterable<string>): ReadonlyArray<readonly [top: string, names: readonly string[]]> {
	const groups = new Map<string, string[]>();
	for (const name of names) {
		const top = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
		const group = groups.get(top) ?? [];
		group.push(name);
		groups.set(top, group);
	}

	return [...groups].sort(([, a], [, b]) => b.length - a.length);
}

/** Removes the ledgers that were changed longest ago, if there are too many and nothing is unseen in them. */
async function removeOldest(parent: string): Promise<void> {
	const names = await readdir(parent);
	if (names.length <= maxLedgers) {
		return;
	}

	const found = await Promise.all(
		names.map(async name => ({
			name,
			at: (await lstat(fileIn(join(parent, name))).catch(() => undefined))?.mtimeMs ?? 0,
		})),
	);
	for (const {name} of found.sort((a, b) => a.at - b.at).slice(0, names.length - maxLedgers)) {
		const entries = await readdir(join(parent, name)).catch(() => []);
		const isOver = entries.every(entry => entry === 'files.json') && isEmpty(join(parent, name));
		await (isOver && rm(join(parent, name), {recursive: true, force: true}));
	}
}

function isEmpty(path: string): boolean {
	try {
		return readLedger(path)?.files.size === 0;
	} catch {
		return false;
	}
}

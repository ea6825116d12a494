import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import {openKeptFile, withNewest, withoutEntry} from '../../storage/kept-file.ts';

/** The hashes of files, by their path relative to the folder. */
export type Hashes = Readonly<Record<string, string>>;

/** What the user decided about the files of one folder: each holds for exactly that content. */
export type Decisions = {readonly trusted: Hashes; readonly refused: Hashes};

/** Remembers which files of which folders the user trusts (SAFETY 12). */
export type TrustStore = {
	/** Returns the decisions about a folder, given its real path. Throws AppError("failed") if the file can't be read. */
	readonly recall: (folder: string) => Decisions;
	/**
	 * Adds a decision; later ones replace earlier ones about the same path. Throws what `updateSmallFile` throws: then it holds
	 * for this run, and is saved with the next one about the folder.
	 */
	readonly remember: (folder: string, isTrusted: boolean, files: Hashes) => Promise<void>;
	/** Forgets every decision about a folder. Throws what `updateSmallFile` throws. */
	readonly forget: (folder: string) => Promise<void>;
};

/** Most folders that are remembered; the oldest ones are forgotten. */
const maxFolders = 1000;

const hashes = z.record(z.string(), z.string());
const stored = z.object({
	version: z.literal(1),
	folders: z.record(z.string(), z.object({trusted: hashes, refused: hashes})),
});

type Folders = ReadonlyMap<string, Decisions>;

const none: Decisions = {trusted: {}, refused: {}};

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openTrustStore(path: string): TrustStore {
	const file = openKeptFile<Folders>(path, {parse, print});
	let unsaved: readonly Decision[] = [];
	const decided = (folder: string, saved: Decisions = none) =>
		unsaved.filter(decision => decision.folder === folder).reduce(withDecision, saved);
	const saveAll = async (folder: string, change: (folders: Folders) => Folders) => {
		await file.update(change);
		unsaved = unsaved.filter(decision => decision.folder !== folder);
	};

	return {
		recall: folder => decided(folder, file.read().get(folder)),
		async remember(folder, isTrusted, files) {
			unsaved = [...unsaved, {folder, isTrusted, files}];
			await saveAll(folder, folders => withNewest(folders, folder, decided(folder, folders.get(folder)), maxFolders));
		},
		forget: folder => saveAll(folder, folders => withoutEntry(folders, folder)),
	};
}

type Decision = {readonly folder: string; readonly isTrusted: boolean; readonly files: Hashes};

function withDecision({trusted, refused}: Decisions, {isTrusted, files}: Decision): Decisions {
	return isTrusted
		? {trusted: {...trusted, ...files}, refused: without(refused, files)}
		: {trusted: without(trusted, files), refused: {...refused, ...files}};
}

function without(all: Hashes, removed: Hashes): Hashes {
	return Object.fromEntries(Object.entries(all).filter(([path]) => !Object.hasOwn(removed, path)));
}

/** An unreadable file trusts nothing. */
function parse(text: string | undefined): Folders {
	const {data} = stored.safeParse(parseJson(text ?? ''));
	return new Map(Object.entries(data?.folders ?? {}));
}

function print(folders: Folders): string {
	return `${JSON.stringify({version: 1, folders: Object.fromEntries(folders)}, undefined, '\t')}\n`;
}

import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import {readSmallFile, updateSmallFile} from '../../storage/small-file.ts';

/** The hashes of files, by their path relative to the folder. */
export type Hashes = Readonly<Record<string, string>>;

/** What the user decided about the files of one folder: each holds for exactly that content. */
export type Decisions = {readonly trusted: Hashes; readonly refused: Hashes};

/** Remembers which files of which folders the user trusts (SAFETY 12). */
export type TrustStore = {
	/** Returns the decisions about a folder, given its real path. Throws AppError("failed") if the file can't be read. */
	readonly recall: (folder: string) => Decisions;
	/** Adds a decision; later ones replace earlier ones about the same path. Throws what `updateSmallFile` throws. */
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
	const update = async (change: (folders: Folders) => Folders) => {
		await updateSmallFile(path, before => print(change(parse(before))));
	};

	return {
		recall: folder => parse(readSmallFile(path)).get(folder) ?? none,
		remember: (folder, isTrusted, files) =>
			update(folders => {
				const {trusted, refused} = folders.get(folder) ?? none;
				const decisions = isTrusted
					? {trusted: {...trusted, ...files}, refused: without(refused, files)}
					: {trusted: without(trusted, files), refused: {...refused, ...files}};
				// The newest is last.
				const others = [...folders].filter(([name]) => name !== folder).slice(1 - maxFolders);
				return new Map([...others, [folder, decisions]]);
			}),
		forget: folder => update(folders => new Map([...folders].filter(([name]) => name !== folder))),
	};
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

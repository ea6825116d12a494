import {constants, type Dirent} from 'node:fs';
import {open, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import type {ForeignLine} from '../../core/foreign/foreign-session.ts';
import {errnoOf} from '../file-error.ts';
import {transcriptFolders} from './transcript-files.ts';
import {lineOf} from './transcript-lines.ts';

/** The beginning of a file of another client. */
export type TranscriptHead = {
	readonly path: string;
	/** When it last changed, in milliseconds since the epoch. */
	readonly changedAt: number;
	/** Its first whole lines. */
	readonly lines: readonly ForeignLine[];
};

export type TranscriptHeads = {
	/** The latest first, as far as names tell. */
	readonly heads: readonly TranscriptHead[];
	/** Files and folders that can't be read. */
	readonly unreadable: number;
	/** True if there are more files than were looked at. */
	readonly hasMore: boolean;
};

/** It holds the folder, the id and mostly the first message. */
const headBytes = 128 * 1024;

/** Most files of a client whose heads are read. */
const maxFiles = 300;

/**
 * Reads the beginnings of the transcripts that may be of a folder: of Claude Code those of its folder for it, of Codex the latest of
 * all, which it keeps by day. Stops when the signal aborts. Never throws.
 */
export async function readTranscriptHeads(
	env: Environment,
	folders: readonly string[],
	signal: AbortSignal,
): Promise<TranscriptHeads> {
	const heads: TranscriptHead[] = [];
	let unreadable = 0;
	let hasMore = false;

	/** Returns the entries of a folder, the last name first; none if it isn't there. */
	const entriesOf = async (folder: string): Promise<readonly Dirent[]> => {
		try {
			return (await readdir(folder, {withFileTypes: true})).toSorted((one, other) => (one.name < other.name ? 1 : -1));
		} catch (error) {
			unreadable += errnoOf(error) === 'ENOENT' ? 0 : 1;
			return [];
		}
	};

	/** Reads heads until there are enough. */
	const readAll = async (paths: AsyncIterable<string>) => {
		let count = 0;
		for await (const path of paths) {
			if (signal.aborted || count === maxFiles) {
				hasMore = true;
				return;
			}

			count++;
			try {
				heads.push(await readHead(path));
			} catch {
				unreadable++;
			}
		}
	};

	async function* filesIn(folder: string, depth: number): AsyncGenerator<string> {
		for (const entry of await entriesOf(folder)) {
			if (entry.isDirectory() && depth > 0) {
				yield* filesIn(join(folder, entry.name), depth - 1);
			} else if (entry.isFile() && entry.name.endsWith('.jsonl') && !entry.name.startsWith('agent-')) {
				yield join(folder, entry.name);
			}
		}
	}

	const [projects = '', sessions = ''] = transcriptFolders(env);
	for (const name of new Set(folders.map(folder => folder.replace(/[^a-zA-Z0-9]/g, '-')))) {
		await readAll(filesIn(join(projects, name), 0));
	}

	await readAll(filesIn(sessions, 3));
	return {heads, unreadable, hasMore};
}

/** Reads the beginning of a file. Throws what the system says. */
async function readHead(path: string): Promise<TranscriptHead> {
	// One that waits for the other end of a pipe would never end.
	const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
	try {
		const {mtimeMs: changedAt} = await file.stat();
		const {buffer, bytesRead} = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
		const text = buffer.subarray(0, bytesRead).toString('utf8');
		const whole = bytesRead < headBytes ? text : text.slice(0, text.lastIndexOf('\n') + 1);
		return {path, changedAt, lines: whole.split('\n').flatMap(line => lineOf(line) ?? [])};
	} finally {
		await file.close();
	}
}

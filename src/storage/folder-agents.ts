import {randomUUID} from 'node:crypto';
import {type FSWatcher, readdirSync, statSync, unlinkSync, watch} from 'node:fs';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../core/json.ts';
import type {Home} from './home.ts';
import {isGone, parseOwner, thisProcess} from './lock-owner.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';
import {createSessionFolder, sessionFolder} from './session-folder.ts';

/** A session in which the agent of a process works, or waits for its user. */
const agentSchema = z.object({about: z.string(), state: z.enum(['running', 'waiting'])});
export type FolderAgent = Readonly<z.infer<typeof agentSchema>>;
const agentsSchema = z.object({agents: z.array(agentSchema)});

/** The agents of other processes in a folder, and those of this one for them. */
export type FolderAgents = {
	/** Writes which agents of this process work in the folder; an empty list removes what was written. Never throws. */
	readonly announce: (agents: readonly FolderAgent[]) => Promise<void>;
	/** Returns the agents of other processes that run. Never throws. Untrusted. */
	readonly others: () => Promise<readonly FolderAgent[]>;
	/** Calls `listener` with them now, and whenever they change. Returns a function that stops it. */
	readonly follow: (listener: (agents: readonly FolderAgent[]) => void) => () => void;
};

const suffix = '.agents.json';
/** How often the others are read without a change that was seen: a process that is killed changes nothing. */
const pollMs = 2000;

/**
 * Opens what the processes of a folder tell each other, in the place of its sessions, which only the user can read. A file of a
 * process that has ended, also by a kill, counts no more, and the next reader deletes it.
 */
export function createFolderAgents(home: Home, folder: () => string): FolderAgents {
	const name = `${randomUUID()}${suffix}`;
	let written: string | undefined;
	let writing: Promise<void> = Promise.resolve();

	const write = async (agents: readonly FolderAgent[]) => {
		const place = await sessionFolder(home, folder());
		const path = join(place.path, name);
		if (written !== undefined && (written !== path || agents.length === 0)) {
			remove(written);
			written = undefined;
		}

		if (agents.length > 0) {
			await createSessionFolder(place);
			await replaceFile(path, JSON.stringify({...thisProcess(), agents}));
			written = path;
		}
	};
	const others = async () => readOthers((await sessionFolder(home, folder())).path, name);

	return {
		announce(agents) {
			// Nobody but other processes misses what can't be written.
			writing = writing.then(() => write(agents)).catch(() => undefined);
			return writing;
		},
		others: () => others().catch(() => []),
		follow(listener) {
			let watcher: FSWatcher | undefined;
			let watched = '';
			let shown = '[]';
			const read = async () => {
				const {path} = await sessionFolder(home, folder());
				if (watched !== path) {
					watcher?.close();
					watcher = watchFolder(path, () => void update());
					watched = watcher ? path : '';
				}

				return readOthers(path, name);
			};
			let isStopped = false;
			const update = async () => {
				const found = await read().catch(() => []);
				const text = JSON.stringify(found);
				if (!isStopped && text !== shown) {
					shown = text;
					listener(found);
				}
			};
			void update();
			const timer = setInterval(() => void update(), pollMs);
			timer.unref();
			return () => {
				isStopped = true;
				clearInterval(timer);
				watcher?.close();
			};
		},
	};
}

/** Watches a folder; undefined if it doesn't exist yet, or the system has no watches left. */
function watchFolder(path: string, onChange: () => void): FSWatcher | undefined {
	try {
		const watcher = watch(path, {persistent: false}, (_, name) => (name?.endsWith(suffix) ? onChange() : undefined));
		return watcher.on('error', () => watcher.close());
	} catch {
		return undefined;
	}
}

function readOthers(folder: string, own: string): readonly FolderAgent[] {
	return readdirSync(folder)
		.filter(name => name.endsWith(suffix) && name !== own)
		.toSorted()
		.flatMap(name => readAgents(join(folder, name)));
}

/** Returns the agents of a file; none if it can't be read, or its process has ended. */
function readAgents(path: string): readonly FolderAgent[] {
	try {
		const since = statSync(path).mtimeMs;
		const value = parseJson(readPrivateFile(path) ?? '');
		const owner = parseOwner(value);
		if (owner && isGone(owner, since)) {
			remove(path);
			return [];
		}

		return (owner && agentsSchema.safeParse(value).data?.agents) || [];
	} catch {
		return [];
	}
}

function remove(path: string): void {
	try {
		unlinkSync(path);
	} catch {
		// Another process deleted it.
	}
}

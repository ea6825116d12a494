import {spawn} from 'node:child_process';
import {rm} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';
import type {FolderSearch} from '../../paths/search-folder.ts';
import {guardGit} from '../../sandbox/guard-git.ts';
import {noteRunning} from '../../sandbox/left-behind.ts';
import {gitSnapshot} from '../../sandbox/planted.ts';
import {describeWritten, startsIn} from '../../sandbox/written-starts.ts';
import type {Container, Containers, Containment} from './command-containers.ts';

/** What a contained command starts in. */
type Protected = Pick<Container, 'program' | 'filter' | 'withheld'> & {
	/**
	 * Begins to protect git from the command that was started. Returns what ends that, and returns what the folder holds then;
	 * undefined if nobody knows.
	 */
	readonly guard: (onRemoved: (note: string) => void, onAttack: () => void) => () => Promise<FolderSearch | undefined>;
	/** Returns what the command wrote that another program runs by itself, as clauses. Call it when all has ended. */
	readonly written: (listing: FolderSearch | undefined) => Promise<readonly string[]>;
};

type Options = {
	readonly containers: Containers;
	/** Returns the private folder of the session. */
	readonly folder: () => Promise<string>;
};

/** Creates what contains commands, and what protects the user's git from them, even if this program is killed. */
export function createProtection({containers, folder}: Options) {
	let count = 0;
	let endCleaner: (() => void) | undefined;
	return {
		/**
		 * Prepares the sandbox of a command; undefined if nothing is to contain it. `isWatched` is true to find out what it
		 * writes that other programs run.
		 */
		async contain(
			workspace: string,
			containment: Containment,
			{isWatched, ...sight}: NonNullable<Parameters<Containers['containerOf']>[2]> & {readonly isWatched: boolean},
		): Promise<Protected | undefined> {
			const container = await containers.containerOf(workspace, containment, sight);
			if (!container) {
				return undefined;
			}

			const {git, created, program, filter, withheld, listing} = container;
			const starts = async (list?: FolderSearch) =>
				isWatched ? startsIn(workspace, git.orders, list) : new Map<string, string>();
			const [snapshot, before] = await Promise.all([gitSnapshot(workspace, git), starts(listing)]);
			const path = await folder();
			endCleaner ??= startCleaner(path);
			const note = await noteRunning(path, ++count, snapshot, created);
			return {
				program,
				withheld,
				...(filter && {filter}),
				written: async list => describeWritten(before, await starts(list), workspace, git.orders),
				guard(onRemoved, onAttack) {
					const guard = guardGit({snapshot, git, onRemoved, onAttack});
					return async () => {
						const left = await guard.end();
						await rm(note, {force: true});
						return left;
					};
				},
			};
		},
		/** Ends what waits for this program to be killed: all commands have ended. */
		end() {
			endCleaner?.();
			endCleaner = undefined;
		},
	};
}

/**
 * The cleaner is beside the bundle that contains this module, and one level above a shared chunk. Sources use the last
 * build.
 */
const builtFolder = import.meta.url.endsWith('.ts')
	? '../../../../dist'
	: import.meta.url.includes('/chunks/')
		? '..'
		: '.';
const builtCleaner = new URL(`${builtFolder}/clean-planted.mjs`, import.meta.url);

/** Waits, as a shell that needs no memory to speak of, for a word that all is well. If there is none, it cleans up. */
const waiter = 'read -r word <&3; [ "$word" = done ] || exec "$@" 3<&-';

/** Starts what cleans up after sandboxed commands if this program is killed. Returns what ends it when all have ended. */
function startCleaner(notes: string): () => void {
	const args = ['-c', waiter, 'sh', process.execPath, fileURLToPath(builtCleaner), notes];
	const child = withoutInherited(['ignore', 'ignore', 'ignore', 'pipe'], stdio =>
		spawn('/bin/sh', args, {cwd: '/', env: {PATH: process.env['PATH']}, stdio, detached: true}),
	);
	// Without it, the next start cleans up.
	child.on('error', () => undefined);
	child.unref();
	const line = child.stdio[3];
	if (!line || !('write' in line)) {
		return () => undefined;
	}

	line.on('error', () => undefined);
	if ('unref' in line && typeof line.unref === 'function') {
		line.unref();
	}

	return () => void line.end('done\n');
}

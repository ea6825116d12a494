import {rm} from 'node:fs/promises';
import type {FolderSearch} from '../../paths/search-folder.ts';
import {guardGit} from '../../sandbox/guard-git.ts';
import {noteRunning} from '../../sandbox/left-behind.ts';
import {gitSnapshot} from '../../sandbox/planted.ts';
import {startCleaner} from '../../sandbox/start-cleaner.ts';
import {describeWritten, startsIn} from '../../sandbox/written-starts.ts';
import type {Container, Containers, Containment} from './command-containers.ts';

/** What a contained command starts in. */
export type Protected = Pick<Container, 'program' | 'filter' | 'withheld'> & {
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

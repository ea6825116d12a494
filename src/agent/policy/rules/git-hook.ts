import {homedir} from 'node:os';
import {basename, sep} from 'node:path';
import {findRepositories} from '../../obeyed/find-repositories.ts';
import {type GitOrders, gitOrders, hookNames, usualHookFolders} from '../../obeyed/git-orders.ts';
import {outerRepository} from '../../obeyed/git-places.ts';
import {type HookOrders, hookOrders} from '../../obeyed/hook-orders.ts';
import {isWithin} from '../../paths/existing.ts';
import type {Places} from '../protected-places.ts';

/** `workspace` is an absolute real path. */
type Place = {readonly workspace: string; readonly places: Places};

/**
 * True for a file that git runs or obeys with one of the user's next commands, outside of every sandbox: hooks, settings that
 * it includes, programs that its settings name, and files that hooks call by their name. `path` is an absolute real path. If
 * git can't say, every file with the name of a hook is one.
 */
export async function isGitHook(path: string, {workspace, places}: Place): Promise<boolean> {
	const names = path.toLowerCase().split(sep);
	if (names.some(name => usualHookFolders.includes(name))) {
		return true;
	}

	const orders = await ordersOf({workspace, places});
	return steersGit(path, orders) || (!orders.isComplete && hookNames.has(basename(path).toLowerCase()));
}

/** True for a file that a hook in effect names, or that such a file names. `path` is an absolute real path. */
export async function isRunByHook(path: string, place: Place): Promise<boolean> {
	return hasPath((await ordersOfHooks(place)).named, path);
}

/** Returns the names of scripts that hooks, also those of git, may call with `npm run`. */
export async function wordsOfHooks(place: Place): Promise<ReadonlySet<string>> {
	const [ofGit, ofHooks] = await Promise.all([ordersOf(place), ordersOfHooks(place)]);
	return new Set([...ofGit.words, ...ofHooks.words]);
}

async function ordersOfHooks({workspace, places: {hooks, homeFolder = homedir()}}: Place): Promise<HookOrders> {
	return hookOrders((await hooks?.()) ?? [], {workspace, homeFolder});
}

async function ordersOf({workspace, places: {homeFolder = homedir()}}: Place): Promise<GitOrders> {
	const [repositories, outer] = await Promise.all([findRepositories(workspace), outerRepository(workspace)]);
	return gitOrders({workspace, homeFolder, repositories, outer});
}

/** True for what git obeys, and for what is in one of its folders. File systems may ignore the case. */
function steersGit(path: string, {settings, folders, programs, named, called}: GitOrders): boolean {
	const folded = path.toLowerCase();
	return (
		[settings, programs, named, called].some(paths => hasPath(paths, path)) ||
		[...folders].some(folder => isWithin(folded, folder.toLowerCase()))
	);
}

function hasPath(paths: ReadonlySet<string>, path: string): boolean {
	const folded = path.toLowerCase();
	return paths.has(path) || [...paths].some(each => each.toLowerCase() === folded);
}

import {mkdir, mkdtemp, readdir, realpath, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {isRunning} from '../../../storage/lock-owner.ts';
import {makePrivateFolder} from '../../../storage/private-folder.ts';
import {cleanLeftBehind} from '../../sandbox/left-behind.ts';

/** The private folder of a session's commands: their `/tmp` and their long outputs. */
export type WorkFolder = {
	readonly path: string;
	readonly temporary: string;
	readonly outputs: string;
	readonly remove: () => Promise<void>;
};

/** Creates it in the state folder, and removes those of processes that were killed. */
export async function createWorkFolder(stateFolder: string): Promise<WorkFolder> {
	const parent = join(stateFolder, 'work');
	makePrivateFolder(parent, {hint: 'Remove it, then try again.'});
	await sweep(parent);
	const path = await realpath(await mkdtemp(join(parent, `${process.pid}-`)));
	const [temporary, outputs] = [join(path, 'tmp'), join(path, 'output')];
	await Promise.all([temporary, outputs].map(folder => mkdir(folder, {mode: 0o700})));
	return {path, temporary, outputs, remove: () => removed(path)};
}

async function sweep(parent: string): Promise<void> {
	const names = await readdir(parent);
	const left = names.filter(name => /^\d+-/.test(name) && !isRunning(Number.parseInt(name, 10)));
	for (const path of left.map(name => join(parent, name))) {
		await cleanLeftBehind(path);
		await removed(path);
	}
}

/** Removes what can be removed: a command may have left folders that can't be entered. */
async function removed(path: string): Promise<void> {
	await rm(path, {recursive: true, force: true}).catch(() => undefined);
}

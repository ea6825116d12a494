import {constants, type Dirent} from 'node:fs';
import {open, readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {AppError, reportError} from '../../core/error.ts';
import {errnoOf} from '../../storage/file-error.ts';
import type {Log} from '../kit/log.ts';
import {exampleTasks} from './examples/examples.ts';
import {parseTask} from './parse-task.ts';
import type {Task} from './task.ts';
import {parseReference, resolveReference} from './task-reference.ts';

export type TaskLibrary = {
	/** Every task that can be used; what cannot is said in the server's log. */
	readonly list: () => Promise<readonly Task[]>;
	/** Returns the task that a member of this organization means; undefined if they can't use one of that name. */
	readonly find: (reference: string, organization: string) => Promise<Task | undefined>;
};

/** Most files of a task, and bytes of them. */
const mostFiles = 2000;
const mostBytes = 64 * 1024 * 1024;

/**
 * The tasks that ship with the program and those in `folder`, each in a folder of its own with a `task.yaml`; several
 * versions of one lie in several folders. It is read again each time, so that a task may be edited while the server runs.
 */
export function createTaskLibrary({folder, log}: {readonly folder?: string; readonly log: Log}): TaskLibrary {
	const list = async () => [...(folder === undefined ? [] : await readTasks(folder, log)), ...exampleTasks()];
	return {
		list,
		async find(text, organization) {
			const reference = parseReference(text);
			return reference && resolveReference(await list(), reference, organization);
		},
	};
}

async function readTasks(folder: string, log: Log): Promise<readonly Task[]> {
	const tasks = await Promise.all(
		(await entriesOf(folder)).filter(isFolder).map(async ({name}) => {
			try {
				return [await readTask(join(folder, name), name)];
			} catch (error) {
				log({level: 'warn', message: 'task', error: reportError(error).message});
				return [];
			}
		}),
	);
	return tasks.flat();
}

/** Throws `AppError` (`failed`), also where there is no `task.yaml`. */
async function readTask(folder: string, name: string): Promise<Task> {
	const text = (await readRegularFile(folder, 'task.yaml', name)).toString('utf8');
	const readFiles = () => readFolder(folder, name);
	return {...parseTask(text, name), readFiles};
}

/** All regular files below a folder. Links are left out, as they may lead anywhere. */
async function readFolder(folder: string, task: string): Promise<ReadonlyMap<string, Uint8Array>> {
	const files = new Map<string, Uint8Array>();
	let bytes = 0;
	const walk = async (below: string): Promise<void> => {
		for (const entry of await entriesOf(join(folder, below))) {
			const path = join(below, entry.name);
			if (isFolder(entry)) {
				await walk(path);
			} else if (entry.isFile() && path !== 'task.yaml') {
				const content = await readRegularFile(folder, path, task);
				bytes += content.length;
				files.set(path, content);
			}

			if (files.size > mostFiles || bytes > mostBytes) {
				throw new AppError('failed', `The task ${task} has more than ${mostFiles} files or ${mostBytes} bytes.`);
			}
		}
	};
	await walk('');
	return files;
}

async function readRegularFile(folder: string, path: string, task: string): Promise<Buffer> {
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const file = await open(join(folder, path), flags).catch(error => {
		throw new AppError('failed', `The task ${task} cannot be used: its ${path} cannot be read.`, {cause: error});
	});
	try {
		const stats = await file.stat();
		if (!stats.isFile() || stats.size > mostBytes) {
			throw new AppError('failed', `The task ${task} cannot be used: a file of it is too large or no file.`);
		}

		return await file.readFile();
	} finally {
		await file.close();
	}
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
	try {
		return await readdir(folder, {withFileTypes: true});
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return [];
		}

		throw error;
	}
}

function isFolder(entry: Dirent): boolean {
	return entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.git');
}

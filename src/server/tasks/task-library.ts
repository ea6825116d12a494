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
	/** Returns every usable task. Unusable ones are logged. */
	readonly list: () => Promise<readonly Task[]>;
	/** Returns the task that a member of the organization refers to; undefined if they can't use one with that name. */
	readonly find: (reference: string, organization: string) => Promise<Task | undefined>;
};

/** Limits of a task's files. */
const maxFiles = 2000;
const maxBytes = 64 * 1024 * 1024;

/**
 * The bundled tasks and those in `folder`, where each task has a folder with a `task.yaml`, also each version of a
 * task. The folder is read for each request, so tasks can be edited while the server runs.
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

/** Throws AppError("failed") for an invalid task, also if there is no `task.yaml`. */
async function readTask(folder: string, name: string): Promise<Task> {
	const text = (await readRegularFile(folder, 'task.yaml', name)).toString('utf8');
	const readFiles = () => readFolder(folder, name);
	return {...parseTask(text, name), readFiles};
}

/** Returns all regular files below a folder. Links are skipped, as they may lead anywhere. */
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

			if (files.size > maxFiles || bytes > maxBytes) {
				throw new AppError('failed', `The task ${task} has more than ${maxFiles} files or ${maxBytes} bytes.`);
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
		if (!stats.isFile() || stats.size > maxBytes) {
			throw new AppError('failed', `The task ${task} cannot be used: ${path} is too large or not a regular file.`);
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

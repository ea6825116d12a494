import {randomUUID} from 'node:crypto';
import {lchown, link, lstat, mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {dirname, join, normalize, sep} from 'node:path';
import {AppError} from '../../core/error.ts';
import {parseJson} from '../../core/json.ts';
import {isUuid} from '../../core/uuid.ts';
import {errnoOf} from '../../storage/file-error.ts';
import type {Deadline, SandboxSpec} from './provider.ts';
import type {SupervisorStatus} from './supervisor/supervisor-plan.ts';

/** The paths of one sandbox. */
export type SandboxFolder = {
	readonly path: string;
	readonly log: string;
	readonly workspace: string;
	readonly temporary: string;
};

/**
 * Returns the paths of a sandbox below `root`. Throws a plain error for an id that is not a UUID, because it becomes
 * part of a path.
 */
export function sandboxFolder(root: string, id: string): SandboxFolder {
	const path = join(root, checkId(id, 'a sandbox'));
	return {path, log: join(path, 'log'), workspace: join(path, 'workspace'), temporary: join(path, 'tmp')};
}

/** Returns the path of a workspace that outlives its sandbox. Throws as `sandboxFolder` does. */
export function workspaceFolder(workspaces: string, id: string): string {
	return join(workspaces, checkId(id, 'a workspace'));
}

function checkId(id: string, of: string): string {
	if (!isUuid(id)) {
		throw new Error(`The id of ${of} is not a UUID.`);
	}

	return id;
}

type Prepared = Pick<SandboxSpec, 'files' | 'deadline'> & {
	/** The folder of the workspace if that outlives the sandbox. */
	readonly workspace?: string | undefined;
	/** The user that the sandbox runs as, if not the server's own. */
	readonly user?: number | undefined;
};

/** Creates the private folders of a new sandbox and the files of its workspace. Returns the workspace. */
export async function prepareFolder(
	folder: SandboxFolder,
	{workspace = folder.workspace, files, deadline, user}: Prepared,
): Promise<string> {
	await mkdir(dirname(folder.path), {recursive: true, mode: 0o700});
	await mkdir(dirname(workspace), {recursive: true, mode: 0o700});
	for (const path of [folder.path, folder.log, folder.temporary]) {
		await mkdir(path, {recursive: true, mode: 0o700});
	}

	// An earlier sandbox may have left symbolic links in its workspace, through which we would write.
	if (!(await exists(workspace))) {
		await createWorkspace(workspace, files);
	}

	if (user !== undefined) {
		await changeOwner(user, workspace);
		await changeOwner(user, folder.temporary);
	}

	await writeDeadline(folder, deadline);
	return workspace;
}

async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return false;
		}

		throw error;
	}
}

/** Creates a workspace with all its files or none, so that a crash doesn't leave half of them. */
async function createWorkspace(workspace: string, files: SandboxSpec['files']): Promise<void> {
	const temporary = `${workspace}.new`;
	await rm(temporary, {recursive: true, force: true});
	await mkdir(temporary, {mode: 0o700});
	for (const [name, content] of files) {
		const path = join(temporary, relativePath(name));
		await mkdir(dirname(path), {recursive: true, mode: 0o700});
		await writeFile(path, content, {mode: 0o600, flag: 'wx'});
	}

	await rename(temporary, workspace);
}

/** Changes the owner of a folder and everything in it, without following links. */
async function changeOwner(user: number, path: string): Promise<void> {
	const stats = await lstat(path);
	if (stats.uid === user) {
		return;
	}

	if (stats.isDirectory()) {
		for (const name of await readdir(path)) {
			await changeOwner(user, join(path, name));
		}
	}

	// Done last, so that the next start repeats it after a crash.
	await lchown(path, user, user);
}

function relativePath(name: string): string {
	const path = normalize(name);
	if (path.startsWith('..') || path.startsWith(sep)) {
		throw new AppError('failed', `The file ${name} of a task is outside its folder.`);
	}

	return path;
}

/** Replaces the file atomically, because the supervisor may read it at any time. */
export async function writeDeadline({path}: SandboxFolder, {after, action}: Deadline): Promise<void> {
	await writeFile(join(path, 'deadline.new'), JSON.stringify({at: Date.now() + after, action}), {mode: 0o600});
	await rename(join(path, 'deadline.new'), join(path, 'deadline.json'));
}

/** Returns the id of the machine that owns this root. It is created once, even if several servers start together. */
export async function machineOf(root: string): Promise<string> {
	const path = join(root, 'machine');
	await mkdir(root, {recursive: true, mode: 0o700});
	const temporary = join(root, `machine.${randomUUID()}`);
	await writeFile(temporary, randomUUID(), {mode: 0o600});
	await link(temporary, path).catch((error: unknown) => {
		if (errnoOf(error) !== 'EEXIST') {
			throw error;
		}
	});
	await rm(temporary);
	return await readFile(path, 'utf8');
}

/** Returns the supervisor's last status; undefined if it has written none, or there is no such sandbox. */
export async function readStatus({path}: SandboxFolder): Promise<SupervisorStatus | undefined> {
	const text = await readFile(join(path, 'status.json'), 'utf8').catch(() => '');
	// Only our own supervisor writes it; the sandbox can't write to its folder.
	return parseJson(text) as SupervisorStatus | undefined;
}

/** Removes the work of a sandbox. Files that can't be removed stay until its folder is removed. */
export async function removeWork(folder: SandboxFolder): Promise<void> {
	for (const path of [folder.workspace, folder.temporary]) {
		await rm(path, {recursive: true, force: true}).catch(() => undefined);
	}
}

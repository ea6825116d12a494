import {execFileSync} from 'node:child_process';
import {mkdir, mkdtemp, realpath, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ToolContext} from '../../../src/core/session/tool.ts';

export type Workspace = {
	/** The folder that holds `workspace` and `stateFolder`. */
	readonly root: string;
	readonly workspace: string;
	readonly stateFolder: string;
	readonly context: ToolContext;
};

/** Creates a working folder with these files (path to text), beside a state folder with a key. Removed after the test. */
export async function makeWorkspace(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Workspace> {
	const root = await realpath(await mkdtemp(join(tmpdir(), 'service-tools-')));
	onTestFinished(() => rm(root, {recursive: true, force: true, maxRetries: 10, retryDelay: 50}));
	const [workspace, stateFolder] = [join(root, 'project'), join(root, '.service')];
	await mkdir(workspace);
	await writeAll(root, {'.service/config.json': 'a secret key', 'outside.txt': 'outside'});
	await writeAll(workspace, files);
	const context = {workspace, ...toolContext()};
	return {root, workspace, stateFolder, context};
}

/** Returns the context of a tool in a run without a user. */
export function toolContext(): Omit<ToolContext, 'workspace'> {
	return {
		signal: new AbortController().signal,
		onOutput: () => {},
		onChange: () => {},
		approve: async () => ({allowed: false}),
		readFiles: new Map(),
	};
}

export async function writeAll(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
	for (const [path, content] of Object.entries(files)) {
		await mkdir(dirname(join(folder, path)), {recursive: true});
		await writeFile(join(folder, path), content);
	}
}

/** Runs git in a folder, without the machine's settings. */
export function git(cwd: string, ...args: readonly string[]): void {
	const env = {PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null'};
	// Maintenance would go on in the background, and change files while a test compares them.
	const settings = ['user.name=t', 'user.email=t@example.com', 'maintenance.auto=false', 'gc.auto=0'];
	const options = settings.flatMap(setting => ['-c', setting]);
	execFileSync('git', [...options, ...args], {cwd, env, stdio: 'ignore'});
}

import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {promisify} from 'node:util';
import {createCgroup, findOwnCgroup} from './cgroup.ts';
import {programsOf} from './find-bubblewrap.ts';

/** Where cgroups for sandboxes can be created: folders of one hierarchy, or one for each controller. */
export type CgroupLocation =
	| {
			readonly kind: 'folders';
			readonly version: 1 | 2;
			readonly memory: string;
			readonly pids: string;
			readonly cpu?: string;
	  }
	/** The user's service manager creates a scope for each program; `env` is how to reach it. */
	| {readonly kind: 'systemd'; readonly program: string; readonly env: Readonly<Record<string, string>>};

const run = promisify(execFile);

/**
 * Finds where this process may create cgroups that limit memory and processes, and share the processors if that is allowed,
 * too; undefined if nowhere.
 */
export async function findCgroupLocation(path: string): Promise<CgroupLocation | undefined> {
	for (const location of candidates()) {
		if (await works(location)) {
			return location;
		}
	}

	return await findSystemd(path);
}

function candidates(): readonly Extract<CgroupLocation, {kind: 'folders'}>[] {
	const unified = findOwnCgroup('cgroup2');
	const [memory, pids, cpu] = ['memory', 'pids', 'cpu'].map(name => findOwnCgroup('cgroup', name)?.own);
	const old = memory && pids ? [{kind: 'folders', version: 1, memory, pids} as const] : [];
	return [
		...(unified ? ancestors(unified.own, unified.top) : []).map(
			folder => ({kind: 'folders', version: 2, memory: folder, pids: folder, cpu: folder}) as const,
		),
		...(cpu ? old.map(each => ({...each, cpu})) : []),
		...old,
	];
}

/** In version 2, a group with processes can't have limited child groups, but one of its ancestors may. */
function ancestors(folder: string, top: string): readonly string[] {
	return folder === top || relative(top, folder).startsWith('..')
		? [top]
		: [folder, ...ancestors(dirname(folder), top)];
}

async function works(location: Extract<CgroupLocation, {kind: 'folders'}>): Promise<boolean> {
	if (location.version === 2 && !hasControllers(location.memory)) {
		return false;
	}

	const probe = createCgroup(location, `probe-${randomUUID()}`, {memoryBytes: 64 * 1024 ** 2, processes: 16});
	try {
		const script = 'for file; do echo $$ >"$file" || exit 1; done';
		const entries = probe?.entries ?? ['/nowhere/to/enter'];
		await run('/bin/sh', ['-c', script, 'probe', ...entries], {env: {}, timeout: 5000});
		return true;
	} catch {
		return false;
	} finally {
		probe?.remove();
	}
}

/** Returns whether child groups limit memory and processes; enables it, and shares of the processors, if that is allowed. */
function hasControllers(folder: string): boolean {
	const file = join(folder, 'cgroup.subtree_control');
	const has = () => ['memory', 'pids'].every(name => readFileSync(file, 'utf8').trim().split(' ').includes(name));
	try {
		if (!has()) {
			writeFileSync(file, '+memory +pids');
		}

		enableShares(file);
		return has();
	} catch {
		return false;
	}
}

function enableShares(file: string): void {
	try {
		writeFileSync(file, '+cpu');
	} catch {
		// The processors are shared by process instead.
	}
}

async function findSystemd(path: string): Promise<CgroupLocation | undefined> {
	const env = {XDG_RUNTIME_DIR: `/run/user/${process.getuid?.() ?? 0}`};
	for (const program of programsOf(path, 'systemd-run')) {
		const location = {kind: 'systemd', program, env} as const;
		const [command = '', ...args] = [
			...scopeCommand(location, {memoryBytes: 64 * 1024 ** 2, processes: 16}),
			'/bin/true',
		];
		if (
			await run(command, args, {env: {}, timeout: 5000}).then(
				() => true,
				() => false,
			)
		) {
			return location;
		}
	}

	return undefined;
}

/** Returns the prefix of a command that runs in a scope of its own and can't reach the service manager. */
export function scopeCommand(
	{program, env}: Extract<CgroupLocation, {kind: 'systemd'}>,
	{memoryBytes, processes}: {readonly memoryBytes: number; readonly processes: number},
): readonly string[] {
	const bounds = [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${processes}`, 'CPUWeight=100'].flatMap(
		bound => ['-p', bound],
	);
	const names = Object.keys(env);
	return [
		'/usr/bin/env',
		...Object.entries(env).map(([name, value]) => `${name}=${value}`),
		program,
		'--user',
		'--scope',
		'--quiet',
		'--collect',
		...bounds,
		'--',
		'/bin/sh',
		'-c',
		`unset ${names.join(' ')}; exec "$@"`,
		'scope',
	];
}

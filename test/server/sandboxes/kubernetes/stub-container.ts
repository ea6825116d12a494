import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	chmodSync,
	chownSync,
	closeSync,
	constants,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';

/** What a pod of the stub runs in its container. */
export type Container = {
	/** Calls back for each piece of output. */
	readonly output: (take: (part: Buffer) => void) => void;
	/** Resolves to the status of the first process. */
	readonly ended: Promise<number>;
	readonly test: (command: readonly string[]) => Promise<boolean>;
	readonly run: (command: readonly string[]) => Program;
	readonly signal: (name: 'SIGTERM' | 'SIGKILL') => void;
};

export type Program = {
	readonly input: Writable;
	readonly output: Readable;
	readonly ended: Promise<number>;
	readonly kill: () => void;
};

export type ContainerSpec = {
	readonly command: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** The folder of the volume /sandbox; undefined for one that goes with the container. */
	readonly volume: string;
};

const programs = ['/usr/bin/bwrap', '/usr/bin/nsenter', '/usr/bin/setpriv'];

/** Whether containers of the stub can be real processes: in namespaces of their own, as the user that the pod names. */
export const hasContainers = process.platform === 'linux' && process.getuid?.() === 0 && programs.every(existsSync);

export const containersReason = hasContainers ? '' : ' (skipped: needs root, bubblewrap, nsenter and setpriv)';

const user = 1000;
const path = '/opt:/usr/bin:/bin';

/** Creates the folder of a volume, which the group of the pod may write. */
export function createVolume(): string {
	const folder = mkdtempSync(join(tmpdir(), 'service-volume-'));
	chownSync(folder, 0, user);
	chmodSync(folder, 0o2770);
	return folder;
}

export function removeVolume(folder: string): void {
	rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
}

/** Starts a container of real processes, in which nothing but /sandbox and /tmp can be written. */
export async function startContainer({command, env, volume}: ContainerSpec): Promise<Container> {
	const links = ['bin', 'sbin', 'lib', 'lib64'].flatMap(name => ['--symlink', `usr/${name}`, `/${name}`]);
	const capabilities = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap(name => ['--cap-add', name]);
	const identity = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--'];
	const output = openOutput();
	const child = spawn(
		'bwrap',
		[
			...['--ro-bind', '/usr', '/usr', ...links, '--ro-bind', process.execPath, '/opt/node', '--proc', '/proc'],
			...['--dev', '/dev', '--perms', '1777', '--tmpfs', '/tmp', '--bind', volume, '/sandbox', '--chdir', '/sandbox'],
			...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--as-pid-1', '--die-with-parent', ...capabilities],
			...['--', ...identity, ...command],
		],
		{env: {...env, PATH: path}, stdio: ['ignore', output.writer, 'inherit']},
	);
	closeSync(output.writer);
	const read = once(output.reader, 'close');
	const ended = statusOf(child).then(async status => {
		await read;
		return status;
	});
	let first = 0;
	while (first === 0 && child.exitCode === null && child.signalCode === null) {
		await sleep(10);
		first = childOf(child.pid ?? 0);
	}

	const run = (words: readonly string[]): Program => {
		const spaces = ['-t', String(first), '-m', '-p', '-n', '-i', '-r', '-w', '-S', String(user), '-G', String(user)];
		const program = spawn('nsenter', [...spaces, '--', ...words], {
			env: {...env, PATH: path},
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		program.stdin.on('error', () => undefined);
		return {
			input: program.stdin,
			output: program.stdout,
			ended: statusOf(program),
			kill: () => void program.kill('SIGKILL'),
		};
	};
	return {
		output: take => void output.reader.on('data', take),
		ended,
		run,
		async test(words) {
			if (child.exitCode !== null) {
				return false;
			}

			const {input, output, ended: done} = run(words);
			input.end();
			output.resume();
			return (await done) === 0;
		},
		signal(name) {
			if (child.exitCode === null && child.signalCode === null && first !== 0) {
				try {
					process.kill(first, name);
				} catch {
					// It has just ended.
				}
			}
		},
	};
}

/** Opens what a container writes to: as a runtime does, a pipe that its user may open once more. */
function openOutput(): {readonly reader: Socket; readonly writer: number} {
	const folder = mkdtempSync(join(tmpdir(), 'service-output-'));
	const pipe = join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	chownSync(pipe, user, user);
	const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
	const writer = openSync(pipe, constants.O_WRONLY);
	rmSync(folder, {recursive: true});
	return {reader: new Socket({fd: reader, readable: true, writable: false}), writer};
}

const statusOf = (child: ChildProcess) =>
	new Promise<number>(resolve => {
		child.once('error', () => resolve(127));
		child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
	});

function childOf(pid: number): number {
	try {
		return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
	} catch {
		return 0;
	}
}

/** For the sake of the folder of a claim. */
export function claimFolder(root: string, name: string): string {
	const folder = join(root, name);
	if (!existsSync(folder)) {
		mkdirSync(folder, {recursive: true});
		chownSync(folder, 0, user);
		chmodSync(folder, 0o2770);
	}

	return folder;
}

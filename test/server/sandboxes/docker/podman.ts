import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import {mkdtemp} from 'node:fs/promises';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {onTestFinished, vi} from 'vitest';
import {createDockerProvider} from '../../../../src/server/sandboxes/docker/docker-provider.ts';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import type {SandboxSpec} from '../../../../src/server/sandboxes/provider.ts';

const programs = ['podman', 'runc', 'conmon'];

const find = (name: string) =>
	['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].map(folder => join(folder, name)).find(existsSync);

/** Whether Podman runs here; with crun it wouldn't where control groups have version 1. */
export const hasPodman = process.platform === 'linux' && process.getuid?.() === 0 && programs.every(find);

export const podmanReason = hasPodman ? '' : ' (skipped: needs root, podman, runc and containernetworking-plugins)';

/** Whether gVisor runs its containers here. */
export const hasRunsc = hasPodman && find('runsc') !== undefined;

export const runscReason = hasRunsc ? '' : podmanReason || ' (skipped: needs runsc)';

/**
 * gVisor by its name, and what it needs here: Podman starts it in the network of the machine, in which it refuses to pass one on,
 * and control groups may have version 1.
 */
export const runsc = ['runsc', '--runtime-flag', 'network=none', '--runtime-flag', 'ignore-cgroups'];

export const image = 'localhost/service-test:1';

/** The programs of the image, with the libraries that they load. */
const contents = ['/bin/sh', '/bin/cat', '/bin/sleep', '/bin/rm', '/bin/dd', '/usr/bin/id', process.execPath];

export type Podman = Awaited<ReturnType<typeof startPodman>>;

/**
 * Starts a service of Podman with storage, networks and state in a folder of its own, and an image with Node and a shell.
 * Nothing that this machine has otherwise of Podman is read or changed. `close` ends its containers, then the service.
 */
export async function startPodman(runtime: readonly string[] = ['runc']) {
	const folder = await mkdtemp(join(tmpdir(), 'service-podman-'));
	const socket = join(folder, 'podman.sock');
	const configuration = join(folder, 'containers.conf');
	writeFileSync(
		configuration,
		`[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n[network]\nnetwork_config_dir = "${join(folder, 'networks')}"\n`,
	);
	const env = {...process.env, CONTAINERS_CONF: configuration};
	const places = ['root', 'runroot', 'tmpdir'].flatMap(name => [`--${name}`, join(folder, name)]);
	const podman = (...args: readonly string[]) =>
		execFileSync('podman', [...places, '--runtime', ...runtime, ...args], {env, stdio: ['ignore', 'pipe', 'pipe']});
	const rootfs = join(folder, 'rootfs');
	for (const path of contents) {
		copyProgram(path, rootfs);
	}

	for (const name of ['tmp', 'proc', 'dev', 'sys']) {
		mkdirSync(join(rootfs, name), {recursive: true});
	}

	// As in every image: Podman gives the mode of the folder to what it mounts there.
	chmodSync(join(rootfs, 'tmp'), 0o1777);
	execFileSync('tar', ['-C', rootfs, '-cf', join(folder, 'rootfs.tar'), '.']);
	podman('import', join(folder, 'rootfs.tar'), image);
	rmSync(rootfs, {recursive: true});

	let service: ChildProcess | undefined;
	const begin = async () => {
		rmSync(socket, {force: true});
		service = spawn(
			'podman',
			[...places, '--runtime', ...runtime, 'system', 'service', '--time=0', `unix://${socket}`],
			{
				env,
				stdio: 'ignore',
				// What watches a container leaves a file there when memory is used up.
				cwd: folder,
			},
		);
		// `expect.poll` isn't for hooks.
		await vi.waitUntil(() => accepts(socket), {interval: 25, timeout: 300_000});
	};
	const end = async () => {
		if (service?.exitCode === null && service.signalCode === null) {
			const ended = new Promise(resolve => service?.once('exit', resolve));
			service.kill('SIGKILL');
			await ended;
		}
	};
	await begin();
	return {
		socket,
		podman,
		begin,
		/** Kills the service of the API as a crash does. Containers keep running. */
		end,
		async close() {
			podman('rm', '--all', '--force', '--time', '0', '--volumes');
			await end();
			// What watched programs that were started in containers stays for another five minutes.
			for (const pid of processesWith(folder)) {
				process.kill(pid, 'SIGKILL');
			}

			for (const mount of mountsBelow(folder)) {
				execFileSync('umount', [mount]);
			}

			rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50});
		},
	};
}

/** Copies a program to where the image has it in its PATH, and its libraries to where they are. */
function copyProgram(path: string, rootfs: string): void {
	const target = join(rootfs, 'bin', path.slice(path.lastIndexOf('/') + 1));
	mkdirSync(dirname(target), {recursive: true});
	cpSync(realpathSync(path), target);
	const libraries = execFileSync('ldd', [path], {encoding: 'utf8'}).match(/\/\S+/g) ?? [];
	for (const library of libraries) {
		const to = join(rootfs, library);
		mkdirSync(dirname(to), {recursive: true});
		cpSync(realpathSync(library), to);
	}
}

function accepts(socket: string): Promise<boolean> {
	return new Promise(resolve => {
		const connection = connect(socket);
		const answer = (is: boolean) => {
			connection.destroy();
			resolve(is);
		};
		connection.once('connect', () => answer(true)).once('error', () => answer(false));
	});
}

/** Returns the processes with a folder in their arguments. */
const processesWith = (folder: string) =>
	readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.filter(pid => argumentsOf(pid).includes(`${folder}/`))
		.map(Number);

function argumentsOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
	} catch {
		return '';
	}
}

const mountsBelow = (folder: string) =>
	readFileSync('/proc/mounts', 'utf8')
		.split('\n')
		.map(line => line.split(' ')[1] ?? '')
		.filter(path => path.startsWith(`${folder}/`))
		.toReversed();

type EngineOptions = {
	readonly openNetwork?: string;
	readonly openRanges?: readonly string[];
	readonly runtime?: string;
	readonly diskBytes?: number;
	/** How long a sandbox may take to shut down. */
	readonly graceSeconds?: number;
	readonly timeoutMs?: number | undefined;
};

/** Creates a provider on an engine; sandboxes started through `start` are removed after the test. */
export function engineSandboxes(
	socket: string,
	{openNetwork, openRanges, runtime, diskBytes, graceSeconds = 1, timeoutMs = 120_000}: EngineOptions = {},
) {
	const client = createEngineClient({address: {kind: 'unix', path: socket}, env: {}, timeoutMs});
	const provider = createDockerProvider({
		client,
		image,
		openNetwork,
		openRanges,
		runtime,
		graceSeconds,
		...(diskBytes !== undefined && {diskBytes}),
	});
	onTestFinished(() => provider.close());
	const start = async (command: readonly string[], spec: Partial<SandboxSpec> = {}) => {
		const id = randomUUID();
		onTestFinished(() => provider.remove(id));
		await provider.start({
			id,
			organization: randomUUID(),
			files: new Map(),
			build: [],
			command: {name: 'command', command},
			environment: {},
			deadline: {after: 60_000, action: 'end'},
			...spec,
		});
		return id;
	};
	const shell = (line: string, spec?: Partial<SandboxSpec>) => start(['sh', '-c', line], spec);
	const log = async (id: string) => (await provider.readLog(id, {}))?.text ?? '';
	return {provider, client, start, shell, log};
}

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {isRoot, programsOf} from './bubblewrap.ts';

/** The programs that give a sandbox a network of its own, by their paths. */
export type NetworkTools = {
	readonly unshare: string;
	readonly nsenter: string;
	readonly ip: string;
	readonly pasta: string;
};

/** A network of its own, which is there until it is closed. */
export type Network = {
	/** The process that holds it. */
	readonly holder: number;
	/** The process that carries its packets. */
	readonly carrier: number;
	/** The command that runs what follows it there. */
	readonly enter: readonly string[];
	readonly resolver: readonly [file: string, path: string];
	readonly close: () => void;
};

type Wanted = {
	/** Of the sandbox, for files. */
	readonly folder: string;
	/** Ports of services, the same ones inside and outside. */
	readonly ports: readonly number[];
};

/** An address that belongs to nobody (RFC 5737), at which the resolver of this machine answers. */
const resolverAddress = '198.51.100.53';

/** The address where clouds serve a machine's credentials to any process on it (RFC 3927). */
const linkLocal = '169.254.0.0/16';

/** Longest wait in milliseconds for a network. */
const setupTimeoutMs = 5000;

/** Each where it is installed; whether they work together shows only in use. */
export function findNetworkTools(path: string, exists: (path: string) => boolean): NetworkTools | undefined {
	const [unshare, nsenter, ip, pasta] = ['unshare', 'nsenter', 'ip', 'pasta'].map(name =>
		programsOf(`${path}:/usr/sbin:/sbin`, name).find(exists),
	);
	return unshare && nsenter && ip && pasta ? {unshare, nsenter, ip, pasta} : undefined;
}

/**
 * Makes a network namespace whose only way out is pasta: the sandbox reaches the world, but nothing that listens on this
 * machine's loopback, and no link-local address. Ports of services come in from loopback. Undefined where that fails.
 */
export async function openNetwork(tools: NetworkTools, {folder, ports}: Wanted): Promise<Network | undefined> {
	const asUser = isRoot() ? [] : ['--user', '--map-root-user'];
	// It ends with its standard input, hence with this process.
	const script = ['-c', 'echo ready; read -r _', 'network'];
	const holder = spawn(tools.unshare, [...asUser, '--net', '--', '/bin/sh', ...script], {
		env: {},
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	holder.stdin.on('error', () => undefined);
	const isReady = await firstOf(once(holder.stdout, 'data'), holder);
	if (!isReady || holder.pid === undefined) {
		holder.kill('SIGKILL');
		return undefined;
	}

	const files = `/proc/${holder.pid}/ns`;
	const asOwner = isRoot() ? [] : [`--user=${files}/user`, '--preserve-credentials'];
	const enter = [tools.nsenter, `--net=${files}/net`, ...asOwner, '--'];
	const [carrier, hasRoutes] = await Promise.all([
		carry(tools, holder.pid, {folder, ports}),
		succeeds([
			...enter,
			'/bin/sh',
			'-c',
			`"$1" link set lo up && "$1" route add unreachable ${linkLocal}`,
			'ip',
			tools.ip,
		]),
	]);
	const close = () => {
		carrier?.kill('SIGKILL');
		holder.kill('SIGKILL');
	};
	const resolver = writeResolver(folder);
	if (carrier?.pid === undefined || !hasRoutes || !resolver) {
		close();
		return undefined;
	}

	return {holder: holder.pid, carrier: carrier.pid, enter, resolver, close};
}

/** Starts pasta, and resolves when packets go through. */
async function carry({pasta}: NetworkTools, holder: number, {folder, ports}: Wanted) {
	const pidFile = join(folder, 'network.pid');
	writeFileSync(pidFile, '', {mode: 0o600});
	const namespace = openSync(`/proc/${holder}/ns/net`, 'r');
	const tcp = ports.length > 0 ? `127.0.0.1/${ports.join(',')}` : 'none';
	const args = [
		...['--foreground', '--quiet', '--config-net', '--ipv4-only', '--no-map-gw', '--dns-forward', resolverAddress],
		...['--tcp-ports', tcp, '--udp-ports', 'none', '--tcp-ns', 'none', '--udp-ns', 'none', '--pid', pidFile],
		// As root it may not look into the process, but was handed the namespace.
		...(isRoot() ? ['--runas', '0:0', '--netns', '/proc/self/fd/3', '--netns-only'] : [String(holder)]),
	];
	const child = spawn(pasta, args, {env: {}, stdio: ['ignore', 'ignore', 'ignore', namespace]});
	closeSync(namespace);
	const isReady = await firstOf(untilWritten(pidFile), child);
	if (!isReady) {
		child.kill('SIGKILL');
	}

	return isReady ? child : undefined;
}

async function untilWritten(file: string): Promise<void> {
	for (const deadline = Date.now() + setupTimeoutMs; readFileSync(file, 'utf8') === ''; await sleep(5)) {
		if (Date.now() > deadline) {
			throw new Error('Nothing was written.');
		}
	}
}

/** Whether something comes before a child ends, cannot start or takes too long. */
async function firstOf(awaited: Promise<unknown>, child: ReturnType<typeof spawn>): Promise<boolean> {
	const over = new AbortController();
	try {
		return await Promise.race([
			awaited.then(() => true),
			once(child, 'exit', over).then(() => false),
			sleep(setupTimeoutMs, false, over),
		]);
	} catch {
		return false;
	} finally {
		over.abort();
	}
}

async function succeeds([command = '', ...args]: readonly string[]): Promise<boolean> {
	const child = spawn(command, args, {env: {}, stdio: 'ignore'});
	return await once(child, 'exit').then(
		([status]) => status === 0,
		() => false,
	);
}

/** Writes what names are looked up with. The path is real, because a link may lead to a folder that is hidden. */
function writeResolver(folder: string): Network['resolver'] | undefined {
	const file = join(folder, 'resolv.conf');
	try {
		writeFileSync(file, `nameserver ${resolverAddress}\n`, {mode: 0o644});
		return [file, realpathSync('/etc/resolv.conf')];
	} catch {
		return undefined;
	}
}

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {searchFolders} from '../core/search-path.ts';
import {metadataRanges} from '../net/web/address-kind.ts';
import {isRoot} from './bubblewrap.ts';

/** The paths of programs that create a network for a sandbox. */
export type NetworkTools = {
	readonly unshare: string;
	readonly nsenter: string;
	readonly ip: string;
	readonly pasta: string;
};

/** A network for a sandbox, which exists until it is closed. */
export type Network = {
	/** The process that holds the namespace. */
	readonly holder: number;
	/** The process that forwards its packets. */
	readonly carrier: number;
	/** The prefix of a command that runs inside it. */
	readonly enter: readonly string[];
	readonly resolver: readonly [file: string, path: string];
	readonly close: () => void;
};

type Wanted = {
	/** A folder of the sandbox for files. */
	readonly folder: string;
	/** Ports of services, the same inside and outside. */
	readonly ports: readonly number[];
	/** Whether it has its own loopback alone instead of the internet. */
	readonly isClosed: boolean;
};

/** An unassigned address (RFC 5737) where this machine's resolver answers. */
const resolverAddress = '198.51.100.53';

/** Switches loopback on, and makes ranges of addresses unreachable. */
const routesScript =
	'"$1" link set lo up || exit 1; ip=$1; shift; for range; do "$ip" route add unreachable "$range" || exit 1; done';

const setupTimeoutMs = 5000;

const toolNames = ['unshare', 'nsenter', 'ip', 'pasta'] as const;

/** The device for a network of its own; not every machine gives users access to it. */
const tunnel = '/dev/net/tun';

/** Returns the tools, or the names of what is missing. Only using them shows whether they work together. */
export function findNetworkTools(
	path: string,
	can: {readonly execute: (path: string) => boolean; readonly write: (path: string) => boolean},
): NetworkTools | {readonly missing: readonly string[]} {
	const folders = searchFolders(`${path}:/usr/sbin:/sbin`);
	const find = (name: string) => folders.map(folder => join(folder, name)).find(can.execute);
	const [unshare, nsenter, ip, pasta] = toolNames.map(find);
	return unshare && nsenter && ip && pasta && can.write(tunnel)
		? {unshare, nsenter, ip, pasta}
		: {missing: [...toolNames.filter(name => !find(name)), ...(can.write(tunnel) ? [] : [`access to ${tunnel}`])]};
}

/**
 * Creates a network namespace whose only way out is pasta: the sandbox can reach the internet, but neither this
 * machine's loopback nor the metadata of a cloud. A closed one has no address but its loopback. Ports of services are
 * forwarded from loopback. Returns undefined on failure.
 */
export async function openNetwork(
	tools: NetworkTools,
	{folder, ports, isClosed}: Wanted,
): Promise<Network | undefined> {
	const asUser = isRoot() ? [] : ['--user', '--map-root-user'];
	// It ends with its standard input, and so with this process.
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
		carry(tools, holder.pid, {folder, ports, isClosed}),
		succeeds([
			...enter,
			'/bin/sh',
			'-c',
			routesScript,
			'routes',
			tools.ip,
			...metadataRanges.map(([address, prefix]) => `${address}/${prefix}`),
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

/** Starts pasta, and resolves when it forwards packets. */
async function carry({pasta}: NetworkTools, holder: number, {folder, ports, isClosed}: Wanted) {
	const pidFile = join(folder, 'network.pid');
	writeFileSync(pidFile, '', {mode: 0o600});
	const namespace = openSync(`/proc/${holder}/ns/net`, 'r');
	const tcp = ports.length > 0 ? `127.0.0.1/${ports.join(',')}` : 'none';
	const args = [
		'--foreground',
		'--quiet',
		...(isClosed ? [] : ['--config-net', '--dns-forward', resolverAddress]),
		'--ipv4-only',
		'--no-map-gw',
		'--tcp-ports',
		tcp,
		'--udp-ports',
		'none',
		'--tcp-ns',
		'none',
		'--udp-ns',
		'none',
		'--pid',
		pidFile,
		// As root it can't access the process, but gets the namespace as a descriptor.
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

/** Returns whether something happens before a child ends, fails to start, or times out. */
async function firstOf(awaited: Promise<unknown>, child: ChildProcess): Promise<boolean> {
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

/** Writes the resolver configuration. Its path is resolved, because a link may lead to a hidden folder. */
function writeResolver(folder: string): Network['resolver'] | undefined {
	const file = join(folder, 'resolv.conf');
	try {
		writeFileSync(file, `nameserver ${resolverAddress}\n`, {mode: 0o644});
		return [file, realpathSync('/etc/resolv.conf')];
	} catch {
		return undefined;
	}
}

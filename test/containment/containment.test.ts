import {randomUUID} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {findContainment, type MachineContainment, summaryOf} from '../../src/containment/containment.ts';
import {findNetworkTools} from '../../src/containment/network.ts';
import {createLocalProvider} from '../../src/server/sandboxes/local-provider.ts';
import {freePort} from '../free-port.ts';
import {eventually, localSandboxes, runs, temporaryFolder} from '../server/sandboxes/sandbox.ts';
import {supervisor} from '../server/sandboxes/supervisor.ts';

const path = process.env['PATH'] ?? '';
const found = await findContainment(path, ['/tmp', '/root', '/home']);
const {bubblewrap, cgroups} = found;
const mebibyte = 1024 ** 2;

/** This machine's containment, or only part of it; a missing part is in the name of the test. */
const without = (part: unknown, name: string) => (part ? '' : ` (skipped: ${name} is missing or does not work here)`);
const contained = test.skipIf(!bubblewrap);
const why = without(bubblewrap, 'bubblewrap');
const noNetwork = found.network
	? ''
	: ` (SKIPPED, nothing of this is tested: ${found.networkLacks?.join(', ')} missing)`;

/** The processes that were left on this machine. */
function sleepers(seconds: number): readonly number[] {
	return readdirSync('/proc')
		.filter(name => /^\d+$/.test(name) && commandOf(name) === `sleep\0${seconds}\0`)
		.map(Number);
}

function commandOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
	} catch {
		return '';
	}
}

async function outputOf(containment: MachineContainment, program: readonly string[], limits = {}): Promise<string> {
	const {provider, script, log} = await localSandboxes({path, containment});
	const id = await script('', {command: {name: 'command', command: program}, limits});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	return await log(id);
}

contained(
	`[15] a task writes no setting of the kernel and reads no password, also where root runs it${why}`,
	async () => {
		// It would write what is already there, so that success does no harm.
		const attempts = ['/proc/sys/vm/overcommit_memory', '/proc/sys/kernel/core_pattern'].map(
			file => `(cat ${file} >${file}) 2>/dev/null && echo "wrote ${file}"`,
		);
		const rest = ['(: >>/proc/sysrq-trigger) 2>/dev/null && echo wrote sysrq', 'cat /etc/shadow 2>/dev/null', 'id -u'];
		const log = await outputOf(found, ['sh', '-c', [...attempts, ...rest, 'true'].join('; ')]);
		const [, ...lines] = log.trim().split('\n');
		expect(lines).toEqual([expect.stringMatching(/^[1-9]\d*$/), '[sandbox] command ended with status 0']);
	},
);

contained(`[15] what a task puts into memory through files has a size${why}`, async () => {
	const fill = (file: string) => `dd if=/dev/zero of=${file} bs=1M count=96 2>/dev/null || echo full; rm -f ${file}`;
	const script = `${fill('/tmp/x')}; ${fill('/dev/shm/x')}; (: >/dev/x) 2>/dev/null || echo closed; (: >/run/x) 2>/dev/null || echo closed`;
	const log = await outputOf({...(bubblewrap && {bubblewrap})}, ['sh', '-c', script], {memoryBytes: 128 * mebibyte});
	expect(log.trim().split('\n').slice(1, -1)).toEqual(['full', 'full', 'closed', 'closed']);
});

contained(`[15] a task mounts no files in memory without a size in a user namespace of its own${why}`, async () => {
	const attempt = 'unshare -Urm sh -c "mount -t tmpfs none /mnt && echo mounted" 2>/dev/null || echo refused';
	const log = await outputOf(found, ['sh', '-c', `${attempt}; node -e "console.log(6 * 7)"`]);
	expect(log.trim().split('\n').slice(1, -1)).toEqual(['refused', '42']);
});

const ways: ReadonlyArray<readonly [string, MachineContainment]> = [
	['where nothing holds it', {}],
	...(cgroups ? [['by control groups', {cgroups}] as const] : []),
	...(bubblewrap ? [['in bubblewrap alone', {bubblewrap}] as const] : []),
	...(bubblewrap && cgroups ? [['in bubblewrap and control groups', found] as const] : []),
];

// Each of them stays within its limit, and all together use at most 240 MB.
test.each(ways)('[15] processes that together use too much memory are ended %s', async (_, containment) => {
	// Each keeps what it took until one of them was killed; a watcher ends all of them.
	const wait = 'until [ -e killed ]; do sleep 0.05; done';
	const take = `(head -c 60000000 /dev/zero; ${wait}) | (tail -c 60000000 >/dev/null; touch killed)`;
	const script = `${Array.from({length: 4}, () => `${take} &`).join(' ')} wait; echo all of them ended well`;
	const log = await outputOf(containment, ['sh', '-c', `${script}; exit 3`], {memoryBytes: 128 * mebibyte});
	expect(log).toMatch(/128 MB of memory are used up|it uses more than 128 MB of memory/);
});

const hasPerl = existsSync('/usr/bin/perl');
const noPerl = hasPerl ? '' : ' (skipped: perl is missing)';

// At most 160 MB.
test.skipIf(!hasPerl).each(ways.filter(([, {cgroups: kernel}]) => !kernel))(
	`[15] memory in files without a name counts, also unmapped %s${noPerl}`,
	async (_, containment) => {
		const program = `my $create = qx(uname -m) =~ /aarch64/ ? 279 : 319;
			my $name = "x";
			for (1..4) { open($f[$_], ">&=", syscall($create, $name, 0)); syswrite($f[$_], "x" x 40_000_000) }
			sleep 600;`;
		const log = await outputOf(containment, ['/usr/bin/perl', '-e', program], {memoryBytes: 128 * mebibyte});
		expect(log).toMatch(/128 MB of memory are used up|it uses more than 128 MB of memory/);
	},
);

test.each(ways)('[15] files that together use too much disk end a task %s', async (_, containment) => {
	const script = 'for n in 1 2 3 4 5 6; do dd if=/dev/zero of=file$n bs=1M count=16 2>/dev/null; done; exec sleep 600';
	const log = await outputOf(containment, ['sh', '-c', script], {diskBytes: 48 * mebibyte});
	expect(log).toContain('[sandbox] it uses more than 48 MB of disk\n');
});

test.each(ways)('[15] removed files that are still open count as well %s', async (_, containment) => {
	const open = [3, 4, 5].map(n => `exec ${n}>file; rm file; dd if=/dev/zero bs=1M count=32 >&${n} 2>/dev/null`);
	const log = await outputOf(containment, ['sh', '-c', `${open.join('; ')}; exec sleep 600`], {
		diskBytes: 48 * mebibyte,
	});
	expect(log).toContain('[sandbox] it uses more than 48 MB of disk\n');
});

// At most 60 processes, which end by themselves.
test.each(ways)('[15] a fork bomb is ended with everything that it started %s', async (_, containment) => {
	const multiply = 'i=0; while [ $i -lt 60 ]; do env -i setsid sleep 15 & i=$((i + 1)); done; wait';
	const log = await outputOf(containment, ['sh', '-c', multiply], {processes: 30});
	expect(log).toMatch(/\[sandbox] it has more than 30 processes\n|fork|Resource temporarily unavailable/);
	if (containment.cgroups?.kind === 'folders') {
		expect(log).toContain('[sandbox] the system refused a process: it has as many as it may, 30\n');
	}
});

test.each(ways)(
	'[15] a process without group, session and environment ends with its sandbox %s',
	async (_, containment) => {
		const {provider, script, log} = await localSandboxes({path, containment});
		// Longer than the test waits, and known by its length.
		const seconds = 1000 + process.pid;
		onTestFinished(() => {
			for (const pid of sleepers(seconds)) {
				process.kill(pid, 'SIGKILL');
			}
		});
		const leave = `env -i setsid sh -c 'sleep ${seconds} & echo left' & wait; sleep ${seconds}`;
		const id = await script('', {command: {name: 'command', command: ['sh', '-c', `${leave}; true`]}});
		await eventually(async () => (await log(id)).includes('left\n'));
		await eventually(() => sleepers(seconds).length === 2);
		const before = sleepers(seconds);
		await provider.end(id);
		await eventually(() => before.every(pid => !runs(pid)));
	},
);

test.skipIf(!bubblewrap || !found.network)(
	`[15] a task reaches no service of this machine, no other task and no credentials of a cloud${why || noNetwork}`,
	async ({skip}) => {
		const secret = createServer((_, response) => response.end('secret')).listen(0, '127.0.0.1');
		onTestFinished(() => void secret.close());
		await new Promise(resolve => secret.once('listening', resolve));
		const {port: foreign} = secret.address() as AddressInfo;
		const [own, other] = [await freePort(), await freePort()];
		const {provider, script, log} = await localSandboxes({path, containment: found});
		const program = `
		import {readFileSync} from 'node:fs';
		import {createServer} from 'node:http';
		const reach = (address, timeoutMs = 30_000) => fetch(address, {signal: AbortSignal.timeout(timeoutMs)}).then(() => 'reached', error => error.cause?.code ?? error.name);
		const [, , own, ...others] = process.argv;
		createServer((_, response) => response.end('own')).listen(Number(own), '127.0.0.1', async () => {
			for (const place of [...others.map(port => '127.0.0.1:' + port), '169.254.169.254', '100.100.100.200', '168.63.129.16']) console.log(await reach('http://' + place));
			const [, gateway = '0'] = /^\\S+\\t00000000\\t(\\w{8})/m.exec(readFileSync('/proc/net/route', 'utf8')) ?? [];
			const address = Buffer.from(gateway, 'hex').reverse().join('.');
			console.log(address ? await reach('http://' + address + ':' + others[0], 500) : 'no gateway');
			console.log('done');
		});`;
		const start = (port: number, others: readonly number[]) =>
			script(program, {
				ports: [port],
				command: {name: 'command', command: ['node', 'program.mjs', String(port), ...others.map(String)]},
			});
		const neighbour = await start(other, []);
		await eventually(() => provider.isListening(neighbour, other));
		skip(
			(await log(neighbour)).includes('the network is OPEN'),
			'SKIPPED, nothing of this is tested: pasta fails here',
		);
		const id = await start(own, [foreign, other]);
		expect(await provider.isListening(id, other)).toBe(false);
		await eventually(async () => (await log(id)).includes('done'));
		expect(await provider.isListening(id, own)).toBe(true);
		expect(await (await fetch(`http://127.0.0.1:${own}`)).text()).toBe('own');
		const [, ...lines] = (await log(id)).trim().split('\n');
		expect(lines.slice(0, 2)).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
		expect(lines.slice(2, 5)).toEqual(['EHOSTUNREACH', 'EHOSTUNREACH', 'EHOSTUNREACH']);
		// The address of the gateway is no other name of this machine's loopback.
		expect(lines.slice(5)).toEqual([expect.not.stringMatching(/^reached$/), 'done']);
	},
);

test('a network that cannot be had says what it lacks', () => {
	const tools = (path: string) => !path.endsWith('/pasta');
	expect(findNetworkTools('/bin', {execute: tools, write: () => false})).toEqual({
		missing: ['pasta', 'access to /dev/net/tun'],
	});
	expect(findNetworkTools('/bin', {execute: () => true, write: () => true})).toHaveProperty('pasta', '/bin/pasta');
	const networkLacks = ['access to /dev/net/tun'];
	const parts = {
		bubblewrap: {program: '/bin/bwrap', hasSizes: true, userNamespace: [], takesFilter: true},
		networkLacks,
	};
	expect(summaryOf(parts)).toBe(
		'contained by bubblewrap (missing: control groups, access to /dev/net/tun, so networks are open)',
	);
});

test('[15] without containment no task starts unless the administrator allows it', async () => {
	const folder = await temporaryFolder();
	const none = async () => ({});
	const provider = createLocalProvider({root: folder, findContainment: none, supervisor});
	expect(await provider.unavailableReason()).toMatch(/^Sandboxes are off on this server: .+ --unsafe-sandboxes\.$/);
	expect(await provider.summary()).toBe('off: install bubblewrap, or start with --unsafe-sandboxes');
	const spec = {id: randomUUID(), organization: randomUUID(), files: new Map(), build: [], environment: {}};
	const started = provider.start({
		...spec,
		command: {name: 'command', command: ['true']},
		deadline: {after: 1000, action: 'end'},
	});
	await expect(started).rejects.toThrow('Sandboxes are off');
	const unsafe = createLocalProvider({root: folder, findContainment: none, supervisor, allowUncontained: true});
	expect([await unsafe.unavailableReason(), await unsafe.summary()]).toEqual([
		undefined,
		'NOT contained: every task has the permissions of this server',
	]);
});

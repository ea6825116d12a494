import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {cpSync, readFileSync, writeFileSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import {assertCanStart} from '../../../src/server/sandboxes/provider-fault.ts';
import {monitorSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createSandboxing} from '../../../src/server/sandboxes/sandboxing.ts';
import {keepServerProcesses} from '../../../src/server/sandboxes/server-processes.ts';
import {identityOf} from '../../../src/storage/lock-owner.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {serverWithRuntime} from './machines.ts';
import {eventually} from './sandbox.ts';

const secondMs = 1000;

const machineOf = ({database}: TestServer) => database.selectFrom('machines').selectAll().executeTakeFirstOrThrow();

test('of servers that ask at once one gets the lease, and keeps it while it renews it', async () => {
	const server = await createTestServer();
	const leases = Array.from({length: 6}, () => createMachineLease(server.services));
	const renewAll = () => Promise.all(leases.map(lease => lease.renew()));
	const holders = () => leases.filter(lease => lease.isHeld());
	await renewAll();
	const first = holders();
	expect(first.length).toBe(1);
	for (let round = 0; round < 5; round++) {
		server.advance(10 * secondMs);
		await renewAll();
		expect(holders()).toEqual(first);
	}

	const {id, host, seen_at, held_until} = await machineOf(server);
	expect({id, host, seen_at, held_until}).toEqual({
		id: await server.services.sandboxes.provider.machine(),
		host: hostname(),
		seen_at: '2026-03-01T12:00:50.000Z',
		held_until: '2026-03-01T12:01:20.000Z',
	});
});

test('another server gets the lease of one that ended after its time, and of one that closed at once', async () => {
	const server = await createTestServer();
	const [first, second, third] = [1, 2, 3].map(() => createMachineLease(server.services));
	await first?.renew();
	server.advance(29 * secondMs);
	await second?.renew();
	expect([first?.isHeld(), second?.isHeld()]).toEqual([true, false]);
	server.advance(2 * secondMs);
	expect(first?.isHeld()).toBe(false);
	await second?.renew();
	await first?.renew();
	expect([first?.isHeld(), second?.isHeld()]).toEqual([false, true]);

	// One that doesn't hold it gives nothing back.
	await first?.release();
	await third?.renew();
	expect(third?.isHeld()).toBe(false);
	await second?.release();
	await third?.renew();
	expect([second?.isHeld(), third?.isHeld()]).toEqual([false, true]);
});

test('a lease from before the clock was set back ends', async () => {
	const server = await createTestServer();
	await createMachineLease(server.services).renew();
	server.advance(-3600 * secondMs);
	const lease = createMachineLease(server.services);
	await lease.renew();
	expect(lease.isHeld()).toBe(true);
});

test('a server that is cut off holds no lease which another one has got, though the clock was set back or on', async () => {
	for (const setMs of [-3600 * secondMs, -25 * secondMs, 3600 * secondMs]) {
		const server = await createTestServer();
		let steadyMs = 0;
		const leases = ['first', 'second'].map(id =>
			createMachineLease(server.services, {id, address: null}, () => steadyMs),
		);
		const [first, second] = leases;
		await first?.renew();
		server.advance(setMs);
		for (let beat = 0; beat < 10; beat += 1) {
			await second?.renew();
			expect(leases.filter(lease => lease.isHeld()).length).toBeLessThanOrEqual(1);
			server.advance(10 * secondMs);
			steadyMs += 10 * secondMs;
		}

		expect(leases.map(lease => lease.isHeld())).toEqual([false, true]);
	}
});

test('a monitor holds the lease of its machine until it is closed', async () => {
	const server = await createTestServer();
	const monitor = monitorSandboxes(server.services);
	await eventually(async () => (await server.database.selectFrom('machines').select('held_by').execute()).length > 0);
	const other = createMachineLease(server.services);
	await other.renew();
	expect(other.isHeld()).toBe(false);
	await monitor.close();
	await other.renew();
	expect(other.isHeld()).toBe(true);
});

test('with a copied data folder the second host starts no sandboxes, until the first is gone', async () => {
	const {server} = await serverWithRuntime();
	const {services, entries} = server;
	const original = createMachineLease(services);
	const copied = {...services, sandboxes: {...services.sandboxes, host: 'second.example'}};
	const copy = createMachineLease(copied);
	await original.renew();
	await copy.renew();
	await copy.renew();
	expect([original.isHeld(), copy.isHeld(), (await machineOf(server)).host]).toEqual([true, false, hostname()]);
	expect(entries.filter(({message}) => message === 'machine id in use by another data folder')).toHaveLength(1);
	await expect(assertCanStart(copied)).rejects.toMatchObject({
		status: 409,
		message:
			'This server’s data folder is a copy of one in use on another host. Stop this server, delete sandboxes/machine in the folder, and start it again.',
	});
	await assertCanStart(services);

	server.advance(31 * secondMs);
	await assertCanStart(copied);
	await copy.renew();
	expect(copy.isHeld()).toBe(true);
	await expect(assertCanStart(services)).rejects.toMatchObject({status: 409});
});

test('of two hosts that claim one machine id at once, one gets it, and the other starts no sandboxes', async () => {
	const {server} = await serverWithRuntime();
	const both = ['first.example', 'second.example'].map(host => {
		const services = {...server.services, sandboxes: {...server.services.sandboxes, host}};
		return {services, lease: createMachineLease(services)};
	});
	for (let round = 0; round < 4; round++) {
		await Promise.all(both.map(({lease}) => lease.renew()));
		expect(both.filter(({lease}) => lease.isHeld())).toHaveLength(1);
		const starts = await Promise.allSettled(both.map(({services}) => assertCanStart(services)));
		expect(starts.map(({status}) => status === 'fulfilled')).toEqual(both.map(({lease}) => lease.isHeld()));
		server.advance(10 * secondMs);
	}
});

test('a data folder that was copied on the same host starts no sandboxes beside it; the same folder does', async () => {
	const {server} = await serverWithRuntime();
	const {services} = server;
	const original = createMachineLease(services);
	await original.renew();
	const folder = join(server.folder, 'copy');
	await mkdir(folder, {recursive: true});
	const {folderId} = createSandboxing({folder, log: services.log});
	const copied = {...services, sandboxes: {...services.sandboxes, folderId}};
	const copy = createMachineLease(copied);
	await copy.renew();
	expect([original.isHeld(), copy.isHeld()]).toEqual([true, false]);
	await expect(assertCanStart(copied)).rejects.toMatchObject({
		status: 409,
		message:
			'This server’s data folder is a copy of one in use here. Stop this server, delete sandboxes/machine in the folder, and start it again.',
	});

	const second = createMachineLease(services);
	await second.renew();
	expect(second.isHeld()).toBe(false);
	await assertCanStart(services);
	await original.release();
	await second.renew();
	expect(second.isHeld()).toBe(true);
});

/** Starts a process that plays a server, and writes into the data folder which one it is. */
async function startPredecessor(folder: string, changed: Readonly<Record<string, unknown>> = {}) {
	const id = randomUUID();
	const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: 'ignore'});
	const kill = async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill('SIGKILL');
			await once(child, 'exit');
		}
	};
	onTestFinished(kill);
	await keepServerProcesses(join(folder, 'servers')).announce(id);
	const path = join(folder, 'servers', id);
	const written = JSON.parse(readFileSync(path, 'utf8'));
	writeFileSync(path, JSON.stringify({...written, ...identityOf(child.pid ?? 0), ...changed}));
	return {id, kill};
}

test.skipIf(process.platform !== 'linux')(
	`a server takes the lease of a predecessor whose process has ended at once, even from another data folder, and of no other${process.platform === 'linux' ? '' : ' (skipped: needs /proc)'}`,
	async () => {
		const {server} = await serverWithRuntime();
		const folder = join(server.folder, 'data');
		const {processes} = createSandboxing({folder, log: server.services.log});
		const services = {...server.services, sandboxes: {...server.services.sandboxes, processes}};
		/** What a server sees that finds the lease of another one in the database. */
		const takes = async ({id}: {readonly id: string}, host = hostname()) => {
			const holder = {...services, sandboxes: {...server.services.sandboxes, host, folderId: async () => '1:2'}};
			await createMachineLease(holder, {id, address: null}).renew();
			expect((await machineOf(server)).held_by).toBe(id);
			const next = createMachineLease(services);
			await next.renew();
			await server.database.updateTable('machines').set({held_by: null}).execute();
			return next.isHeld();
		};

		const alive = await startPredecessor(folder);
		expect(await takes(alive)).toBe(false);
		await alive.kill();
		expect(await takes(alive)).toBe(true);
		// Another machine, another container, and another start of this machine have processes with the same ids.
		for (const changed of [{host: 'other.example'}, {namespace: 'pid:[1]'}, {boot: randomUUID()}, {pid: 'x'}]) {
			const unknown = await startPredecessor(folder, changed);
			await unknown.kill();
			expect([changed, await takes(unknown)]).toEqual([changed, false]);
		}

		// Nothing is known of it, whatever its id looks like.
		for (const id of [randomUUID(), '../servers', '']) {
			expect(processes.hasEnded(id)).toBe(false);
		}

		// A copy of the folder knows of the same process.
		const running = await startPredecessor(folder);
		cpSync(folder, join(server.folder, 'copied'), {recursive: true});
		const copied = createSandboxing({folder: join(server.folder, 'copied'), log: server.services.log}).processes;
		expect(copied.hasEnded(running.id)).toBe(false);
		await running.kill();
		expect(copied.hasEnded(running.id)).toBe(true);
	},
);

test.skipIf(process.platform !== 'linux')(
	`of servers that find the lease of one that has ended, one gets it${process.platform === 'linux' ? '' : ' (skipped: needs /proc)'}`,
	async () => {
		const {server} = await serverWithRuntime();
		const folder = join(server.folder, 'data');
		const {processes} = createSandboxing({folder, log: server.services.log});
		const services = {...server.services, sandboxes: {...server.services.sandboxes, processes}};
		const predecessor = await startPredecessor(folder);
		await createMachineLease(server.services, {id: predecessor.id, address: null}).renew();
		await predecessor.kill();
		const leases = Array.from({length: 6}, () => createMachineLease(services));
		await Promise.all(leases.map(lease => lease.renew()));
		expect(leases.filter(lease => lease.isHeld())).toHaveLength(1);
	},
);

import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseBucket} from '../../../src/server/artifacts/artifact-location.ts';
import type {Blobs} from '../../../src/server/artifacts/blobs.ts';
import {createS3Blobs} from '../../../src/server/artifacts/s3-blobs.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {collectorLeaseMs, createLogCollector} from '../../../src/server/sandboxes/log-collector.ts';
import {maxLogBytes} from '../../../src/server/sandboxes/log-store.ts';
import {createLogTails} from '../../../src/server/sandboxes/log-tails.ts';
import {type LogExtent, maxWindowBytes} from '../../../src/server/sandboxes/log-window.ts';
import {lostAfterMs, watchMachines} from '../../../src/server/sandboxes/lost-machines.ts';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import type {SandboxProvider} from '../../../src/server/sandboxes/provider.ts';
import {readLog} from '../../../src/server/sandboxes/read-log.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {keys, startS3} from '../artifacts/s3-server.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';
import {addLoggedSandbox, collecting, logReader, observed} from './logged.ts';
import {onAnotherMachine, pass} from './machines.ts';

/** A sandbox with a log, its collector, and readers of the log on its own machine and on another one. */
async function twoMachines(blobs?: Blobs) {
	const server = await createTestServer();
	const sandbox = await addLoggedSandbox(server);
	const own = collecting(server.services, server.database, blobs);
	const collector = createLogCollector(own);
	await collector.renew();
	await collector.claim();
	/** The table of each query of the other server. */
	const reads: string[] = [];
	const database = observed(server.database, table => reads.push(table));
	const other = collecting(onAnotherMachine(server), database, blobs);
	return {
		server,
		sandbox,
		own,
		other,
		reads,
		here: logReader(server, own, sandbox.environmentId),
		there: logReader(server, other, sandbox.environmentId),
		/** Collects what is new. */
		async collect() {
			await collector.claim();
			server.advance(2000);
			await collector.collect();
		},
	};
}

const line = (text: string) => Buffer.from(`${text}\n`);

const segmentBytesOf = async ({database}: TestServer, id: string) => {
	const rows = await database.selectFrom('log_segments').select('bytes').where('sandbox_id', '=', id).execute();
	return rows.reduce((sum, {bytes}) => sum + (bytes?.length ?? 0), 0);
};

test('a server on another machine answers with the same bytes, tag and offsets', async () => {
	const {sandbox, here, there, collect} = await twoMachines();
	expect(await there()).toMatchObject({status: 200, logs: '', offset: '0'});
	for (const text of ['one', 'zwei ü', '😀 three', 'x'.repeat(100_000), 'five']) {
		sandbox.write(line(text));
		await collect();
		const end = Number((await here()).offset);
		for (const after of [undefined, 0, 3, 4, 7, 9, 13, 50_000, end].filter(offset => (offset ?? 0) <= end)) {
			expect(await there(after)).toEqual(await here(after));
		}
	}

	sandbox.write(Buffer.of(0xff, 0xf0, 0x9f));
	await collect();
	const {tag, offset} = await here();
	expect(await there(Number(offset))).toEqual(await here(Number(offset)));
	expect(await there(undefined, {'if-none-match': tag ?? ''})).toMatchObject({status: 304, tag, logs: undefined});
});

test('2,000 followers at as many offsets, one after the other, make the server read each part of a log once', async () => {
	const {server, sandbox, there, reads, collect} = await twoMachines();
	const text = (from: number) => Array.from({length: 500}, (_, index) => `line ${from + index} äöü\n`).join('');
	let whole = Buffer.alloc(0);
	const ask = async (after: number) => {
		const answer = await there(after);
		// A poll looks for its caller and for the end of the log, and never for what was read before.
		return Buffer.from(answer.logs ?? '').equals(whole.subarray(after)) ? Number(answer.offset) : after;
	};
	const seen = Array.from({length: 2000}, () => 0);
	for (let round = 0; round < 4; round += 1) {
		const added = Buffer.from(text(round * 500));
		sandbox.write(added);
		whole = Buffer.concat([whole, added]);
		await collect();
		reads.length = 0;
		for (let first = 0; first < seen.length; first += 100) {
			const some = await Promise.all(
				seen.slice(first, first + 100).map((after, index) => (index % 7 === round ? after : ask(after))),
			);
			seen.splice(first, 100, ...some);
		}

		expect(reads.filter(table => table === 'log_segments')).toHaveLength(1);
		expect(seen.every((offset, index) => offset === whole.length || (index % 100) % 7 === round)).toBe(true);
	}

	// Each request is authorized, however much is known of the log.
	const at = server.services.now().toISOString();
	await server.database.updateTable('api_keys').set({revoked_at: at}).execute();
	expect((await there(0)).status).toBe(401);
});

test('the end of a log is that of its bytes, whoever reads which part of it in which order', async () => {
	const log = Buffer.from(Array.from({length: 1_000_000}, (_, index) => (index * 7) % 251));
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(fc.nat(400_000), fc.nat(300_000), fc.nat(100_000), fc.nat(9)), {maxLength: 30}),
			async reads => {
				const tails = createLogTails();
				let end = 100_000;
				let oldest = 0;
				const works = reads.map(async ([back, length, grown, dropped]) => {
					end = Math.min(log.length, end + grown);
					oldest = dropped === 0 ? Math.max(oldest, end - 300_000) : oldest;
					const extent = {start: oldest, end};
					const start = Math.max(oldest, end - back);
					const range = {start, end: Math.min(end, start + length)};
					const read = async ({start: from, end: to}: LogExtent) =>
						log.subarray(Math.max(from, oldest), Math.max(oldest, to));
					const bytes = await tails.read('log', extent, range, read);
					// What is gone is missing, unless it was read before.
					expect(bytes.equals(log.subarray(range.end - bytes.length, range.end))).toBe(true);
					expect(bytes.length === range.end - range.start || oldest > range.start).toBe(true);
				});
				await Promise.all(works);
			},
		),
		{numRuns: 50},
	);
});

test('what is not collected yet is read on its own machine, and awaited elsewhere', async () => {
	const {sandbox, here, there, collect} = await twoMachines();
	sandbox.write(line('one'));
	await collect();
	sandbox.write(line('two'));
	expect(await here(4)).toMatchObject({logs: 'two\n', offset: '8'});
	// Not the beginning of another log, as an offset past the end would mean.
	expect(await there(8)).toMatchObject({status: 200, logs: '', start: '8', offset: '8'});
	await collect();
	expect(await there(4)).toEqual(await here(4));
});

test('a log says elsewhere that it has ended once its last line has been collected', async () => {
	const {server, sandbox, here, there, collect} = await twoMachines();
	sandbox.write(line('one'));
	await collect();
	sandbox.note('its time limit was reached');
	await sandbox.end();
	expect(await here()).toMatchObject({ended: 'torn_down'});
	expect(await there()).toMatchObject({logs: 'one\n', ended: null});
	await collect();
	expect(await there()).toEqual(await here());
	expect(await there()).toMatchObject({
		logs: 'one\n[sandbox] its time limit was reached\n',
		ended: 'torn_down',
	});
	// Past the end it is a new log, as on its own machine.
	expect(await there(1000)).toEqual(await here(1000));
	server.advance(server.services.sandboxes.policy.logRetentionMs + 1);
	await updateSandboxes(server.services);
	expect(await segmentBytesOf(server, sandbox.id)).toBe(0);
	expect(await there()).toMatchObject({status: 404});
});

test('a sandbox that ended before its first line has an empty log, which says that it has ended', async () => {
	const {sandbox, here, there, collect} = await twoMachines();
	await sandbox.end();
	expect(await here()).toMatchObject({status: 200, logs: '', offset: '0', ended: 'torn_down'});
	await collect();
	expect(await there()).toEqual(await here());
});

test('a log whose files are gone is read from what was collected of it', async () => {
	const {server, sandbox, here, there, collect} = await twoMachines();
	sandbox.write(line('one'));
	await collect();
	await rm(join(server.folder, 'sandboxes', sandbox.id), {recursive: true});
	expect(await here()).toMatchObject({status: 200, logs: 'one\n', offset: '4'});
	expect(await here()).toEqual(await there());
});

test('a sandbox that ended while no server could say so is collected to its end', async () => {
	const {server, sandbox, there} = await twoMachines();
	sandbox.write(line('last'));
	await server.database.updateTable('environments').set({state: 'failed'}).execute();
	await server.database.updateTable('sandboxes').set({state: 'killed'}).execute();
	server.advance(collectorLeaseMs + 1);
	const next = createLogCollector(collecting(server.services));
	await next.renew();
	await next.renew();
	await next.claim();
	await next.collect();
	expect(await there()).toMatchObject({logs: 'last\n', ended: 'failed'});
});

test('2,000 followers of a log share each read of it', async () => {
	const {server, sandbox, other, reads, collect} = await twoMachines();
	sandbox.write(Buffer.concat(Array.from({length: 2000}, (_, index) => line(`line ${index}`))));
	await collect();
	const {workspaceId} = await findProjectOf(server.database);
	const follow = (services: Services) =>
		Promise.all(
			Array.from({length: 2000}, (_, index) =>
				readLog(services, {environmentId: sandbox.environmentId, workspaceId, after: index % 2 === 0 ? 0 : 7}),
			),
		);
	reads.length = 0;
	const collected = await follow(other);
	expect(reads).toEqual(['environments', 'log_segments']);
	// What was read of a log stays, until there is more.
	expect(await follow(other)).toEqual(collected);
	expect(reads).toEqual(['environments', 'log_segments', 'environments']);

	const files: unknown[] = [];
	const {provider} = server.services.sandboxes;
	const counting: SandboxProvider = {
		...provider,
		readLog(id, options) {
			files.push(options.after);
			return provider.readLog(id, options);
		},
	};
	const own = collecting({...server.services, sandboxes: {...server.services.sandboxes, provider: counting}});
	expect(await follow(own)).toEqual(collected);
	expect(files).toEqual([0, 7]);
});

test('the log of a lost machine stays, says so at its end, and goes after a day', async () => {
	const {server, sandbox, there, other, collect} = await twoMachines();
	await createMachineLease(server.services).renew();
	sandbox.write(Buffer.from('one\nhalf a li'));
	await collect();
	const expires_at = server.services.now().toISOString();
	await server.database.updateTable('sandboxes').set({expires_at}).execute();
	sandbox.write(line('ne'));
	const watch = watchMachines(other);
	await watch();
	await pass(server, 2 * (lostAfterMs / 1000), watch);
	const lost = {
		status: 200,
		logs: 'one\nhalf a li\n[server] The machine of its sandbox was lost. Lines before this one may be missing.\n',
		ended: 'torn_down',
	};
	expect(await there()).toMatchObject(lost);
	expect(await there(4)).toMatchObject({start: '4', ended: 'torn_down'});
	server.advance(server.services.sandboxes.policy.logRetentionMs + 1);
	await pass(server, 2 * (lostAfterMs / 1000), watch);
	expect(await there()).toMatchObject({status: 404});
});

test('a lost machine that comes back collects the rest, and every server shows the same', async () => {
	const {server, sandbox, here, there, other, collect} = await twoMachines();
	await createMachineLease(server.services).renew();
	sandbox.write(line('one'));
	await collect();
	sandbox.write(line('two'));
	await sandbox.end();
	const watch = watchMachines(other);
	await watch();
	await pass(server, 2 * (lostAfterMs / 1000), watch);
	expect((await there()).logs).toMatch(/^one\n\[server\] .*\n$/);
	await collect();
	await collect();
	expect((await there()).logs).toMatch(/^one\n\[server\] .*\ntwo\n$/);
	expect(await here()).toEqual(await there());
});

test('a flood is bounded in the database and in memory, and says what was dropped as its files do', async () => {
	const {server, sandbox, here, there, collect} = await twoMachines();
	const megabyte = Buffer.alloc(1024 * 1024, `${'flood '.repeat(20)}\n`);
	for (let round = 0; round < 5; round += 1) {
		sandbox.write(line(`round ${round}`));
		for (let written = 0; written < 20; written += 1) {
			sandbox.write(megabyte);
		}

		await collect();
		expect(await segmentBytesOf(server, sandbox.id)).toBeLessThanOrEqual(maxLogBytes + maxWindowBytes);
	}

	sandbox.write(line('over'));
	await sandbox.end();
	for (let pass = 0; pass < 12; pass += 1) {
		await collect();
	}

	const [first, own] = [await there(0), await here(0)];
	expect(first.start).toBe(own.start);
	expect(Number(first.start)).toBeGreaterThan(90_000_000);
	for (let after = Number(first.offset); ; ) {
		const answer = await there(after);
		expect(answer).toEqual(await here(after));
		if (answer.logs === '') {
			break;
		}

		after = Number(answer.offset);
	}

	expect(await there()).toEqual(await here());
	expect(await segmentBytesOf(server, sandbox.id)).toBeLessThanOrEqual(maxLogBytes + maxWindowBytes);
});

test('with a bucket, a log moves there as it grows, is read from there, and is removed from there', async () => {
	const store = await startS3();
	const bucket = parseBucket(`s3://art?endpoint=${store.url}&region=${keys.region}`, {
		AWS_ACCESS_KEY_ID: keys.accessKeyId,
		AWS_SECRET_ACCESS_KEY: keys.secret,
	});
	const blobs = createS3Blobs(bucket, {now: () => new Date(), log: () => {}});
	const {server, own, sandbox, here, there, collect} = await twoMachines(blobs);
	const text = Buffer.concat(Array.from({length: 3000}, (_, index) => line(`${index} ${'ü'.repeat(100)}`)));
	for (let round = 0; round < 20; round += 1) {
		sandbox.write(text);
		await collect();
		await collect();
	}

	// What takes longer than a second continues beside what is collected next.
	await expect
		.poll(async () => {
			await collect();
			return store.objects.size > 5 && (await segmentBytesOf(server, sandbox.id)) < 2 * 1024 * 1024;
		})
		.toBe(true);
	expect(store.objects.size).toBeLessThan(12);
	for (const after of [undefined, 0, 6_000_000, 8_123_456, 11_999_999]) {
		expect(await there(after)).toEqual(await here(after));
	}

	await sandbox.end();
	await collect();
	server.advance(server.services.sandboxes.policy.logRetentionMs + 1);
	await updateSandboxes(own);
	expect([...store.objects.keys()]).toEqual([]);
	expect(store.requests.filter(request => !/^(?:PUT|GET|DELETE) 20/.test(request))).toEqual([]);
});

import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Database} from '../../../src/server/database/tables.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {collectorLeaseMs, createLogCollector} from '../../../src/server/sandboxes/log-collector.ts';
import {readStoredLog} from '../../../src/server/sandboxes/log-store.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {addLoggedSandbox, collecting, observed} from './logged.ts';

const part = 64;
const maxBytes = 8 * part;

const rowOf = ({database}: TestServer, id: string) =>
	database.selectFrom('sandbox_logs').selectAll().where('sandbox_id', '=', id).executeTakeFirstOrThrow();

/** Lets a new collector take over once every lease has ended, and collect until nothing is left. */
async function finish(server: TestServer, services: Services, ids: readonly string[], bytes?: number): Promise<void> {
	server.advance(collectorLeaseMs + 1);
	const last = createLogCollector(services, bytes === undefined ? {} : {maxBytes: bytes});
	await last.renew();
	for (let isComplete = false; !isComplete; ) {
		await last.claim();
		await last.collect();
		server.advance(2000);
		isComplete = (await Promise.all(ids.map(id => rowOf(server, id)))).every(({state}) => state === 'complete');
	}
}

/**
 * Expects that windows of what was collected are those of the files, whatever their offset. What a collector was too late for
 * is missing at the beginning.
 */
async function expectSame(server: TestServer, id: string, offsets: readonly number[]): Promise<void> {
	const {provider} = server.services.sandboxes;
	const row = await rowOf(server, id);
	const [oldest = ''] = (await readdir(join(server.folder, 'sandboxes', id, 'log'))).sort();
	const isWhole = row.start_offset === Number.parseInt(oldest, 10);
	for (const after of [undefined, 0, row.start_offset, row.end_offset, row.end_offset + 9, ...offsets]) {
		const stored = await readStoredLog({database: server.database, blobs: undefined}, id, row, after);
		const isLate = !isWhole && after !== undefined && after <= row.start_offset;
		const from = isLate ? Math.max(stored.start, row.start_offset + 1) : after;
		const file = (await provider.readLog(id, {after: from})) ?? {text: '', start: 0, offset: 0};
		if (isLate && stored.start <= row.start_offset) {
			continue;
		}

		expect({after, ...stored, bytes: undefined}).toEqual({after, ...file, bytes: undefined});
	}
}

/** Pieces of text that may end inside a character, and other bytes. */
const anyBytes = fc.oneof(
	fc.uint8Array({minLength: 1, maxLength: 40}).map(bytes => Buffer.from(bytes)),
	fc
		.tuple(fc.string({unit: 'binary', minLength: 1, maxLength: 60}), fc.nat(240))
		.map(([text, cut]) => Buffer.from(`${text}\n`).subarray(0, Math.max(1, cut))),
	fc.constantFrom('line\n', '\n', 'é', '😀'.repeat(3), '\n\n').map(text => Buffer.from(text)),
);

type Act =
	| {readonly name: 'write'; readonly sandbox: number; readonly bytes: Buffer}
	| {readonly name: Other; readonly server: number; readonly at: number};
type Other = 'collect' | 'claim' | 'renew' | 'kill' | 'killInside' | 'loseAnswer' | 'all' | 'wait';

const anyAct: fc.Arbitrary<Act> = fc.oneof(
	{weight: 3, arbitrary: fc.record({name: fc.constant('write' as const), sandbox: fc.nat(1), bytes: anyBytes})},
	{
		weight: 4,
		arbitrary: fc.record({
			name: fc.constantFrom<Other>(
				...(['collect', 'collect', 'all', 'claim', 'renew', 'kill', 'killInside', 'loseAnswer', 'wait'] as const),
			),
			server: fc.nat(2),
			at: fc.nat(8),
		}),
	},
);

/** A collector on a server of its own, which can end at any of its queries. */
function startCollector(server: TestServer, database: Database) {
	let left = Number.POSITIVE_INFINITY;
	let losesAnswers = false;
	const seen = observed(database, () => {
		left -= 1;
		if (left < 0) {
			throw new Error('killed');
		}
	});
	const transaction = seen.transaction.bind(seen);
	const view = new Proxy(seen, {
		get(target, name) {
			if (name !== 'transaction') {
				const value: unknown = Reflect.get(target, name);
				return typeof value === 'function' ? value.bind(target) : value;
			}

			return () => ({
				async execute<T>(work: Parameters<ReturnType<typeof transaction>['execute']>[0]) {
					const result = await transaction().execute(work);
					if (losesAnswers) {
						throw new Error('answer lost');
					}

					return result as T;
				},
			});
		},
	});
	return {
		collector: createLogCollector(collecting(server.services, view), {maxBytes}),
		dieAfter(queries: number) {
			left = queries;
		},
		loseAnswers(isLosing: boolean) {
			losesAnswers = isLosing;
		},
	};
}

test('an append whose answer was lost is not repeated, and one that another collector made neither', async () => {
	const server = await createTestServer();
	const sandbox = await addLoggedSandbox(server);
	const [first, second] = [startCollector(server, server.database), startCollector(server, server.database)];
	await first.collector.renew();
	await first.collector.claim();
	sandbox.write(Buffer.from('one\n'));
	first.loseAnswers(true);
	await first.collector.collect();
	first.loseAnswers(false);
	expect(await rowOf(server, sandbox.id)).toMatchObject({collected: 4});
	server.advance(2000);
	await first.collector.collect();
	await expectSame(server, sandbox.id, []);
	sandbox.write(Buffer.from('two\n'));
	// Its lease ends while it stands still.
	server.advance(collectorLeaseMs + 1);
	await second.collector.renew();
	await second.collector.claim();
	await Promise.all([first.collector.collect(), second.collector.collect()]);
	await expectSame(server, sandbox.id, []);
	expect(await rowOf(server, sandbox.id)).toMatchObject({collected: 8, end_offset: 8});
});

test('however servers end, stall and collect at once, no byte of a log is lost or doubled', async () => {
	const server = await createTestServer();
	const ignore = async (work: Promise<void>) => await work.catch(() => undefined);
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyAct, {minLength: 5, maxLength: 60}),
			fc.array(fc.nat(2000), {maxLength: 8}),
			async (acts, offsets) => {
				const sandboxes = [
					await addLoggedSandbox(server, {segmentBytes: part}),
					await addLoggedSandbox(server, {segmentBytes: part}),
				];
				const servers = Array.from({length: 3}, () => startCollector(server, server.database));
				for (const {collector} of servers) {
					await collector.renew();
					await collector.claim();
				}

				for (const act of acts) {
					if (act.name === 'write') {
						sandboxes[act.sandbox]?.write(act.bytes);
						continue;
					}

					const chosen = servers[act.server] ?? startCollector(server, server.database);
					const {collector} = chosen;
					server.advance(act.name === 'wait' ? collectorLeaseMs / 2 : 1000);
					switch (act.name) {
						case 'collect':
						case 'claim':
						case 'renew':
							await ignore(collector[act.name]());
							break;
						case 'all':
							await Promise.all(servers.map(each => ignore(each.collector.collect())));
							break;
						case 'kill':
							servers[act.server] = startCollector(server, server.database);
							break;
						case 'killInside':
							chosen.dieAfter(act.at);
							await ignore(collector.collect());
							servers[act.server] = startCollector(server, server.database);
							break;
						case 'loseAnswer':
							chosen.loseAnswers(true);
							await ignore(collector.collect());
							chosen.loseAnswers(false);
							break;
						default:
							break;
					}
				}

				await Promise.all(sandboxes.map(each => each.end()));
				const ids = sandboxes.map(({id}) => id);
				await finish(server, collecting(server.services), ids, maxBytes);
				for (const id of ids) {
					await expectSame(server, id, offsets);
				}
			},
		),
		{numRuns: 50},
	);
});

test('logs that an engine doesn’t answer for keep no other one waiting, however many those are', async () => {
	const server = await createTestServer();
	const [silent, quick] = [
		await Promise.all(Array.from({length: 20}, () => addLoggedSandbox(server))),
		await Promise.all(Array.from({length: 20}, () => addLoggedSandbox(server))),
	];
	const services = collecting(server.services);
	const {provider} = services.sandboxes;
	const stalled = new Set<string>(silent.map(({id}) => id));
	let release = () => {};
	const answered = new Promise<void>(resolve => {
		release = resolve;
	});
	let asked = 0;
	const readLog: typeof provider.readLog = async (id, options) => {
		if (stalled.has(id)) {
			asked += 1;
			await answered;
		}

		return await provider.readLog(id, options);
	};
	const sandboxes = {...services.sandboxes, provider: {...provider, readLog}};
	const collector = createLogCollector({...services, sandboxes});
	await collector.renew();
	await collector.claim();
	const collected = async (of: readonly {readonly id: string}[]) =>
		(await Promise.all(of.map(({id}) => rowOf(server, id)))).map(row => row.collected);
	for (let round = 1; round <= 2; round += 1) {
		for (const {write} of quick) {
			write(Buffer.from('line\n'));
		}

		server.advance(3000);
		await collector.collect();
		expect(await collected(quick)).toEqual(quick.map(() => 5 * round));
	}

	// Each is asked for once until it answers.
	expect(asked).toBe(silent.length);
	for (const {write} of silent) {
		write(Buffer.from('late\n'));
	}

	release();
	for (let count = 0; count < 20; count += 1) {
		server.advance(3000);
		await collector.collect();
	}

	expect(await collected(silent)).toEqual(silent.map(() => 5));
	await collector.release();
});

test('a collector that ends waits for no log that an engine doesn’t answer for, and says nothing of it', async () => {
	const server = await createTestServer();
	await addLoggedSandbox(server);
	const said: unknown[] = [];
	const services = collecting(server.services);
	const {provider} = services.sandboxes;
	let fail: (error: Error) => void = () => undefined;
	const answered = new Promise<never>((_, reject) => {
		fail = reject;
	});
	let asked: Promise<unknown> = Promise.resolve();
	const readLog: typeof provider.readLog = () => {
		asked = answered;
		return answered;
	};
	const sandboxes = {...services.sandboxes, provider: {...provider, readLog}};
	const collector = createLogCollector({...services, sandboxes, log: line => said.push(line)});
	await collector.renew();
	await collector.claim();
	await collector.collect();
	await collector.release();
	fail(new Error('closed'));
	await expect(asked).rejects.toThrow('closed');
	await collector.collect();
	expect(said).toEqual([]);
});

import {randomUUID} from 'node:crypto';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {AppError} from '../../../../src/core/error.ts';
import type {SandboxProvider} from '../../../../src/server/sandboxes/provider.ts';
import {createRandom} from '../../../faults/fault.ts';
import {engineProxy} from '../docker/engine-proxy.ts';
import {engineSandboxes, hasPodman, type Podman, podmanReason, startPodman} from '../docker/podman.ts';
import {clusterSandboxes} from '../kubernetes/cluster-sandboxes.ts';
import {simulateContainers} from '../kubernetes/simulated-container.ts';
import {stubCluster} from '../kubernetes/stub-cluster.ts';
import {type EngineFault, engineFaults} from './engine-fault.ts';
import type {World} from './places.ts';

/** An engine to whose requests something can happen: `faultOf` is told the name of each. */
type FaultyEngine = {
	readonly name: string;
	readonly skipped: string;
	/** Starts it. Returns what connects a server, to whose requests alone a fault happens. */
	readonly open: () => Promise<Connect>;
	/** At how many requests of each act it stalls. */
	readonly stalls: number;
};

type Connect = (
	faultOf?: (name: string) => EngineFault | undefined,
	timeoutMs?: number,
) => Promise<Pick<World, 'provider' | 'shell'>>;

/** How long a request may take for the server whose engine stalls. What that server alone does may fail for its haste. */
const stallMs = 1000;

let podman: Podman | undefined;

const engines: readonly FaultyEngine[] = [
	{
		name: 'Podman',
		skipped: podmanReason,
		open:
			async () =>
			async (faultOf = () => undefined, timeoutMs) =>
				engineSandboxes(await engineProxy(podman?.socket ?? '', faultOf), {timeoutMs}),
		stalls: 1,
	},
	{
		name: 'Kubernetes',
		skipped: '',
		stalls: 2,
		async open() {
			const {startContainer} = simulateContainers();
			let faults = (_name: string): EngineFault | undefined => undefined;
			const fault = (method: string, path: string, _url: URL, who?: string) =>
				who === 'faulty' ? faults(`${method} ${path}`) : undefined;
			const cluster = await stubCluster({startContainer, hasSandboxes: true, fault});
			return async (faultOf, timeoutMs) => {
				faults = faultOf ?? faults;
				return await clusterSandboxes(cluster, {timeoutMs, who: faultOf && 'faulty'});
			};
		},
	},
];

/** Connects a server to an engine, and returns what counts its requests, and lets something happen to one of those to come. */
async function faulty(connect: Connect, timeoutMs?: number) {
	let asked: string[] = [];
	let next: {readonly at: number; readonly fault: EngineFault} | undefined;
	const world = await connect(name => {
		asked.push(name);
		// An engine that stalls answers nothing else, either.
		const isNow = next && (next.fault.answer === 'nothing' ? asked.length > next.at : asked.length - 1 === next.at);
		return next && next.at >= 0 && isNow ? next.fault : undefined;
	}, timeoutMs);
	/** Does something with a fault at one of its requests. Returns what it asked, and why it failed. */
	const during = async (work: () => Promise<unknown>, at = -1, fault: EngineFault = {}) => {
		asked = [];
		next = {at, fault};
		const error = await work().then(
			() => undefined,
			(thrown: unknown) => thrown,
		);
		next = undefined;
		return {asked, error};
	};
	return {...world, during};
}

/** Whatever happens, the server is told in a sentence what failed, by whom. */
const isSaid = (error: unknown) =>
	error instanceof AppError &&
	['network', 'failed'].includes(error.code) &&
	/^(?:Docker|Kubernetes|The sandbox|This server).*[.]$/.test(error.message);

const seed = 20_261_130;

for (const engine of engines) {
	describe.skipIf(engine.skipped !== '')(`${engine.name}${engine.skipped}`, () => {
		beforeAll(async () => {
			podman ??= hasPodman ? await startPodman() : undefined;
		});
		afterAll(async () => {
			await podman?.close();
			podman = undefined;
		});

		test(`whatever happens to any request of a start is said, leaves nothing behind, and the next start runs (seed ${seed})`, async () => {
			const random = createRandom(seed);
			const {provider, shell, during} = await faulty(await engine.open());
			await provider.machine();
			const begin = (id: string) => () => shell('echo begun; exec sleep 1000', {id});
			const first = randomUUID();
			const {asked, error: none} = await during(begin(first));
			expect([none, asked.length > 5]).toEqual([undefined, true]);
			await provider.remove(first);
			for (const [at, name] of asked.entries()) {
				const [id, fault] = [randomUUID(), random.pick(engineFaults)];
				const what = `${at} ${name} ${JSON.stringify(fault)}`;
				const {error} = await during(begin(id), at, fault);
				if (error !== undefined) {
					expect([what, isSaid(error), String(error)]).toEqual([what, true, String(error)]);
					expect([what, await provider.inspect(id)]).toEqual([what, {kind: 'gone'}]);
					expect((await provider.list()).map(each => each.id)).not.toContain(id);
					expect([what, (await during(begin(id))).error]).toEqual([what, undefined]);
				}

				// An engine that lies that it has the files lets the sandbox end without them.
				const kinds = fault.answer === 'garbage' ? ['running', 'ended'] : ['running'];
				expect([what, kinds]).toEqual([what, expect.arrayContaining([(await provider.inspect(id)).kind])]);
				await provider.remove(id);
				expect([what, await provider.inspect(id)]).toEqual([what, {kind: 'gone'}]);
			}
		});

		test(`whatever happens to any request about a sandbox is said, and changes nothing that the next one doesn’t see (seed ${seed})`, async () => {
			const random = createRandom(seed);
			const {provider, shell, during} = await faulty(await engine.open());
			const id = await shell('echo begun; exec sleep 1000');
			const deadline = {after: 60_000, action: 'end'} as const;
			const acts: readonly (readonly [work: () => Promise<unknown>, then: string])[] = [
				[() => provider.inspect(id), 'running'],
				[() => provider.list(), 'running'],
				[() => provider.readLog(id, {after: 0}), 'running'],
				[() => provider.isListening(id, 8080), 'running'],
				[() => provider.pause(id), 'paused'],
				[() => provider.resume(id, deadline), 'running'],
				[() => provider.note(id, 'note'), 'running'],
				[() => provider.end(id), 'ended'],
				[() => provider.readLog(id, {after: 0, hasEnded: true}), 'ended'],
				[() => provider.remove(id), 'gone'],
			];
			for (const [work, kind] of acts) {
				for (let at = 0; ; at += 1) {
					const fault = random.pick(engineFaults);
					const {asked, error} = await during(work, at, fault);
					const what = `${work} ${at} ${asked[at]} ${JSON.stringify(fault)}`;
					expect([what, error === undefined || isSaid(error), String(error)]).toEqual([what, true, String(error)]);
					if (at >= asked.length) {
						break;
					}
				}

				expect((await during(work)).error).toBeUndefined();
				expect([`${work}`, (await provider.inspect(id)).kind]).toEqual([`${work}`, kind]);
			}
		});

		test(`an engine that accepts requests of a server and answers none, from any of an act on, is said, and another server goes on (seed ${seed})`, async () => {
			const random = createRandom(seed);
			const connect = await engine.open();
			const {provider: other} = await connect();
			const {during, provider: stalled} = await faulty(connect, stallMs);
			await other.machine();
			const id = randomUUID();
			const deadline = {after: 3_600_000, action: 'end'} as const;
			const command = {name: 'command', command: ['sh', '-c', 'echo begun; exec sleep 1000']};
			const start = {id, organization: randomUUID(), files: new Map(), build: [], command, environment: {}, deadline};
			const acts: readonly (readonly [
				name: string,
				work: (by: SandboxProvider) => Promise<unknown>,
				before: string,
				then: string,
			])[] = [
				['start', by => by.start(start), 'gone', 'running'],
				['log', by => by.readLog(id, {after: 0}), 'running', 'running'],
				['pause', by => by.pause(id), 'running', 'paused'],
				['resume', by => by.resume(id, deadline), 'paused', 'running'],
				['end', by => by.end(id), 'running', 'ended'],
				['remove', by => by.remove(id), 'ended', 'gone'],
			];
			for (const [name, work, before, then] of acts) {
				for (let stall = 0, count = 1; stall < engine.stalls; stall += 1) {
					const at = random.below(count);
					const {asked, error} = await during(() => work(stalled), at, {answer: 'nothing'});
					const what = `${name} ${at} ${asked[at]}`;
					expect([what, error === undefined || isSaid(error), String(error)]).toEqual([what, true, String(error)]);
					count = Math.max(count, asked.length + 1);
					// Whatever it has done before, or while nobody heard of it.
					expect([before, then, 'gone']).toContain((await other.inspect(id)).kind);
				}

				if (name === 'start') {
					await other.remove(id);
				}

				await work(other);
				// What the cluster tells of a change comes a moment after its answer.
				await expect.poll(async () => [name, (await other.inspect(id)).kind], {interval: 25}).toEqual([name, then]);
			}
		});
	});
}

import {randomUUID} from 'node:crypto';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {AppError} from '../../../../src/core/error.ts';
import type {EngineFault} from '../providers/engine-fault.ts';
import {clusterSandboxes} from './cluster-sandboxes.ts';
import {simulateContainers} from './simulated-container.ts';
import {stubCluster} from './stub-cluster.ts';

/** What happens to the cluster between two steps of a server, and to its next requests. */
const disturbances = fc.constantFrom(
	...([
		'cut watches',
		'compact',
		'cut connections',
		'bookmark',
		'fail',
		'conflict',
		'lose answers',
		'break',
		'nothing',
	] as const),
);

type Disturbance = typeof disturbances extends fc.Arbitrary<infer Value> ? Value : never;

type State = 'running' | 'paused' | 'ended' | 'gone' | 'unknown';

const steps = fc.array(
	fc.record({
		act: fc.constantFrom('start again', 'end', 'inspect', 'pause', 'resume', 'note', 'remove'),
		which: fc.nat(3),
		before: disturbances,
		failures: fc.nat(4),
	}),
	{minLength: 4, maxLength: 10},
);

test('watch cuts, compaction, conflicts, lost answers and failures never lose a sandbox, nor start one twice', async () => {
	let known = 0;
	let failed = 0;
	await fc.assert(
		fc.asyncProperty(steps, fc.boolean(), async (plan, hasSandboxes) => {
			const {startContainer, started} = simulateContainers();
			let faults: EngineFault[] = [];
			const cluster = await stubCluster({
				startContainer,
				hasSandboxes,
				fault: (method, path) => (path.includes('/log') || path === '/version' ? undefined : faultFor(method)),
			});
			const faultFor = (method: string): EngineFault | undefined => {
				const [fault] = faults;
				// A conflict is the answer to a change.
				if (!fault || (fault.status === 409 && method !== 'PATCH')) {
					return undefined;
				}

				faults = faults.slice(1);
				return fault;
			};
			const disturb = (what: Disturbance, count: number) => {
				const acts: Partial<Record<Disturbance, () => void>> = {
					'cut watches': cluster.cutWatches,
					'cut connections': cluster.cutConnections,
					bookmark: cluster.bookmark,
					compact() {
						cluster.compact();
						cluster.cutWatches();
					},
				};
				const failing: Partial<Record<Disturbance, EngineFault>> = {
					fail: {status: 500},
					conflict: {status: 409},
					'lose answers': {break: 'after'},
					break: {break: 'before'},
				};
				acts[what]?.();
				const fault = failing[what];
				faults = fault ? Array.from({length: count}, () => fault) : [];
			};
			const servers = [await clusterSandboxes(cluster), await clusterSandboxes(cluster)];
			for (const {provider} of servers) {
				await provider.list();
			}

			/** What each sandbox must be, by what was done with it and has succeeded; undefined after a failure. */
			const ids = Array.from({length: 4}, () => randomUUID());
			const expected = new Map<string, State>();
			const canPause = (state: State | undefined) => hasSandboxes && state === 'running';
			for (const [index, {act: chosen, which, before, failures}] of plan.entries()) {
				const server = servers[index % servers.length];
				const id = ids[which] ?? '';
				const state = expected.get(id);
				if (!server) {
					continue;
				}

				const act = state === undefined ? 'start' : chosen;

				disturb(before, failures);
				const {provider, start} = server;
				const acts: Record<typeof act, readonly [run: () => Promise<unknown>, next: State | undefined]> = {
					start: [() => start(['sh'], {id}), 'running'],
					'start again': [async () => state === 'running' && (await start(['sh'], {id})), state],
					end: [() => provider.end(id), state === 'paused' || state === 'gone' ? 'gone' : 'ended'],
					inspect: [() => provider.inspect(id), state],
					pause: [async () => canPause(state) && (await provider.pause(id)), canPause(state) ? 'paused' : state],
					resume: [
						async () => state === 'paused' && (await provider.resume(id, {after: 1000, action: 'pause'})),
						state === 'paused' ? 'running' : state,
					],
					note: [() => provider.note(id, 'x'), state],
					remove: [() => provider.remove(id), 'gone'],
				};
				const [run, next = 'unknown'] = acts[act];
				try {
					await run();
					expected.set(id, state === 'unknown' && next !== 'gone' ? 'unknown' : next);
					known += 1;
				} catch (error) {
					expect(error).toBeInstanceOf(AppError);
					// A server that failed tries again later; a start that failed has cleaned up, or is found by the list.
					expected.set(id, 'unknown');
					failed += 1;
				}
			}

			disturb('nothing', 0);
			for (const [id, state] of expected) {
				if (state !== 'unknown') {
					// A server may not have heard yet what another has just done.
					for (const {provider} of servers) {
						await expect.poll(async () => [id, (await provider.inspect(id)).kind]).toEqual([id, state]);
					}
				}
			}

			// Every pod began at most once, and no two of one sandbox ran at the same time.
			for (const container of started) {
				expect(container.begins).toBeLessThanOrEqual(1);
			}

			for (const id of ids) {
				const live = started.filter(
					({spec, hasEnded, begins}) => spec.env['SANDBOX_ID'] === id && begins > 0 && !hasEnded,
				);
				expect(live.length).toBeLessThanOrEqual(1);
				// What has processes is listed, so that a server that doesn't know it ends it.
				if (live.length > 0) {
					expect((await servers[0]?.provider.list())?.map(each => each.id)).toContain(id);
				}
			}

			expect(cluster.violations).toEqual([]);
			for (const {provider} of servers) {
				for (const id of ids) {
					await provider.remove(id);
				}
			}

			expect(started.filter(({hasEnded}) => !hasEnded)).toEqual([]);
			expect((await servers[0]?.provider.list()) ?? []).toEqual([]);
		}),
		{numRuns: 6},
	);
	// Most steps succeed, so that what is expected after them is known.
	expect(known).toBeGreaterThan(failed);
});

import {randomUUID} from 'node:crypto';
import type {KyselyPlugin} from 'kysely';
import type {Services} from '../../../src/server/handlers/services.ts';
import {windowOf} from '../../../src/server/sandboxes/log-window.ts';
import type {SandboxProvider, SandboxState} from '../../../src/server/sandboxes/provider.ts';
import type {TestServer} from '../harness.ts';

export type Simulated = {
	readonly provider: SandboxProvider;
	/** What each sandbox does; those that were never started here are missing. */
	readonly states: Map<string, SandboxState>;
	/** The whole log of each sandbox that has one. */
	readonly logs: Map<string, Buffer>;
};

const requested: SandboxState = {kind: 'ended', step: 'command', status: null, requested: true};

/** Creates an engine of sandboxes without processes, for more of them than a machine has room for. */
export function simulateEngine(machine: string = randomUUID()): Simulated {
	const states = new Map<string, SandboxState>();
	const logs = new Map<string, Buffer>();
	const set = (id: string, state: SandboxState) => void (states.has(id) && states.set(id, state));
	return {
		states,
		logs,
		provider: {
			name: 'simulated',
			supportsPause: true,
			isShared: false,
			refusalOf: () => undefined,
			choosePort: async index => 8000 + index,
			serviceAddress: async (_, port) => ({host: '127.0.0.1', port}),
			list: async () => [],
			close: async () => undefined,
			machine: async () => machine,
			unavailableReason: async () => undefined,
			summary: async () => 'simulated',
			start: async ({id}) => void states.set(id, {kind: 'running'}),
			inspect: async id => states.get(id) ?? {kind: 'gone'},
			pause: async id => set(id, {kind: 'paused'}),
			resume: async id => set(id, {kind: 'running'}),
			isListening: async () => true,
			end: async id => set(id, requested),
			remove: async id => void states.delete(id),
			note: async () => undefined,
			readLog: async (id, {after}) => {
				const log = logs.get(id);
				return log && (await windowOf({start: 0, end: log.length}, async (from, to) => log.subarray(from, to), after));
			},
		},
	};
}

/** Returns the services of a server with this engine, maybe of another host. */
export function onEngine({services}: TestServer, {provider}: Simulated, host = services.sandboxes.host): Services {
	return {...services, sandboxes: {...services.sandboxes, provider, host}};
}

/** Adds environments that have run for a moment, and are ready until their deadline, which is seconds away. */
export async function addReady(
	{database, services, owner}: TestServer,
	{provider, states}: Simulated,
	{count, seconds}: {readonly count: number; readonly seconds: number},
): Promise<readonly string[]> {
	const {id: workspace_id, organization_id} = await database
		.selectFrom('workspaces')
		.select(['id', 'organization_id'])
		.executeTakeFirstOrThrow();
	const at = services.now();
	const machine = await provider.machine();
	const shared = {
		organization_id,
		created_by: owner.id,
		created_at: at.toISOString(),
		expires_at: new Date(at.getTime() + seconds * 1000).toISOString(),
	};
	const ids = Array.from({length: count}, () => randomUUID());
	for (let from = 0; from < count; from += 500) {
		const some = ids.slice(from, from + 500);
		const sandboxes = some.map(id => ({
			...shared,
			...{id, provider: 'simulated', provider_sandbox_id: id, machine, state: 'running' as const, past_seconds: 0},
			...{running_since: shared.created_at, billed_credits: 1, startup_timing: '{}'},
		}));
		await database.insertInto('sandboxes').values(sandboxes).execute();
		const environments = some.map(id => ({
			...shared,
			...{id: randomUUID(), sandbox_id: id, workspace_id, task_ref: 'idle', state: 'ready' as const, inputs: '{}'},
			...{model_overrides: '{}', service_urls: '{}', updated_at: shared.created_at},
		}));
		await database.insertInto('environments').values(environments).execute();
	}

	for (const id of ids) {
		states.set(id, {kind: 'running'});
	}

	return ids;
}

/** Returns services whose database counts its queries. */
export function countingQueries<Given extends Services>(services: Given): {services: Given; count: () => number} {
	let count = 0;
	const plugin: KyselyPlugin = {
		transformQuery: ({node}) => node,
		async transformResult({result}) {
			count++;
			return result;
		},
	};
	return {services: {...services, database: services.database.withPlugin(plugin)}, count: () => count};
}

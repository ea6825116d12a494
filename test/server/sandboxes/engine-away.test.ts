import {expect, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {grantCredits} from '../../../src/server/credits/account.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {endOrphans} from '../../../src/server/sandboxes/orphans.ts';
import type {SandboxProvider} from '../../../src/server/sandboxes/provider.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, send} from '../harness.ts';
import {balanceOf} from './machines.ts';
import {simulateEngine} from './simulated.ts';
import {addTask} from './task-folder.ts';

const gift = 100;
const refusal = 'Docker’s API at unix:///x doesn’t answer: nothing listens there.';

/** A server on an engine that can go away: before it does what it is asked, or after, without an answer. */
async function withEngine() {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	const engine = simulateEngine();
	const outage: {kind: 'none' | 'before' | 'after' | 'resume'} = {kind: 'none'};
	const away = async <Result>(work: () => Promise<Result>): Promise<Result> => {
		if (outage.kind === 'before') {
			throw new AppError('network', refusal);
		}

		const result = await work();
		if (outage.kind === 'after') {
			outage.kind = 'before';
			throw new AppError('network', refusal);
		}

		return result;
	};
	const {organization_id: organization} = await server.database
		.selectFrom('workspaces')
		.select('organization_id')
		.executeTakeFirstOrThrow();
	const {provider: inner, states} = engine;
	const provider: SandboxProvider = {
		...inner,
		isShared: true,
		start: spec => away(() => inner.start(spec)),
		inspect: id => away(() => inner.inspect(id)),
		end: id => away(() => inner.end(id)),
		resume: (id, deadline) => {
			outage.kind = outage.kind === 'resume' ? 'before' : outage.kind;
			return away(() => inner.resume(id, deadline));
		},
		pause: id => away(() => inner.pause(id)),
		note: (id, line) => away(() => inner.note(id, line)),
		list: () =>
			away(async () =>
				[...states].map(([id, {kind}]) => ({id, organization, hasEnded: kind === 'ended', isFull: false})),
			),
	};
	const services = {...server.services, sandboxes: {...server.services.sandboxes, provider, collectsLogs: true}};
	const given = {organizationId: organization, amount: gift, reason: 'gift', now: services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, given));
	const app = createApp({services});
	return {
		server,
		services,
		outage,
		states,
		ask: (method: string, path: string, body?: unknown) =>
			send(app, `${inWorkspace}${path}`, {method, key: server.owner.key, ...(body !== undefined && {body})}),
		sandboxStates: async () =>
			(await server.database.selectFrom('sandboxes').select('state').execute()).map(({state}) => state),
	};
}

test.each(['before', 'after'] as const)(
	'an environment whose engine goes away %s its start fails, costs nothing, and is ended on the engine later',
	async kind => {
		const {server, services, outage, states, ask, sandboxStates} = await withEngine();
		outage.kind = kind;
		const made = await ask('POST', '/environments', {task_ref: 'sleeper', timeout_sec: 600});
		expect([made.status, made.json.state, made.json.error]).toEqual([200, 'failed', refusal]);
		expect([await sandboxStates(), await balanceOf(server)]).toEqual([['killed'], gift]);
		const log = await ask('GET', `/environments/${made.json.id}/logs`);
		expect([log.json.logs, log.headers.get('x-log-ended')]).toEqual([`[server] ${refusal}\n`, 'failed']);

		outage.kind = 'none';
		await endOrphans(services);
		expect([...states.values()].map(each => each.kind)).toEqual(kind === 'after' ? ['ended'] : []);
	},
);

test('an environment whose server was killed while the engine was away fails after the time for a start', async () => {
	const {server, services, outage, ask, sandboxStates} = await withEngine();
	const {id} = (await ask('POST', '/environments', {task_ref: 'sleeper', timeout_sec: 600})).json;
	// As the other server left them.
	await server.database.updateTable('environments').set({state: 'building'}).where('id', '=', id).execute();
	await server.database.updateTable('sandboxes').set({billed_before_start: 0}).execute();
	outage.kind = 'before';
	server.advance(59_000);
	await updateSandboxes(services);
	const stateOf = async () => (await ask('GET', `/environments/${id}`)).json;
	expect((await stateOf()).state).toBe('building');
	server.advance(1000);
	await updateSandboxes(services);
	expect(await stateOf()).toMatchObject({state: 'failed', error: `It did not start within 60 s. ${refusal}`});
	expect([await sandboxStates(), await balanceOf(server)]).toEqual([['killed'], gift]);
	outage.kind = 'none';
	await endOrphans(services);
	expect((await services.sandboxes.provider.list()).map(({hasEnded}) => hasEnded)).toEqual([true]);
});

test('one that runs ends at its deadline in the database, and whoever ends it before is told that the engine is away', async () => {
	const {server, services, outage, states, ask, sandboxStates} = await withEngine();
	const {id} = (await ask('POST', '/environments', {task_ref: 'sleeper', timeout_sec: 600})).json;
	outage.kind = 'before';
	const stopped = await ask('POST', `/environments/${id}/stop`);
	expect([stopped.status, stopped.json.detail]).toEqual([502, refusal]);
	server.advance(300_000);
	await updateSandboxes(services);
	expect((await ask('GET', `/environments/${id}`)).json.state).toBe('ready');
	server.advance(300_000);
	await updateSandboxes(services);
	expect((await ask('GET', `/environments/${id}`)).json.state).toBe('torn_down');
	expect([await sandboxStates(), await balanceOf(server)]).toEqual([['killed'], gift - 10]);
	outage.kind = 'none';
	await endOrphans(services);
	expect([...states.values()].map(each => each.kind)).toEqual(['ended']);
});

test('a runtime whose engine goes away is not started, and one that was paused stays so', async () => {
	const {server, services, outage, states, ask, sandboxStates} = await withEngine();
	await ask('POST', '/runtimes', {key: 'dev', task_ref: 'sleeper', timeout_sec: 60});
	outage.kind = 'before';
	expect((await ask('POST', '/runtimes/dev/resume')).status).toBe(502);
	expect([await sandboxStates(), await balanceOf(server)]).toEqual([['killed'], gift]);

	outage.kind = 'none';
	expect((await ask('POST', '/runtimes/dev/resume')).json.status).toBe('running');
	server.advance(60_000);
	await updateSandboxes(services);
	for (const kind of ['before', 'resume'] as const) {
		outage.kind = kind;
		expect((await ask('POST', '/runtimes/dev/resume')).status).toBe(502);
	}

	expect((await ask('GET', '/runtimes/dev')).json).toMatchObject({status: 'paused', instance: {state: 'paused'}});
	expect(await balanceOf(server)).toBe(gift - 1);
	outage.kind = 'none';
	expect((await ask('POST', '/runtimes/dev/resume')).json.status).toBe('running');
	expect([...states.values()].map(each => each.kind)).toEqual(['running']);
});

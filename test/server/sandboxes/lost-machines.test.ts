import {hostname} from 'node:os';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {deleteOrganizations} from '../../../src/server/retention/delete-organization.ts';
import {forgetMachine, freeSandbox, listMachines, watchMachines} from '../../../src/server/sandboxes/lost-machines.ts';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import {createCheck, updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {inWorkspace, scope, type TestServer} from '../harness.ts';
import {balanceOf, createEnvironment, onAnotherMachine, pass, resume, secondMs, serverWithRuntime} from './machines.ts';

const sandboxesOf = ({database}: TestServer) => database.selectFrom('sandboxes').selectAll().orderBy('id').execute();

const stateOf = async (server: TestServer, environment: string) => {
	const {state, error} = (await server.send(`${inWorkspace}/environments/${environment}`)).json;
	const {status, instance} = (await server.send(`${inWorkspace}/runtimes/dev`)).json;
	return {environment: [state, error], runtime: [status, instance.state, instance.total_runtime_seconds]};
};

/** Starts an environment and a runtime on a machine that is then seen no more; both end after two minutes. */
async function withLostMachine() {
	const {server, runtimeId} = await serverWithRuntime();
	const lease = createMachineLease(server.services);
	await lease.renew();
	const {id} = (await createEnvironment(server)).json;
	expect((await resume(server)).json.status).toBe('running');
	return {server, runtimeId, lease, environment: id as string};
}

test('what is past its time on a lost machine ends, billed until its deadline, and runs no more once that is back', async () => {
	const {server, lease, environment} = await withLostMachine();
	const {provider} = server.services.sandboxes;
	await lease.renew();
	await createCheck(server.services, lease)();
	const watch = watchMachines(onAnotherMachine(server));
	await watch();
	await pass(server, 140, watch);
	expect(await stateOf(server, environment)).toEqual({
		environment: ['ready', null],
		runtime: ['running', 'running', 120],
	});

	await pass(server, 600, watch);
	const ended = {
		environment: ['torn_down', 'The machine of its sandbox was lost.'],
		runtime: ['idle', 'killed', 120],
	};
	expect(await stateOf(server, environment)).toEqual(ended);
	expect(await balanceOf(server)).toBe(96);
	const sandboxes = await sandboxesOf(server);
	const kinds = () => Promise.all(sandboxes.map(async ({id}) => (await provider.inspect(id)).kind));
	expect(await kinds()).toEqual(['running', 'running']);

	await lease.renew();
	await createCheck(server.services, lease)();
	expect(await kinds()).toEqual(['ended', 'ended']);
	await createCheck(server.services, lease)();
	expect([await stateOf(server, environment), await balanceOf(server)]).toEqual([ended, 96]);
	await lease.renew();
	expect(lease.takeFreedAt()).toBe(null);
});

test('a paused runtime of a lost machine stays, because it has no deadline', async () => {
	const {server, lease, environment} = await withLostMachine();
	server.advance(120 * secondMs);
	await updateSandboxes(server.services);
	await lease.renew();
	const watch = watchMachines(onAnotherMachine(server));
	await watch();
	await pass(server, 600, watch);
	expect(await stateOf(server, environment)).toEqual({
		environment: ['torn_down', null],
		runtime: ['paused', 'paused', 120],
	});
});

test('the deletion of an organization says once which lost machine it waits for, and goes on after what it says', async () => {
	const {server, lease} = await withLostMachine();
	const {database, entries} = server;
	server.advance(120 * secondMs);
	await updateSandboxes(server.services);
	await lease.renew();
	expect((await server.send(`/api/v1/org/${scope.org}`, {method: 'DELETE'})).status).toBeLessThan(300);
	const other = onAnotherMachine(server);
	const organizations = () => database.selectFrom('organizations').select('slug').execute();
	const waiting = () => entries.filter(({message}) => message === 'organization deletion waits for a machine');
	await deleteOrganizations(other, {server: 'other'});
	expect([await organizations(), waiting()]).toEqual([[{slug: scope.org}], []]);
	server.advance(600 * secondMs);
	await deleteOrganizations(other, {server: 'other'});
	await deleteOrganizations(other, {server: 'other'});
	const machine = await server.services.sandboxes.provider.machine();
	// Whoever asks again is told, too.
	const again = await server.send(`/api/v1/admin/organizations/${scope.org}`, {method: 'DELETE'});
	expect([again.status, again.json]).toMatchObject([200, {lost_machines: [{id: machine, sandboxes: 1}]}]);
	const fix = `Start its server, or if it is gone for good: serve machine forget ${machine.slice(0, 8)}`;
	expect(waiting()).toEqual([expect.objectContaining({machine, sandboxes: 1, fix})]);
	await forgetMachine({...other, rate: 1}, fix.split(' ').at(-1) ?? '');
	await deleteOrganizations(other, {server: 'other'});
	expect(await organizations()).toEqual([]);
});

test('a machine that is seen is never lost, whatever its clock shows', async () => {
	const {server, environment} = await withLostMachine();
	const aheadMs = fc.integer({min: -7200, max: 7200}).map(seconds => seconds * secondMs);
	await fc.assert(
		fc.asyncProperty(aheadMs, async ahead => {
			const lease = createMachineLease({
				...server.services,
				now: () => new Date(server.services.now().getTime() + ahead),
			});
			const watch = watchMachines(onAnotherMachine(server));
			let beats = 0;
			await pass(server, 150, async () => {
				// Some heartbeats are late.
				if (beats++ % 4 === 0) {
					await lease.renew();
				}

				await watch();
			});
			expect((await stateOf(server, environment)).environment).toEqual(['ready', null]);
		}),
		{numRuns: 5},
	);
});

test('what runs on a lost machine keeps its time, by the clock there, which another server has seen going', async () => {
	const {server, lease, environment} = await withLostMachine();
	const watch = watchMachines(onAnotherMachine(server, {aheadMs: 3600 * secondMs}));
	await watch();
	await pass(server, 20, async () => {
		await lease.renew();
		await watch();
	});
	// It is lost for half a minute, and not yet at its deadline.
	await pass(server, 90, watch);
	expect((await stateOf(server, environment)).environment).toEqual(['ready', null]);
	await pass(server, 60, watch);
	expect((await stateOf(server, environment)).environment[0]).toBe('torn_down');
});

test('a server that could not look for a while watches for a minute first', async () => {
	const {server, environment} = await withLostMachine();
	const watch = watchMachines(onAnotherMachine(server));
	await watch();
	await pass(server, 50, watch);
	// The database was away for all servers, or this process stood still.
	server.advance(600 * secondMs);
	await watch();
	await pass(server, 50, watch);
	expect((await stateOf(server, environment)).environment).toEqual(['ready', null]);
	await pass(server, 10, watch);
	expect((await stateOf(server, environment)).environment[0]).toBe('torn_down');
});

test('a machine that is seen again while others free its sandboxes keeps them', async () => {
	const {server, lease, environment} = await withLostMachine();
	const lost = await server.database.selectFrom('machines').selectAll().executeTakeFirstOrThrow();
	server.advance(600 * secondMs);
	await lease.renew();
	const other = {...onAnotherMachine(server), rate: 60};
	for (const sandbox of await sandboxesOf(server)) {
		expect(await freeSandbox(other, sandbox, lost)).toBe(false);
	}

	expect((await stateOf(server, environment)).environment).toEqual(['ready', null]);
});

test('of servers that free the same sandboxes at once, one bills each', async () => {
	const {server} = await serverWithRuntime();
	const lease = createMachineLease(server.services);
	const {id} = (await createEnvironment(server)).json;
	const [template] = await sandboxesOf(server);
	await server.send(`${inWorkspace}/environments/${id}/stop`, {method: 'POST'});
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.integer({min: 1, max: 3}), {minLength: 1, maxLength: 6}),
			fc.integer({min: 2, max: 4}),
			async (minutes, servers) => {
				const balance = await balanceOf(server);
				const begun = server.services.now();
				const added = minutes.map(count => ({
					...(template as NonNullable<typeof template>),
					...{id: crypto.randomUUID(), billed_credits: 1, billed_before_start: null},
					running_since: begun.toISOString(),
					expires_at: new Date(begun.getTime() + count * 60 * secondMs).toISOString(),
				}));
				await server.database.insertInto('sandboxes').values(added).execute();
				await lease.renew();
				const watches = Array.from({length: servers}, (_, index) =>
					watchMachines(onAnotherMachine(server, {name: `other-${index}`, aheadMs: index * secondMs})),
				);
				const watchAll = () => Promise.all(watches.map(watch => watch()));
				await watchAll();
				await pass(server, 400, watchAll);
				const killed = await server.database
					.selectFrom('sandboxes')
					.select(['id', 'billed_credits', 'past_seconds'])
					.where(
						'id',
						'in',
						added.map(({id}) => id),
					)
					.where('state', '=', 'killed')
					.execute();
				expect(new Map(killed.map(({id, billed_credits}) => [id, billed_credits]))).toEqual(
					new Map(added.map(({id}, index) => [id, minutes[index]])),
				);
				const used = minutes.reduce((sum, count) => sum + count - 1, 0);
				expect(await balanceOf(server)).toBe(balance - used);
			},
		),
		{numRuns: 6},
	);
});

test('a machine that was seen in the last minute is not forgotten; later all its sandboxes end with it', async () => {
	const {server, environment, lease} = await withLostMachine();
	const services = {...server.services, rate: 60};
	const [{id, sandboxes} = {id: '', sandboxes: 0}] = await listMachines(services);
	expect(sandboxes).toBe(2);
	await expect(forgetMachine(services, 'zz')).rejects.toMatchObject({code: 'not-found'});
	await server.database
		.insertInto('machines')
		.values({id: 'f-other', host: '', seen_at: server.services.now().toISOString()})
		.execute();
	await expect(forgetMachine(services, '')).rejects.toMatchObject({code: 'usage'});
	server.advance(59 * secondMs);
	await expect(forgetMachine(services, id)).rejects.toMatchObject({
		code: 'conflict',
		message: `Machine ${id.slice(0, 8)} (${hostname()}) was seen in the last minute.`,
	});
	server.advance(secondMs);
	expect(await forgetMachine(services, id.slice(0, 12).toUpperCase())).toMatchObject({id, ended: 2});
	expect((await listMachines(services)).map(({host}) => host)).toEqual(['']);
	expect(await stateOf(server, environment)).toEqual({
		environment: ['torn_down', 'The machine of its sandbox was lost.'],
		runtime: ['idle', 'killed', 60],
	});

	const {provider} = server.services.sandboxes;
	await lease.renew();
	await createCheck(server.services, lease)();
	for (const sandbox of await sandboxesOf(server)) {
		expect((await provider.inspect(sandbox.id)).kind).toBe('ended');
	}
});

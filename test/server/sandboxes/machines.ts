import {join} from 'node:path';
import {grantCredits} from '../../../src/server/credits/account.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {createRuntime} from '../../../src/server/sandboxes/create-runtime.ts';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import {createSandboxing} from '../../../src/server/sandboxes/sandboxing.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {containmentHere} from './sandbox.ts';
import {supervisor} from './supervisor.ts';
import {addTask} from './task-folder.ts';

export const secondMs = 1000;

/** The services of a server on another machine, on the same database. Its clock may be ahead. */
export function onAnotherMachine(
	{services, folder: first}: TestServer,
	{name = 'other', aheadMs = 0}: {readonly name?: string; readonly aheadMs?: number} = {},
): Services & {readonly folder: string} {
	const folder = join(first, name);
	const provider = createLocalProvider({
		root: join(folder, 'sandboxes'),
		graceMs: 300,
		environment: {},
		findContainment: containmentHere,
		supervisor,
		allowUncontained: true,
	});
	return {
		...services,
		folder,
		now: () => new Date(services.now().getTime() + aheadMs),
		sandboxes: createSandboxing({folder, log: services.log, provider}),
	};
}

/** A server with credits, of which a minute costs one, a task and a runtime that runs at most two minutes. */
export async function serverWithRuntime() {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	const workspace = await server.database.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
	const {id: workspaceId, organization_id: organizationId} = workspace;
	const runtimeId = await createRuntime(server.services, {
		...{organizationId, workspaceId, projectId: null, createdBy: server.owner.id, requestedSeconds: 120},
		...{key: 'dev', name: 'Development', taskReference: 'sleeper'},
	});
	const gift = {organizationId, amount: 100, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, gift));
	return {server, runtimeId};
}

export const resume = (server: TestServer) => server.send(`${inWorkspace}/runtimes/dev/resume`, {method: 'POST'});

export const createEnvironment = (server: TestServer) =>
	server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref: 'sleeper', timeout_sec: 120}});

export const balanceOf = async ({database}: TestServer) =>
	(await database.selectFrom('credit_accounts').select('balance').executeTakeFirstOrThrow()).balance;

/** Moves the clock in steps of a heartbeat, and does the work after each. */
export async function pass(server: TestServer, seconds: number, work: () => Promise<unknown>): Promise<void> {
	for (let passed = 0; passed < seconds; passed += 10) {
		server.advance(10 * secondMs);
		await work();
	}
}

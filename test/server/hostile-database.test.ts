import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {startEnrollment} from '../../src/server/accounts/second-factor.ts';
import {contentsOf} from './contents.ts';
import {administer, disconnect, reconnect} from './database/administer.ts';
import {all, askAll, lost, operations, reads, writes} from './database/ask-all.ts';
import {engine} from './database/engine.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {ask, populate} from './populated.ts';

test('every operation reports an unavailable database with the specified error', async () => {
	const server = await createTestServer();
	const parameters = await populate(server);
	await server.database.destroy();
	expect(await askAll(server, parameters)).toEqual(all(operations, lost));
});

test('with a read-only database everything can be read, and nothing is half-written', async () => {
	const server = await createTestServer();
	const parameters = await populate(server, {withEnvironment: true});
	await leaveRunning(server, parameters.environmentId);
	await startEnrollment(server.services, server.owner.id);
	await ask(server, 'resolveTraceArtifact', parameters);
	// The key's last use must be due to be written, too.
	server.advance(120_000);
	if (engine === 'sqlite') {
		await sql`pragma query_only = on`.execute(server.database);
	} else {
		const setting = 'default_transaction_read_only';
		const name = await disconnect(server.database, its => `alter database ${its} set ${setting} = on`);
		onTestFinished(() => administer(`alter database ${name} reset ${setting}`));
		await reconnect(server.database);
	}

	const before = await contentsOf(server.database);
	expect(await askAll(server, parameters, reads)).toEqual(all(reads, 200));
	// The runtime is idle, so there is nothing to stop, and nothing to write.
	// The sandbox still runs, so that nothing of it is deleted, and who asks can't suspend themselves.
	const refused = expect.objectContaining({code: 409});
	expect(await askAll(server, parameters, writes)).toEqual({
		...all(writes, lost),
		stopRuntime: 200,
		// That is what it was asked for.
		stopEnvironment: {
			...lost,
			detail: expect.stringMatching(/^The sandbox has ended, but this server couldn’t store that, /),
		},
		deleteEnvironment: refused,
		deleteProject: refused,
		suspendUser: refused,
	});
	expect(await contentsOf(server.database)).toEqual(before);
});

/**
 * Waits until an environment is no longer followed, and marks it as running, so that it can be stopped however fast it
 * ended.
 */
async function leaveRunning({database, services}: TestServer, id: string): Promise<void> {
	await expect.poll(() => services.sandboxes.background.has(id), {interval: 10}).toBe(false);
	await database.updateTable('environments').set({state: 'ready'}).where('id', '=', id).execute();
}

import {expect, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {emptyPlace} from '../database/engine.ts';
import {scope} from '../harness.ts';
import {temporaryFolder} from '../sandboxes/sandbox.ts';
import {ask} from '../service-proxy/proxied.ts';

/** A running server on an empty database, with these options, and its first user. */
async function started(options: Partial<Parameters<typeof startServer>[0]> = {}) {
	const place = await emptyPlace();
	const folder = await temporaryFolder();
	const location = place.engine === 'sqlite' ? {...place, file: `${folder}/a.db`} : place;
	const server = await startServer({location, folder, environment: {}, closeTimeoutMs: 200, ...options});
	onTestFinished(server.close);
	const {organization, workspace, project} = {
		organization: scope.org,
		workspace: scope.workspace,
		project: scope.project,
	};
	const {apiKey} = await initialize(server.services, {organization, workspace, project, email: 'owner@acme.example'});
	const headers = {authorization: `Bearer ${apiKey.reveal()}`};
	const address = async () => {
		const row = await server.services.database.selectFrom('machines').select('address').executeTakeFirst();
		return row?.address;
	};
	return {...server, headers, address};
}

test('a server tells other servers where it listens, and has the services of sandboxes at its ports on loopback', async () => {
	const {url, headers, address, services} = await started();
	await expect.poll(address, {interval: 25}).toBe(url);
	expect(services.publicServices).toBe(undefined);
	const path = '/sandboxes/00000000-0000-4000-8000-000000000000/web/';
	expect([(await ask(url, path)).status, (await ask(url, path, {headers})).status]).toEqual([401, 404]);
});

test('a server behind a proxy has them at its public URL, and other servers reach it at its own address', async () => {
	const {address, services} = await started({
		publicUrl: 'https://app.example.com/agents',
		address: 'http://10.0.0.1:8700',
		serviceDomain: 'boxes.example.net',
	});
	await expect.poll(address, {interval: 25}).toBe('http://10.0.0.1:8700');
	expect(services.publicServices).toEqual({domain: 'boxes.example.net'});
	await expect(started({publicUrl: 'https://app.example.com/sandboxes'})).rejects.toMatchObject({
		code: 'usage',
		message: 'The server has pages of its own at /sandboxes.',
	});
});

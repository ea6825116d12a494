import {expect, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, send, type TestServer} from '../harness.ts';
import {beginLogin, logIn, poll, refresh} from '../oauth/oauth.ts';
import {createBrowser} from '../pages/browser.ts';
import {addTask} from '../sandboxes/task-folder.ts';
import {ask, open, withServices} from '../service-proxy/proxied.ts';

const act = (server: TestServer, path: string, key?: string, body: object = {}) =>
	server.send(`/api/v1/admin/${path}`, {method: 'POST', body, ...(key && {key})});

/** Another server on the same database. */
const beside = ({services}: TestServer) => createApp({services});

test('[31] every credential of a suspended user is refused by every server at once, and only keys work again', async () => {
	const server = await createTestServer();
	const grace = await server.join('admin');
	const {access, refresh: refreshToken} = await logIn(server, {userId: grace.id});
	const approved = await beginLogin(server);
	const browser = createBrowser(server.app);
	await browser.open('/sign-in/key');
	await browser.submit('/sign-in/key', {api_key: grace.key});
	await browser.open('/device');
	await browser.submit('/device', {user_code: approved.userCode});
	await browser.submit('/device/decision', {decision: 'approve'});

	const second = beside(server);
	const statuses = async () =>
		await Promise.all(
			[server.app, second].flatMap(app =>
				[grace.key, access].map(async key => (await send(app, `${inWorkspace}/runtimes`, {key})).status),
			),
		);
	expect(await statuses()).toEqual([200, 200, 200, 200]);
	const {status, json} = await act(server, `users/${grace.id}/suspend`, undefined, {reason: 'Lost laptop'});
	expect([status, json]).toEqual([
		200,
		expect.objectContaining({id: grace.id, suspended_at: '2026-03-01T12:00:00.000Z', organizations: 1}),
	]);
	expect(await statuses()).toEqual([401, 401, 401, 401]);
	expect((await refresh(server, refreshToken)).json.error).toBe('invalid_grant');
	expect((await poll(server, approved.deviceCode)).json.error).toBe('access_denied');
	expect((await browser.open('/account')).title).toBe('Log in');

	const back = await act(server, `users/${grace.id}/reinstate`);
	expect(back.json.suspended_at).toBeNull();
	expect(await statuses()).toEqual([200, 401, 200, 401]);
	expect((await refresh(server, refreshToken)).json.error).toBe('invalid_grant');
	expect((await browser.open('/account')).title).toBe('Log in');
});

test('[31] nobody suspends themselves, and of two administrators who suspend each other one remains', async () => {
	const server = await createTestServer();
	const self = await act(server, `users/${server.owner.id}/suspend`);
	expect([self.status, self.json.detail]).toEqual([
		409,
		'You can’t suspend yourself. Ask another administrator of the server.',
	]);
	const other = await server.join('member');
	await server.database.updateTable('users').set({is_administrator: 1}).where('id', '=', other.id).execute();
	const answers = await Promise.all([
		act(server, `users/${other.id}/suspend`),
		act(server, `users/${server.owner.id}/suspend`, other.key),
	]);
	expect(answers.map(({status}) => status).filter(status => status === 200)).toHaveLength(1);
	const left = await server.database
		.selectFrom('users')
		.select('id')
		.where('is_administrator', '=', 1)
		.where('suspended_at', 'is', null)
		.execute();
	expect(left).toHaveLength(1);
});

test('[31] members of a suspended organization get 403 there with any credential, others 404, and their own still works', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const {access} = await logIn(server, {userId: rival.id});
	const second = beside(server);
	const statuses = async (path: string) =>
		await Promise.all([rival.key, access, server.owner.key].map(async key => (await send(second, path, {key})).status));
	const path = '/api/v1/org/rival/ws/main/runtimes';
	expect(await statuses(path)).toEqual([200, 200, 404]);
	expect((await act(server, 'organizations/rival/suspend')).json).toMatchObject({slug: 'rival', members: 1});
	expect(await statuses(path)).toEqual([403, 403, 404]);
	expect((await server.send(path, {key: rival.key})).json.detail).toBe(
		'“rival” is suspended. Ask an administrator of this server.',
	);
	expect((await server.send('/api/v1/org', {key: rival.key})).json.items[0].suspended_at).not.toBeNull();
	expect((await server.send('/api/v1/user/preferences', {key: rival.key})).status).toBe(200);
	expect((await server.send(`${inWorkspace}/runtimes`)).status).toBe(200);
	await act(server, 'organizations/rival/reinstate');
	expect(await statuses(path)).toEqual([200, 200, 404]);
});

test('[31] an environment of a suspended user or organization ends with the next check of its machine', async () => {
	for (const whom of ['user', 'organization']) {
		const server = await createTestServer();
		const grace = await server.join('member');
		await addTask(server, 'long', {command: ['sleep', '600']});
		const path = `${inWorkspace}/environments`;
		const created = await server.send(path, {method: 'POST', body: {task_ref: 'long'}, key: grace.key});
		expect(created.status).toBe(200);
		await act(server, whom === 'user' ? `users/${grace.id}/suspend` : 'organizations/acme/suspend');
		await updateSandboxes(server.services);
		const {state} = await server.database.selectFrom('environments').select('state').executeTakeFirstOrThrow();
		expect([whom, state]).toEqual([whom, 'torn_down']);
	}
});

test('[31] an open stream of a service ends, and its token is refused, once its user is suspended', async () => {
	const {server, url, base, token} = await withServices();
	const headers = {authorization: `Bearer ${token}`};
	const {response} = await open(url, `${base}/events`, {headers});
	expect(response.statusCode).toBe(200);
	const closed = new Promise(resolve => response.once('close', resolve));
	response.on('error', () => undefined).resume();
	const other = await server.join('member');
	await server.database.updateTable('users').set({is_administrator: 1}).where('id', '=', other.id).execute();
	expect((await act(server, `users/${server.owner.id}/suspend`, other.key)).status).toBe(200);
	expect((await ask(url, `${base}/events`, {headers})).status).toBe(401);
	await closed;
});

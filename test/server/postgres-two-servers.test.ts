import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {emptyPlace} from './database/engine.ts';
import {toRequest} from './ingest/push.ts';
import {client, deviceGrant} from './oauth/oauth.ts';
import {createBrowser} from './pages/browser.ts';
import {pendingRun} from './populated.ts';
import {initializeProgram, serveProgram} from './program.ts';

/** Two processes of the shipped program on one database. */
async function meet() {
	const place = await emptyPlace();
	const database = place.engine === 'postgres' ? place.url : '';
	const key = await initializeProgram(database);
	const servers = await Promise.all([serveProgram(database), serveProgram(database)]);
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const post = async (url: string, body: unknown) => {
		const response = await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)});
		return {status: response.status, json: await response.json()};
	};
	return {key, servers, post};
}

test('of many concurrent claims on two servers one wins, and both servers name it', async () => {
	const {servers, post} = await meet();
	const [first, second] = servers;
	for (let round = 0; round < 5; round++) {
		const id = randomUUID();
		expect((await post(`${first}/api/v1/org/acme/otel/traces`, toRequest([pendingRun(id)]))).status).toBe(200);
		const claim = (server: string | undefined, execution_id: string) =>
			post(`${server}/api/v1/org/acme/ws/main/workflows/runs/${id}/claim`, {execution_id});
		const hosts = Array.from({length: 6}, () => randomUUID());
		const claims = await Promise.all(
			hosts.flatMap(host => servers.map(async server => ({host, ...(await claim(server, host))}))),
		);
		const won = claims.filter(({status}) => status === 200);
		// A host claims on both servers, like a retry behind a load balancer, and gets the same response.
		expect(new Set(won.map(({host}) => host)).size).toBe(1);
		expect(claims.map(({status}) => status).sort()).toEqual([200, 200, ...Array(10).fill(409)]);
		expect(won.map(({json}) => json)).toEqual(
			Array(2).fill({execution_id: won[0]?.host, run_id: id, status: 'running'}),
		);
		expect((await claim(second, won[0]?.host ?? '')).json).toEqual(won[0]?.json);
	}
});

test('a login started on one server is approved on the other, collected once, and ended on either', async () => {
	const {key, servers} = await meet();
	const [first = '', second = ''] = servers;
	const form = async (url: string, fields: Record<string, string>) => {
		const response = await fetch(url, {method: 'POST', body: new URLSearchParams({...client, ...fields})});
		const text = await response.text();
		return {status: response.status, json: text ? JSON.parse(text) : undefined};
	};
	const begun = (await form(`${first}/oauth/device_authorization`, {})).json;
	const browser = createBrowser(request => fetch(request, {redirect: 'manual'}), second);
	await browser.open('/sign-in/key');
	await browser.submit('/sign-in/key', {api_key: key});
	await browser.open('/device');
	await browser.submit('/device', {user_code: begun.user_code});
	expect((await browser.submit('/device/decision', {decision: 'approve'})).title).toBe('Approved');

	const poll = (server: string) =>
		form(`${server}/oauth/token`, {grant_type: deviceGrant, device_code: begun.device_code});
	const polls = await Promise.all([first, second, first, second].map(poll));
	expect(polls.map(({status}) => status).sort()).toEqual([200, 400, 400, 400]);
	const tokens = polls.find(({status}) => status === 200)?.json;
	const statuses = (token: string) =>
		Promise.all(
			servers.map(async server => {
				const headers = {authorization: `Bearer ${token}`};
				return (await fetch(`${server}/api/v1/user/preferences`, {headers})).status;
			}),
		);
	expect(await statuses(tokens.access_token)).toEqual([200, 200]);

	const again = (
		await form(`${second}/oauth/token`, {grant_type: 'refresh_token', refresh_token: tokens.refresh_token})
	).json;
	expect(await statuses(again.access_token)).toEqual([200, 200]);
	expect((await form(`${first}/oauth/revoke`, {token: again.refresh_token})).status).toBe(200);
	expect(await statuses(again.access_token)).toEqual([401, 401]);
});

test('[31] a suspension on one server is in force on the other with the next request, and so is its end', async () => {
	const {servers, post} = await meet();
	const [first = '', second = ''] = servers;
	const {json: added} = await post(`${first}/api/v1/org/acme/members`, {email: 'grace@acme.example'});
	const browser = createBrowser(request => fetch(request, {redirect: 'manual'}), second);
	await browser.open('/password');
	const password = 'correct horse battery';
	await browser.submit('/password', {code: added.password_code, password, repeated: password});
	const isIn = async () => (await browser.open('/account')).title === 'Your account';
	const logIn = async () => {
		await browser.open('/sign-in');
		await browser.submit('/sign-in', {email: 'grace@acme.example', password});
	};
	await logIn();
	expect(await isIn()).toBe(true);
	for (const [server, act, isAllowed] of [
		[first, 'suspend', false],
		[second, 'reinstate', true],
	] as const) {
		const changed = await post(`${server}/api/v1/admin/users/${added.user_id}/${act}`, {});
		expect([changed.status, changed.json.suspended_at === null]).toEqual([200, isAllowed]);
		expect(await isIn()).toBe(false);
		if (isAllowed) {
			await logIn();
			expect(await isIn()).toBe(true);
		}
	}

	expect((await post(`${first}/api/v1/admin/organizations/acme/suspend`, {})).status).toBe(200);
	const inOrganization = () => post(`${second}/api/v1/org/acme/ws`, {slug: `w-${randomUUID().slice(0, 8)}`});
	expect((await inOrganization()).status).toBe(403);
	expect((await post(`${second}/api/v1/admin/organizations/acme/reinstate`, {})).status).toBe(200);
	expect((await inOrganization()).status).toBe(200);
});

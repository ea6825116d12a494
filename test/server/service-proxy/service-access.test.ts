import {expect, test} from 'vitest';
import {revokeKey} from '../../../src/server/accounts/api-key.ts';
import {operator} from '../../../src/server/accounts/audit-log.ts';
import {removeMember} from '../../../src/server/accounts/members.ts';
import {createToken} from '../../../src/server/accounts/token.ts';
import {inWorkspace, scope} from '../harness.ts';
import {ask, withServices} from './proxied.ts';

test('[26] a service is there for members of the organization and with its execute token, and for nobody else', async () => {
	const {server, url, base, token, id} = await withServices();
	const member = await server.join('member');
	const stranger = await server.foundAnother();
	const status = async (headers: Readonly<Record<string, string>>, path = `${base}/echo`) =>
		(await ask(url, path, {headers})).status;
	const bearer = (key: string) => ({authorization: `Bearer ${key}`});
	expect(await status(bearer(server.owner.key))).toBe(200);
	expect(await status(bearer(member.key))).toBe(200);
	expect(await status({'x-api-key': member.key})).toBe(200);
	expect(await status({'x-api-key': member.key, ...bearer('of-the-service')})).toBe(200);
	expect(await status(bearer(token))).toBe(200);
	expect(await status({cookie: `a=b; service-sandbox=${token}`})).toBe(200);

	expect(await status({})).toBe(401);
	expect(await status(bearer('wrong'))).toBe(401);
	expect(await status(bearer(createToken('api-key').token.reveal()))).toBe(401);
	expect(await status(bearer(createToken('execute').token.reveal()))).toBe(401);
	expect(await status({cookie: `service-sandbox=${server.owner.key}`})).toBe(401);
	expect(await status(bearer(stranger.key))).toBe(404);
	expect(await status(bearer(stranger.key), '/sandboxes/none/web/')).toBe(404);
	expect(await status({}, '/sandboxes/none/web/')).toBe(401);
	expect(await status(bearer(server.owner.key), `/sandboxes/${id}/none/`)).toBe(404);
	// It opens nothing else.
	expect((await ask(url, `${inWorkspace}/environments`, {headers: bearer(token)})).status).toBe(401);
	const other = base.replace(id, '00000000-0000-4000-8000-000000000000');
	expect(await status(bearer(token), `${other}/`)).toBe(401);

	server.advance(24 * 3600 * 1000);
	expect(await status(bearer(token))).toBe(401);
});

test('[26] an execute token ends with the key that it was created with, and with the membership', async () => {
	const {server, url, base, token} = await withServices();
	const colleague = await server.join('owner');
	const status = async () => (await ask(url, `${base}/echo`, {headers: {authorization: `Bearer ${token}`}})).status;
	expect(await status()).toBe(200);
	const before = await server.database
		.selectFrom('members')
		.selectAll()
		.where('user_id', '=', server.owner.id)
		.execute();
	await removeMember(server.services, {organization: scope.org, email: 'owner@acme.example'});
	expect(await status()).toBe(401);
	await server.database.insertInto('members').values(before).execute();
	expect(await status()).toBe(200);
	const {id: keyId} = await server.database
		.selectFrom('api_keys')
		.select('id')
		.where('user_id', '=', server.owner.id)
		.executeTakeFirstOrThrow();
	await revokeKey(server.services, {userId: server.owner.id, keyId}, operator);
	expect(await status()).toBe(401);
	expect((await ask(url, `${base}/echo`, {headers: {authorization: `Bearer ${colleague.key}`}})).status).toBe(200);
});

test('a browser exchanges the execute token of an address for a cookie of one service', async () => {
	const {url, base, token} = await withServices();
	const html = {accept: 'text/html,*/*'};
	const {status, headers} = await ask(url, `${base}/page?x=1&execute_token=${token}&y=2`, {headers: html});
	const cookie = `service-sandbox=${token}`;
	expect([status, headers]).toMatchObject([
		303,
		{
			location: `${base}/page?x=1&y=2`,
			'set-cookie': [`${cookie}; Path=${base}/; HttpOnly; SameSite=Lax`],
			'referrer-policy': 'no-referrer',
			'cache-control': 'no-store',
		},
	]);
	const page = await ask(url, `${base}/page?x=1&y=2`, {
		headers: {cookie: `theirs=1; ${cookie}`, referer: `${url}${base}/`},
	});
	expect([page.status, page.body]).toEqual([200, expect.not.stringMatching(/svx_|theirs/)]);
	// A program needs no cookie.
	const direct = await ask(url, `${base}/page?execute_token=${token}`);
	expect([direct.status, JSON.parse(direct.body).url]).toEqual([200, '/page']);
	expect((await ask(url, `${base}/page?execute_token=wrong`, {headers: html})).status).toBe(401);
	expect((await ask(url, `${base}/page?key=${token}`, {headers: {cookie}})).status).toBe(400);
});

test('[26] the first service of a runtime is there for members of the organization while it runs', async () => {
	const {server, url, token} = await withServices();
	const stranger = await server.foundAnother();
	const send = (path: string, body?: unknown) =>
		server.send(`${inWorkspace}/runtimes${path}`, {method: 'POST', ...(body !== undefined && {body})});
	const {id} = (await send('', {key: 'dev', task_ref: 'hostile'})).json;
	const status = async (key: string) =>
		(await ask(url, `/sandboxes/${id}/sandbox/echo`, {headers: {authorization: `Bearer ${key}`}})).status;
	expect(await status(server.owner.key)).toBe(404);
	expect((await send('/dev/resume')).json.status).toBe('running');
	expect(await Promise.all([server.owner.key, stranger.key, token].map(status))).toEqual([200, 404, 401]);
	expect((await send('/dev/stop')).json.status).toBe('idle');
	expect(await status(server.owner.key)).toBe(409);
});

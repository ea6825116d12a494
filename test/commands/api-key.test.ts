import {expect, test} from 'vitest';
import {api} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const url = '/api/v1/user/api-keys';
const id = '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const made = {id, name: 'ci', created_at: '2020-01-02T03:04:05Z', last_used_at: null, prefix: 'sk-12', scopes: ['a']};

test.each([80, 120])('API keys are listed with their plain fields at %d columns, none of them in full', async width => {
	const keys = [
		{...made, secret: 'sk-1234'},
		{id: 'x', name: '\u001B[2J', key: 'sk-5678'},
	];
	const {env} = await api({[`GET ${url}`]: {json: keys}});
	const result = await testContext({env}).run('api-key', 'list');
	expect(drawn(result, width).split('\n')).toEqual([
		'id        name  created     prefix',
		`${id.slice(0, 8)}  ci    2020-01-02  sk-12`,
		'x         ␛[2J',
	]);
	expect(drawn(result, width)).not.toMatch(/sk-1234|sk-5678/);
	expect(dataOf(result)).toEqual(keys);
});

test.each([
	[{keys: [made], total: 1}, /^id .*\n6f1c/],
	[{keys: []}, /^No active API keys\. Create one: \/api-key create$/],
	[[], /^No active API keys\. Create one: \/api-key create$/],
	[[{scopes: []}], /^1 can't be shown/],
])('a list of any shape is read: %j', async (json, text) => {
	const {env} = await api({[`GET ${url}`]: {json}});
	const result = await testContext({env}).run('api-key', 'list');
	expect(drawn(result, 80)).toMatch(text);
	expect(dataOf(result)).toEqual(json);
});

test.each([{}, {keys: {}}, 'none', null])('a response without a list of keys is an error: %j', async json => {
	const {env} = await api({[`GET ${url}`]: {json}});
	await expect(testContext({env}).run('api-key', 'list')).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/no list of API keys\.$/),
	});
});

test.each([80, 120])('a new key is shown once, with its secret, at %d columns', async width => {
	const answer = {id, key: {token: 'sk-1234', last4: '1234'}, name: 'ci', extra: null};
	const {env, seen} = await api({[`POST ${url}`]: {json: answer}});
	const result = await testContext({env}).run('api-key', 'create', 'ci');
	expect(drawn(result, width).split('\n')).toEqual([
		"Created the API key. Copy it now; it won't be shown again.",
		'Log in with it: /login --with-token',
		'',
		`id         ${id}`,
		'name       ci',
		'key token  sk-1234',
		'key last4  1234',
	]);
	expect(dataOf(result)).toEqual(answer);
	expect(seen.map(({body}) => JSON.parse(body.toString()))).toEqual([{name: 'ci'}]);
});

test('a key needs no name, and a response without fields is an error', async () => {
	const {env, seen} = await api({[`POST ${url}`]: {json: {}}});
	await expect(testContext({env}).run('api-key', 'create')).rejects.toMatchObject({
		code: 'network',
		message: 'The server returned no API key.',
		hint: expect.stringMatching(/^It may have created one\. Check `api-key list`/),
	});
	expect(seen.map(({body}) => body.toString())).toEqual(['{}']);
});

test('a prefix of an id revokes its key; one of none or of several revokes nothing', async () => {
	const near = `${id.slice(0, 8)}-0000-4d5c-9c53-0a5f0c8f2b11`;
	const {env, seen} = await api({
		[`GET ${url}`]: {json: {keys: [made, {id: near, name: 'other'}]}},
		[`DELETE ${url}/${id}`]: {status: 204},
	});
	const {run, asked} = testContext({env, answers: ['yes']});
	await run('api-key', 'revoke', id.slice(0, 10));
	expect(asked).toEqual([expect.stringContaining(`Revoke the API key ${id} on`)]);
	expect(seen.at(-1)).toMatchObject({method: 'DELETE', url: `${url}/${id}`});
	for (const [prefix, code] of [
		[id.slice(0, 8), 'usage'],
		['0000', 'not-found'],
		['6f1', 'usage'],
	] as const) {
		await expect(testContext({env}).run('api-key', 'revoke', prefix, '--yes')).rejects.toMatchObject({code});
	}

	expect(seen.filter(({method}) => method === 'DELETE')).toHaveLength(1);
});

test('a key is revoked after confirmation', async () => {
	const {env, origin, seen} = await api({[`DELETE ${url}/${id}`]: {status: 204}});
	const refused = testContext({env, answers: [undefined]});
	expect(drawn(await refused.run('api-key', 'revoke', id), 80)).toBe('Nothing changed.');
	expect(seen.map(({method}) => method)).toEqual(['GET']);

	const {run, asked} = testContext({env, answers: ['yes']});
	const result = await run('api-key', 'revoke', id);
	expect(drawn(result, 80)).toBe(`Revoked the API key ${id}.`);
	expect(dataOf(result)).toEqual({key_id: id, revoked: true});
	expect(asked).toEqual([`Revoke the API key ${id} on ${origin}? Anything that uses it stops working.`]);
	expect(seen.map(({method}) => method)).toEqual(['GET', 'GET', 'DELETE']);
});

test('a revocation names the keys it also ends, before and after', async () => {
	const keyOf = (key: string, name: string | null, created_with: string | null) => ({id: key, name, created_with});
	const keys = [keyOf(id, 'old', null), keyOf('b', 'ci', id), keyOf('c', 'deploy', 'b'), keyOf('d', 'other', null)];
	const {env} = await api({[`GET ${url}`]: {json: keys}, [`DELETE ${url}/${id}`]: {status: 204}});
	const {run, asked} = testContext({env, answers: ['yes']});
	const also = 'It also ends the keys created with it: ci and deploy.';
	expect(drawn(await run('api-key', 'revoke', id), 200)).toBe(`Revoked the API key ${id}. ${also}`);
	expect(asked).toEqual([expect.stringMatching(new RegExp(` Anything that uses it stops working\\. ${also}$`))]);
});

test('the data of a revocation is the response of the server', async () => {
	const {env} = await api({[`DELETE ${url}/${id}`]: {json: {ok: true}}});
	expect(dataOf(await testContext({env}).run('api-key', 'revoke', id, '--yes'))).toEqual({ok: true});
});

test('an invalid id is refused before any question or request, and an unknown one is not found', async () => {
	const {env, seen} = await api({});
	const {run, asked} = testContext({env, answers: ['yes']});
	for (const words of [['ci'], ['ci', '--yes'], [`${id}0`], ['']]) {
		await expect(run('api-key', 'revoke', ...words)).rejects.toMatchObject({
			code: 'usage',
			message: expect.stringMatching(/^<key> must be a UUID, or the first four|^api-key revoke needs <key>\.$/),
		});
	}

	expect([seen, asked]).toEqual([[], []]);
	await expect(run('api-key', 'revoke', id, '--yes')).rejects.toMatchObject({code: 'not-found'});
});

test('a key gets a rate limit when it is created, later, and none with 0', async () => {
	const {env, seen} = await api({
		'POST /api/v1/user/api-keys': {json: {id, key: 'svc_x', requests_per_minute: 600}},
		[`PATCH /api/v1/user/api-keys/${id}`]: {json: {id, requests_per_minute: 1200}},
	});
	const {run} = testContext({env});
	await run('api-key', 'create', 'ci', '--rate', '600');
	expect(drawn(await run('api-key', 'limit', id, '1200'), 100)).toBe(
		`The API key ${id} may send 1,200 requests a minute.`,
	);
	expect(drawn(await run('api-key', 'limit', id, '0'), 100)).toBe(`The API key ${id} may send any number of requests.`);
	await expect(run('api-key', 'create', '--rate', '0')).rejects.toMatchObject({code: 'usage'});
	expect(seen.map(({body}) => JSON.parse(body.toString()))).toEqual([
		{name: 'ci', requests_per_minute: 600},
		{requests_per_minute: 1200},
		{requests_per_minute: null},
	]);
});

import {expect, test} from 'vitest';
import {problemSchema} from '../../../src/contract/problem.ts';
import {userPreferencesSchema} from '../../../src/contract/resources/preferences.ts';
import {bearer, send, serve, token} from '../serve.ts';

const preferences = '/api/v1/user/preferences';
const json = {...bearer, 'content-type': 'application/json'};
const chat = '/v1/chat/completions';

test.each([bearer, {'x-api-key': token}])(
	'preferences list the demo model first, as the specification says',
	async headers => {
		const {url} = await serve();
		const {status, text} = await send(url, {path: `${preferences}?org=acme`, headers});
		const {models, ...body} = userPreferencesSchema.parse(JSON.parse(text));
		expect([status, {...body, models: models?.slice(0, 1)}]).toEqual([
			200,
			{
				enabled_model_ids: ['custom/demo'],
				inference_credits_per_dollar: 100,
				access_restricted: false,
				user_email: expect.stringMatching(/@/),
				organizations: ['acme'],
				models: [
					expect.objectContaining({id: 'custom/demo', has_required_keys: true, cost_input: 0, context_window: 32_000}),
				],
			},
		]);
	},
);

test('health needs no token, and the server’s models are listed', async () => {
	const {url} = await serve();
	expect(await send(url, {path: '/healthz'})).toMatchObject({status: 200, text: '{"status":"ok"}'});
	const {text} = await send(url, {path: '/v1/models', headers: bearer});
	expect(JSON.parse(text)).toEqual({
		object: 'list',
		data: [{id: 'demo', object: 'model', created: 0, owned_by: 'service'}],
	});
});

const invalid = 'That API key or token isn’t valid on this server.';
const missing = 'Send an API key or token as Authorization: Bearer.';

test.each<[string, Record<string, string>, string]>([
	['no token', {}, missing],
	['a wrong token', {authorization: 'Bearer nope'}, invalid],
	['a token with more behind it', {authorization: `Bearer ${token}2`}, invalid],
	['another scheme', {authorization: `Basic ${token}`}, invalid],
	['a wrong key', {'x-api-key': 'nope'}, invalid],
	['an empty key', {'x-api-key': ''}, missing],
])('[26] %s is 401, for known and unknown paths', async (_, headers, detail) => {
	const {url} = await serve();
	for (const path of [preferences, '/v1/models', '/api/v1/nothing']) {
		const answer = await send(url, {path, headers});
		expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
	}

	const {text} = await send(url, {path: preferences, headers});
	expect(problemSchema.parse(JSON.parse(text))).toEqual({
		code: 401,
		detail,
		type: 'authentication_error',
	});
});

test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '0.0.0.0', 'localhost.evil:1'])(
	'[25] the Host “%s” is rejected',
	async host => {
		const {url} = await serve();
		expect(await send(url, {path: '/healthz', headers: {host}})).toMatchObject({status: 403});
	},
);

test.each(['http://evil.example', 'null', 'http://localhost:1', 'https://127.0.0.1', ''])(
	'[25] the Origin %s is rejected',
	async origin => {
		const {url} = await serve();
		const answer = await send(url, {path: preferences, headers: {...bearer, origin}});
		expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
	},
);

test('[25] the server’s own name and origin are accepted', async () => {
	const {url} = await serve();
	const host = `localhost:${new URL(url).port}`;
	const origin = `http://${host}`;
	expect(await send(url, {path: preferences, headers: {...bearer, host, origin}})).toMatchObject({status: 200});
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx'])(
	'[25] a write as %s gets 400',
	async type => {
		const {url} = await serve();
		const answer = await send(url, {
			method: 'POST',
			path: chat,
			headers: {...bearer, 'content-type': type},
			body: '{}',
		});
		expect([answer.status, JSON.parse(answer.text)]).toEqual([
			400,
			{error: {message: 'Send the body as application/json.', type: 'invalid_error', param: null, code: '400'}},
		]);
	},
);

test('an unknown path is 404, another method is 405', async () => {
	const {url} = await serve();
	expect(await send(url, {path: '/nothing', headers: bearer})).toMatchObject({
		status: 404,
		text: '{"code":404,"detail":"Not found: /nothing.","type":"not_found_error"}',
	});
	const answer = await send(url, {method: 'POST', path: preferences, headers: json, body: '{}'});
	expect([answer.status, answer.headers['allow']]).toEqual([405, 'PATCH, GET, HEAD']);
	expect((await send(url, {method: 'GET', path: chat, headers: bearer})).status).toBe(405);
});

test.each<[string, number, string, string]>([
	['broken JSON', 400, '{"model": "demo", ', 'The body is not JSON'],
	['no body', 400, '', 'The body is not JSON'],
	['a list', 400, '[]', 'This is not a valid chat request'],
	['no message', 400, '{"model": "demo", "messages": []}', 'Check body.messages'],
	['no role', 400, '{"model": "demo", "messages": [{"content": 3}]}', 'Check body.messages.0.role'],
	['an unknown model', 404, '{"model": "gpt-9", "messages": [{"role": "user"}]}', 'Model not found: “gpt-9”'],
	['a deep nest', 400, `${'['.repeat(5000)}${']'.repeat(5000)}`, 'The body is nested deeper than 100 levels.'],
	['brackets in a string', 400, JSON.stringify(['['.repeat(5000)]), 'This is not a valid chat request'],
])('[24] %s gets %d', async (_, status, body, message) => {
	const {url, bugs} = await serve();
	const answer = await send(url, {method: 'POST', path: chat, headers: json, body});
	expect([answer.status, JSON.parse(answer.text).error.message, bugs]).toEqual([
		status,
		expect.stringContaining(message),
		[],
	]);
});

test('[21] a body that is too large gets 400, announced or not', async () => {
	const {url} = await serve();
	const body = JSON.stringify({model: 'demo', messages: [{role: 'user', content: 'x'.repeat(9 * 1024 * 1024)}]});
	const announced = await send(url, {
		method: 'POST',
		path: chat,
		headers: {...json, 'content-length': `${body.length}`},
		body,
	});
	const chunked = await send(url, {
		method: 'POST',
		path: chat,
		headers: {...json, 'transfer-encoding': 'chunked'},
		body,
	});
	expect([announced.status, chunked.status]).toEqual([400, 400]);
});

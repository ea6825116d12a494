import {expect, test} from 'vitest';
import {problemSchema} from '../../src/contract/problem.ts';
import {createTestServer, inWorkspace, origin, send} from './harness.ts';

const preferences = '/api/v1/user/preferences';

test('models with a key are enabled until the user chooses', async () => {
	const server = await createTestServer();
	const first = await server.send(preferences);
	expect([first.status, first.json.enabled_model_ids]).toEqual([200, ['custom/demo']]);

	const chosen = {enabled_model_ids: ['anthropic/claude-sonnet-5', 'custom/demo', 'custom/demo']};
	const changed = await server.send(preferences, {method: 'PATCH', body: chosen});
	expect(changed.json.enabled_model_ids).toEqual(['anthropic/claude-sonnet-5', 'custom/demo']);
	expect((await server.send(preferences)).json).toEqual(changed.json);

	const other = await server.join('member');
	expect((await server.send(preferences, {key: other.key})).json.enabled_model_ids).toEqual(['custom/demo']);
});

test('an unknown model is 422 and changes nothing', async () => {
	const server = await createTestServer();
	const {status, json} = await server.send(preferences, {
		method: 'PATCH',
		body: {enabled_model_ids: ['custom/demo', 'acme/none']},
	});
	expect([status, problemSchema.parse(json)]).toEqual([
		422,
		{
			code: 422,
			detail: 'body.enabled_model_ids.1 is not a model of this server.',
			type: 'validation_error',
			errors: [{loc: ['body', 'enabled_model_ids', 1], msg: 'is not a model of this server', type: 'unknown_model'}],
		},
	]);
	expect((await server.send(preferences)).json.enabled_model_ids).toEqual(['custom/demo']);
});

test('[26] preferences for another organization are 404, by name and by id', async () => {
	const server = await createTestServer();
	await server.foundAnother('rival');
	const answers = await Promise.all(['rival', 'nobody'].map(org => server.send(`${preferences}?org=${org}`)));
	expect(answers.map(({status}) => status)).toEqual([404, 404]);
	expect(answers[0]?.text).toBe(answers[1]?.text);
	const {id} = await server.database
		.selectFrom('organizations')
		.select('id')
		.where('slug', '=', 'acme')
		.executeTakeFirstOrThrow();
	const own = await Promise.all(['acme', id, id.toUpperCase()].map(org => server.send(`${preferences}?org=${org}`)));
	expect(own.map(({status}) => status)).toEqual([200, 200, 200]);
});

test.each<[body: string, code: number, detail: string]>([
	['{', 400, 'The body is not JSON.'],
	['', 400, 'The body is not JSON.'],
	['[]', 422, 'body must be an object.'],
	['{"enabled_model_ids":"a"}', 422, 'body.enabled_model_ids must be a list.'],
	['{"enabled_model_ids":[1]}', 422, 'body.enabled_model_ids.0 must be text.'],
	['{"enabled":[]}', 422, 'body.enabled is not known here.'],
	[`${'['.repeat(200)}${']'.repeat(200)}`, 400, 'The body is nested deeper than 100 levels.'],
	[`"${'x'.repeat(9_000_000)}"`, 400, 'The body is larger than 8388608 bytes.'],
])('an invalid body is rejected with a helpful message (%#)', async (body, code, detail) => {
	const {app, owner} = await createTestServer();
	const response = await app(
		new Request(`${origin}${preferences}`, {
			method: 'PATCH',
			body,
			headers: {host: '127.0.0.1', authorization: `Bearer ${owner.key}`, 'content-type': 'application/json'},
		}),
	);
	expect([response.status, await response.json()]).toEqual([code, expect.objectContaining({code, detail})]);
});

test('[26] unknown resources and those of others get the same response', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother('rival');
	const paths = ['org/acme/credits/auto-refill', 'org/nobody/credits/auto-refill', 'org/acme/ws/main/airt/assessments'];
	const answers = await Promise.all(paths.map(path => send(server.app, `/api/v1/${path}`, {key: rival.key})));
	expect(new Set(answers.map(({status, text}) => `${status} ${text}`)).size).toBe(1);
	expect(answers[0]?.status).toBe(404);
});

test('an invalid path is 422 and names the invalid part', async () => {
	const server = await createTestServer();
	const {status, json} = await server.send(`${inWorkspace}/airt/findings/none`);
	expect([status, json.detail, json.errors[0].loc]).toEqual([
		422,
		'path.finding_id must be a UUID.',
		['path', 'finding_id'],
	]);
});

test('an unknown query parameter is 422', async () => {
	const {status, json} = await (await createTestServer()).send(`${preferences}?orgg=acme`);
	expect([status, json.detail]).toEqual([422, 'query.orgg is not known here.']);
});

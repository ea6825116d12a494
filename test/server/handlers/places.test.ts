import {expect, test} from 'vitest';
import {createTestServer} from '../harness.ts';

const org = '/api/v1/org/acme';

test('a workspace and its project are created, shown and renamed; their slugs stay', async () => {
	const server = await createTestServer();
	const post = (path: string, body: object) => server.send(path, {method: 'POST', body});
	const created = await post(`${org}/ws`, {slug: 'lab', name: '  Big lab '});
	expect([created.status, created.json]).toEqual([
		200,
		{id: expect.any(String), slug: 'lab', name: 'Big lab', created_at: '2026-03-01T12:00:00.000Z'},
	]);
	const project = await post(`${org}/ws/lab/projects`, {slug: 'app'});
	expect(project.json).toMatchObject({slug: 'app', name: 'app'});
	const renamed = await server.send(`${org}/ws/lab/projects/${project.json.id}`, {
		method: 'PATCH',
		body: {name: 'App'},
	});
	expect(renamed.json).toMatchObject({slug: 'app', name: 'App'});
	expect((await server.send(`${org}/ws/lab/projects/app`)).json).toEqual(renamed.json);
	await server.send(`${org}/ws/lab`, {method: 'PATCH', body: {name: 'Lab'}});
	expect((await server.send(`${org}/ws/lab`)).json).toMatchObject({slug: 'lab', name: 'Lab'});
	expect((await server.send(`${org}/ws/lab`, {method: 'PATCH', body: {slug: 'x', name: 'X'}})).status).toBe(422);
});

test('a slug is taken once in its place, also by requests at the same time', async () => {
	const server = await createTestServer();
	const body = {slug: 'lab'};
	const answers = await Promise.all(Array.from({length: 8}, () => server.send(`${org}/ws`, {method: 'POST', body})));
	expect(answers.map(({status}) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
	const rival = await server.foundAnother();
	expect((await server.send('/api/v1/org/rival/ws', {method: 'POST', body, key: rival.key})).status).toBe(200);
	for (const ws of ['main', 'lab']) {
		expect((await server.send(`${org}/ws/${ws}/projects`, {method: 'POST', body: {slug: 'app'}})).status).toBe(200);
	}
});

test.each([
	['slug', {slug: 'Lab'}],
	['slug', {slug: '-lab'}],
	['slug', {slug: 'a/b'}],
	['slug', {slug: ''}],
	['slug', {slug: 'x'.repeat(64)}],
	['name', {slug: 'lab', name: ' '}],
	['name', {slug: 'lab', name: 'a\u001Bb'}],
	['name', {slug: 'lab', name: 'x'.repeat(101)}],
])('an invalid %s is 422 (%#)', async (field, body) => {
	const server = await createTestServer();
	for (const path of [`${org}/ws`, `${org}/ws/main/projects`]) {
		const {status, json} = await server.send(path, {method: 'POST', body});
		expect([status, json.errors[0].loc]).toEqual([422, ['body', field]]);
	}
});

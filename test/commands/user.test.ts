import {expect, test} from 'vitest';
import {api} from './api.ts';
import {drawn, testContext} from './context.ts';

const id = '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const grace = {id, email: 'grace@acme.example', is_administrator: false, organizations: 1, suspended_at: null};
const users = {'GET /api/v1/admin/users': {json: {items: [grace], total: 1, page: 1, page_size: 50}}};

test('a user is suspended by e-mail address after a yes, and reinstated', async () => {
	const {env, seen} = await api({
		...users,
		[`POST /api/v1/admin/users/${id}/suspend`]: {json: grace},
		[`POST /api/v1/admin/users/${id}/reinstate`]: {json: grace},
	});
	const {run} = testContext({env});
	expect(drawn(await run('user', 'list'), 100).split('\n')[0]).toMatch(/^email +/);
	const suspended = await run('user', 'suspend', 'grace@acme.example', '--reason', 'Lost laptop', '--yes');
	expect(drawn(suspended, 100)).toMatch(/^Suspended grace@acme\.example\. Undo it: /);
	expect(JSON.parse(seen.at(-1)?.body.toString() ?? '')).toEqual({reason: 'Lost laptop'});
	expect(drawn(await run('user', 'reinstate', 'grace@acme.example'), 100)).toBe(
		'Reinstated grace@acme.example. Their API keys work again.',
	);
});

test('an unknown user is not found', async () => {
	const {env} = await api({'GET /api/v1/admin/users': {json: {items: [], total: 0, page: 1, page_size: 50}}});
	await expect(testContext({env}).run('user', 'suspend', 'x@y.example', '--yes')).rejects.toMatchObject({
		code: 'not-found',
		message: 'User not found: “x@y.example”.',
	});
});

test('an organization is suspended and reinstated by its slug', async () => {
	const answer = {id, slug: 'rival', name: 'Rival', members: 3, suspended_at: null};
	const {env} = await api({
		'POST /api/v1/admin/organizations/rival/suspend': {json: answer},
		'POST /api/v1/admin/organizations/rival/reinstate': {json: answer},
	});
	const {run} = testContext({env});
	expect(drawn(await run('org', 'suspend', 'rival', '--yes'), 100)).toMatch(/^Suspended rival\. Undo it: /);
	expect(drawn(await run('org', 'reinstate', 'rival'), 100)).toBe('Reinstated rival.');
});

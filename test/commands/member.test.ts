import {expect, test} from 'vitest';
import {api, asksForScope, inOrg, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const userId = '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const grace = {user_id: userId, email: 'grace@acme.example', role: 'member', created_at: '2026-03-01T12:00:00Z'};
const listed = {[`GET ${inOrg}/members`]: {json: {items: [grace], total: 1, page: 1, page_size: 50}}};

test('members are a table, and a new one gets the code for their password once', async () => {
	const added = {...grace, is_new: true, password_code: 'svp_x'};
	const {env, origin} = await api({...listed, [`POST ${inOrg}/members`]: {json: added}});
	const {run} = testContext({env});
	expect(drawn(await run('member', 'list'), 80).split('\n')[0]).toMatch(/^email +role +created/);
	const result = await run('member', 'add', 'grace@acme.example');
	expect(drawn(result, 120).split('\n')).toEqual([
		'Added grace@acme.example to acme as a member.',
		`Their one-time password code, valid 3 days, for ${origin}/password: svp_x`,
	]);
	expect(dataOf(result)).toMatchObject({password_code: 'svp_x'});
});

test('a role changes by e-mail address, and an unknown one is refused', async () => {
	const {env, seen} = await api({
		...listed,
		[`PATCH ${inOrg}/members/${userId}`]: {json: {...grace, role: 'admin'}},
	});
	const {run} = testContext({env});
	expect(drawn(await run('member', 'role', 'grace@acme.example', 'admin'), 80)).toBe(
		'grace@acme.example is now an admin of acme.',
	);
	expect(JSON.parse(seen.at(-1)?.body.toString() ?? '')).toEqual({role: 'admin'});
	await expect(run('member', 'role', 'grace@acme.example', 'god')).rejects.toMatchObject({code: 'usage'});
	const empty = await api({[`GET ${inOrg}/members`]: {json: {items: [], total: 0, page: 1, page_size: 50}}});
	await expect(testContext({env: empty.env}).run('member', 'role', 'x@y.example', 'admin')).rejects.toMatchObject({
		code: 'not-found',
		message: '“x@y.example” is not a member of acme.',
	});
});

test('a member is removed after a yes, and nothing is sent after a no', async () => {
	const answers = {
		...listed,
		[`DELETE ${inOrg}/members/${userId}`]: {json: {user_id: userId, removed: true, sandboxes: 2}},
	};
	const {env, seen} = await api(answers);
	const removed = await testContext({env}).run('member', 'remove', 'grace@acme.example', '--yes');
	expect(drawn(removed, 100)).toMatch(
		/^Removed grace@acme\.example from acme\. Their sandboxes still running or paused: 2\./,
	);
	const sent = seen.filter(request => !asksForScope(request)).map(({method}) => method);
	expect(sent).toEqual(['GET', 'DELETE']);
});

test('an invitation prints its link once, and is revoked by its address', async () => {
	const pending = {
		...grace,
		id: userId,
		state: 'pending',
		invited_by: 'ada@acme.example',
		expires_at: '2026-03-08T12:00:00Z',
	};
	const url = 'https://agents.example/invite/svi_x';
	const {env, seen} = await api({
		[`POST ${inOrg}/invitations`]: {json: {...pending, url}},
		[`GET ${inOrg}/invitations`]: {json: {items: [pending], total: 1, page: 1, page_size: 50}},
		[`DELETE ${inOrg}/invitations/${userId}`]: {json: {...pending, state: 'revoked'}},
	});
	const {run} = testContext({env});
	const invited = await run('member', 'invite', 'grace@acme.example', '--role', 'admin', '--expires', '2');
	expect(drawn(invited, 120).split('\n')).toEqual([
		'Invited grace@acme.example to acme as a member.',
		`Send them this link, which works once, until 2026-03-08: ${url}`,
	]);
	expect(JSON.parse(seen.at(-1)?.body.toString() ?? '')).toEqual({
		email: 'grace@acme.example',
		role: 'admin',
		expires_in_days: 2,
	});
	await expect(run('member', 'invite', 'grace@acme.example', '--expires', '31')).rejects.toMatchObject({code: 'usage'});
	expect(drawn(await run('member', 'invitations'), 100).split('\n')[0]).toMatch(/^email +role +state +expires/);
	expect(drawn(await run('member', 'uninvite', 'grace@acme.example'), 100)).toBe(
		'Revoked the invitation of grace@acme.example to acme.',
	);
	expect(seen.at(-1)?.method).toBe('DELETE');
	const none = await api({[`GET ${inOrg}/invitations`]: {json: {items: [], total: 0, page: 1, page_size: 50}}});
	await expect(testContext({env: none.env}).run('member', 'uninvite', 'x@y.example')).rejects.toMatchObject({
		code: 'not-found',
		message: '“x@y.example” has no pending invitation to acme.',
	});
});

test('workspaces and projects are created, shown and renamed', async () => {
	const place = {id: userId, slug: 'research', name: 'Research', created_at: '2026-03-01T12:00:00Z'};
	const {env, seen} = await api({
		[`POST ${inOrg}/ws`]: {json: place},
		[`GET ${inOrg}/ws/research`]: {json: place},
		[`PATCH ${inOrg}/ws/research`]: {json: {...place, name: 'Lab'}},
		[`POST ${inWorkspace}/projects`]: {json: {...place, slug: 'app'}},
		[`GET ${inWorkspace}/projects/app`]: {json: {...place, slug: 'app'}},
		[`PATCH ${inWorkspace}/projects/app`]: {json: {...place, slug: 'app', name: 'App'}},
	});
	const {run} = testContext({env});
	expect(drawn(await run('workspace', 'create', 'research', '--name', 'Research'), 100)).toMatch(
		/^Created workspace research in acme\. Add a project: /,
	);
	expect(drawn(await run('workspace', 'show', 'research'), 80)).toContain('Research');
	expect(drawn(await run('workspace', 'rename', 'research', 'Lab'), 80)).toMatch(/^Renamed research\.[\s\S]*Lab/);
	expect(drawn(await run('project', 'create', 'app'), 80)).toMatch(/^Created project app in lab\./);
	expect(drawn(await run('project', 'show', 'app'), 80)).toContain('app');
	expect(drawn(await run('project', 'rename', 'app', 'App'), 80)).toMatch(/^Renamed app\./);
	const bodies = seen.filter(({method}) => method !== 'GET').map(({body}) => JSON.parse(body.toString()));
	expect(bodies).toEqual([{slug: 'research', name: 'Research'}, {name: 'Lab'}, {slug: 'app'}, {name: 'App'}]);
});

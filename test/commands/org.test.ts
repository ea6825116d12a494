import {expect, test} from 'vitest';
import {api, asksForScope, inOrg} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const path = `PATCH ${inOrg}`;
const answer = {name: 'Acme Labs', can_manage_members: true, member_count: 3, owner: {name: 'Ada'}, note: '\u001B[2J'};

test.each([80, 120])('an organization is changed and drawn by its plain fields, at %d columns', async width => {
	const {env, seen} = await api({[path]: {json: answer}});
	const result = await testContext({env}).run('org', 'update', '--name', 'Acme Labs');
	expect(drawn(result, width).split('\n')).toEqual([
		'Updated acme.',
		'',
		'name                Acme Labs',
		'can manage members  yes',
		'member count        3',
		'note                ␛[2J',
	]);
	expect(dataOf(result)).toEqual(answer);
	expect(seen.map(({body}) => JSON.parse(body.toString()))).toEqual([{name: 'Acme Labs'}]);
});

test('only given flags are sent, an empty description too', async () => {
	const {env, seen} = await api({[path]: {json: {}}});
	const {run} = testContext({env});
	expect(drawn(await run('org', 'update', '--description', ''), 80)).toBe('Updated acme.');
	await run('org', 'update', '--name', 'A', '--description', 'B');
	expect(seen.map(({body}) => JSON.parse(body.toString()))).toEqual([{description: ''}, {name: 'A', description: 'B'}]);
});

test('an update without changes is refused before anything is sent', async () => {
	const {env, seen} = await api({});
	await expect(testContext({env}).run('org', 'update')).rejects.toMatchObject({
		code: 'usage',
		message: 'Nothing to change.',
	});
	await expect(testContext({env: {...env, SERVICE_ORG: ''}}).run('org', 'update', '--name', 'A')).rejects.toMatchObject(
		{code: 'usage', message: expect.stringMatching(/^No organization selected/)},
	);
	expect(seen.filter(request => !asksForScope(request))).toEqual([]);
});

test.each([
	[403, 'auth'],
	[404, 'not-found'],
	[409, 'conflict'],
])('status %d is the error %s', async (status, code) => {
	const {env} = await api({[path]: {status, json: {code: status, type: 'x_error', detail: 'Owners only'}}});
	await expect(testContext({env}).run('org', 'update', '--name', 'A')).rejects.toMatchObject({
		code,
		message: expect.stringMatching(/Owners only/),
	});
});

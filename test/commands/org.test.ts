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

const entry = (number: number) => ({
	id: `6f1c0b0e-8f5e-4d5c-9c53-00000000000${number}`,
	at: '2026-03-01T12:00:00.000Z',
	act: 'member.role',
	actor: 'ada@acme.example',
	actor_id: '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
	subject: 'grace@acme.example',
	subject_id: null,
	organization: 'acme',
	details: {role: 'admin', note: null},
	address: '192.0.2.7',
	request_id: null,
});

test('what was administered is a table, with the command for older entries', async () => {
	const {env} = await api({[`GET ${inOrg}/audit-log`]: {json: {items: [entry(1)], next_cursor: 'abc'}}});
	const lines = drawn(await testContext({env}).run('org', 'audit'), 120).split('\n');
	expect(lines[0]).toMatch(/^when +act +what +by +from +with/);
	expect(lines[1]).toMatch(
		/^2026-03-01 +member\.role +grace@acme\.example +ada@acme\.example +192\.0\.2\.7 +role=admin$/,
	);
	expect(lines.at(-1)).toBe('Older entries: /org audit --cursor abc');
});

test('an export asks for all parts, and ends at a cursor that came before', async () => {
	const {env, seen} = await api({[`GET ${inOrg}/audit-log`]: {json: {items: [entry(1)], next_cursor: 'abc'}}});
	const result = await testContext({env}).run('org', 'audit', '--since', '2026-03-01', '--export');
	expect(result.kind === 'lines' && result.lines.map(line => JSON.parse(line))).toEqual([entry(1), entry(1)]);
	const asked = seen.filter(request => !asksForScope(request)).map(({url}) => new URL(url ?? '', 'http://a').search);
	const since = 'since=2026-03-01T00%3A00%3A00.000Z&limit=200';
	expect(asked).toEqual([`?${since}`, `?${since}&cursor=abc`]);
});

test('a time that is none is refused before anything is sent', async () => {
	const {env} = await api({});
	await expect(testContext({env}).run('org', 'audit', '--since', 'soon')).rejects.toMatchObject({code: 'usage'});
});

test('administrators see what belongs to no organization', async () => {
	const {env} = await api({'GET /api/v1/admin/audit-log': {json: {items: [], next_cursor: null}}});
	const result = await testContext({env}).run('org', 'audit', '--whole-server');
	expect(drawn(result, 80)).toBe('Nothing was administered in this time. Everything: /org audit');
});

test.each([403, 404])(
	'an administrator who may not act as an owner (%d) deletes an organization of the server',
	async status => {
		const refused = {status, json: {code: status, type: 'x_error', detail: 'Not yours'}};
		const answers = {[`DELETE ${inOrg}`]: refused};
		const {env, seen} = await api({...answers, 'DELETE /api/v1/admin/organizations/acme': {status: 204}});
		const result = await testContext({env}).run('org', 'delete', 'acme', '--yes');
		expect(dataOf(result)).toEqual({organization: 'acme', deleting: true});
		expect(seen.filter(request => !asksForScope(request)).map(({method}) => method)).toEqual(['DELETE', 'DELETE']);
		const other = await api(answers);
		await expect(testContext({env: other.env}).run('org', 'delete', 'acme', '--yes')).rejects.toMatchObject({
			message: expect.stringMatching(/Not yours/),
		});
	},
);

test('an export has the spans of every workspace, each with its slug', async () => {
	const {env} = await api({
		[`GET ${inOrg}/ws`]: ({url}) => ({
			json: {items: url.includes('page=1&') ? [{slug: 'lab'}, {slug: 'main'}] : [], total: 2},
		}),
		[`GET ${inOrg}/ws/lab/spans`]: {json: {items: [{span_id: 'a'}], next: null}},
		[`GET ${inOrg}/ws/main/spans`]: {json: {items: [], next: null}},
	});
	const result = await testContext({env}).run('org', 'export');
	const lines: string[] = [];
	for await (const items of result.kind === 'stream' ? result.batches : []) {
		lines.push(...items.map(({text}) => text));
	}

	expect(lines.map(line => JSON.parse(line))).toEqual([expect.objectContaining({workspace: 'lab', span_id: 'a'})]);
});

test('org delete names the lost machines that it waits for, with the command that forgets one', async () => {
	const machine = {
		id: '4f2a91c0-0000-4000-8000-000000000001',
		host: 'box-7',
		seen_at: '2026-03-01T12:00:00Z',
		sandboxes: 1,
	};
	const {env} = await api({[`DELETE ${inOrg}`]: {json: {lost_machines: [machine]}}});
	const result = await testContext({env}).run('org', 'delete', 'acme', '--yes');
	expect(drawn(result, 400)).toContain('It waits for sandboxes on box-7, which was last seen at 2026-03-01T12:00:00Z.');
	expect(drawn(result, 400)).toContain('serve machine forget 4f2a91c0');
	expect(dataOf(result)).toEqual({organization: 'acme', deleting: true, lost_machines: [machine]});
});

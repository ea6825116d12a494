import {expect, test} from 'vitest';
import {renderResult} from '../../src/command/render/render.ts';
import type {Result} from '../../src/command/result.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {api, inOrg, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const page = (items: readonly object[], total = items.length) => ({json: {items, total, page: 1, page_size: 50}});
const at = {created_at: '2026-03-01T12:00:00Z', updated_at: '2026-03-01T12:00:00Z', expires_at: null};

const entries = {
	'org list': ['/api/v1/org', {slug: 'acme', name: 'Acme', role: 'owner', id, ...at}],
	'workspace list': [`${inOrg}/ws`, {slug: 'lab', name: 'Lab', id, ...at}],
	'project list': [`${inWorkspace}/projects`, {slug: 'parser', name: 'Parser', id, ...at}],
	'env list': [`${inWorkspace}/environments`, {id, state: 'ready', task_ref: 'web-shop', service_urls: {}, ...at}],
	'runtime list': [`${inWorkspace}/runtimes`, {id, key: 'dev-box', status: 'idle', name: 'Box', instance: null, ...at}],
	'session list': [`${inWorkspace}/sessions`, {id, title: 'Refund', message_count: 3, model: 'm', ...at}],
	'run list': [
		`${inWorkspace}/workflows/runs`,
		{id, status: 'pending', title: 'Nightly', project_key: 'parser', ...at},
	],
} as const;
const exactly = (result: Result) =>
	renderResult(result, {width: 120, palette: createPalette({color: false}), exact: true}).join('\n');
const lists = Object.entries(entries).map(([line, [path, entry]]) => ({line, path, entry}));

test.each(lists)('$line shows what the server lists', async ({line, path, entry}) => {
	const {env, seen} = await api({[`GET ${path}`]: page([entry])});
	const here = testContext({env, flags: {exact: true}});
	const result = await here.run(...line.split(' '));
	const [head, row] = drawn(result, 120).split('\n');
	expect(head).toMatch(/^(?:slug|key|id) /);
	expect(row).toMatch(new RegExp(`^${'slug' in entry ? entry.slug : 'key' in entry ? entry.key : id.slice(0, 8)} `));
	expect(exactly(result).split('\n')[1]).toContain('slug' in entry ? entry.slug : 'key' in entry ? entry.key : id);
	expect(dataOf(result)).toEqual(page([entry]).json);
	expect(seen.map(({url}) => url)).toEqual([path]);
});

test.each(lists)('$line shows a hint for an empty list', async ({line, path}) => {
	const {env} = await api({[`GET ${path}`]: page([])});
	expect(drawn(await testContext({env}).run(...line.split(' ')), 120)).toMatch(
		/^(?:No \w+ (?:in this \w+ )?yet\.|You don't belong to an organization\.)/,
	);
});

test.each(lists)('$line says that the server doesn’t support the list', async ({line}) => {
	const {env, origin} = await api({'GET /api/v1/user/preferences': {json: {models: []}}});
	const text = drawn(await testContext({env}).run(...line.split(' ')), 120)
		.split('\n')
		.at(-1);
	// Only the scope of the attempted request was remembered.
	expect(text).toMatch(
		new RegExp(`^${origin} doesn't list \\w+(?:, and this machine has seen none\\.|\\. These were seen)`),
	);
});

test.each([
	['{"message":"no Route matched"}', 404],
	['{}', 405],
	['[]', 200],
] as const)(
	'a list of a host that answers everything with %s and %d is an error: it is no server',
	async (body, status) => {
		const paths = [`${inWorkspace}/environments`, '/api/v1/org', '/api/v1/user/preferences'];
		const answer = {status, bare: JSON.parse(body)};
		const {env, origin} = await api(Object.fromEntries(paths.map(path => [`GET ${path}`, answer])));
		await expect(testContext({env}).run('env', 'list')).rejects.toMatchObject({
			code: 'not-found',
			message: `${origin} doesn't look like a service server.`,
		});
	},
);

test('sandboxes seen on this machine are shown if the server lists none', async () => {
	const made = {id, state: 'ready', task_ref: 'web-shop', execute_token: 'secret-token', ...at};
	const {env, origin} = await api({[`POST ${inWorkspace}/environments`]: {json: made}});
	const here = testContext({env});
	await here.run('env', 'create', 'web-shop');
	const result = await here.run('env', 'list');
	expect(drawn(result, 120).split('\n')).toEqual([
		expect.stringMatching(/^id +state +task ref +.*seen$/),
		expect.stringMatching(new RegExp(`^${id.slice(0, 8)}  ready  web-shop  2026-03-01  now$`)),
		`${origin} doesn't list environments. These were seen on this machine.`,
	]);
	expect(dataOf(result)).toMatchObject({items: [{id, state: 'ready'}], source: 'seen on this machine'});
	expect(JSON.stringify(dataOf(result))).not.toContain('secret-token');
});

test('a list names its next page, and only --project filters it', async () => {
	const {env, seen} = await api({[`GET ${inWorkspace}/environments`]: page([entries['env list'][1]], 5)});
	const here = testContext({env, flags: {project: 'parser'}});
	const result = await here.run('env', 'list', '--page', '2', '--page-size', '2');
	expect(drawn(result, 120)).toContain('Page 2 of 3. Next: /env list --project parser --page 3 --page-size 2');
	await testContext({env}).run('env', 'list');
	expect(seen.map(({url}) => new URL(url, 'http://a').search)).toEqual(['?page=2&page_size=2&project=parser', '']);
});

test('a page that a cursor leads to says how the next one is read, in the same project', async () => {
	const entry = {id, state: 'ready', task_ref: 'web-shop', service_urls: {}, ...at};
	const {env, seen} = await api({
		[`GET ${inWorkspace}/environments`]: {
			json: {items: [entry], total: 9, page: 4, page_size: 1, next_cursor: 'bbb', previous_cursor: null},
		},
	});
	const here = testContext({env, flags: {project: 'parser'}});
	const result = await here.run('env', 'list', '--cursor', 'aaa', '--page-size', '1');
	expect(drawn(result, 120)).toContain('Next: /env list --project parser --cursor bbb --page-size 1');
	expect(seen.at(-1)?.url).toBe(`${inWorkspace}/environments?page_size=1&cursor=aaa&project=parser`);
});

test('listed ids are offered for completion, and their state is remembered', async () => {
	const {env, origin} = await api({
		[`GET ${inWorkspace}/environments`]: page([entries['env list'][1]]),
		'GET /api/v1/org': page([entries['org list'][1]]),
	});
	const here = testContext({env});
	await here.run('env', 'list');
	await here.run('org', 'list');
	const {
		program: {
			local: {recents, sightings},
		},
	} = here.context;
	const profile = new URL(origin).host;
	expect([recents.recall(profile, 'environment'), recents.recall(profile, 'org')]).toEqual([[id], ['acme']]);
	expect(await sightings.recall()).toMatchObject([
		{kind: 'environment', id, shown: {state: 'ready', task_ref: 'web-shop'}},
	]);
});

test('a sandbox that was listed is offered with its task and state where its id is missing', async () => {
	const {env} = await api({[`GET ${inWorkspace}/environments`]: page([entries['env list'][1]])});
	const here = testContext({env});
	await here.run('env', 'list');
	await here.context.program.local.sightings.recall();
	const {runInApp, asked, store} = testContext({like: here, env, answers: [undefined]});
	store.getState().setValuesOf(kind => (kind === 'environment' ? [id] : []));
	await runInApp('env', 'show');
	const [asksFor] = asked as readonly {readonly choices: readonly object[]}[];
	expect(asksFor?.choices[0]).toEqual({id, label: id.slice(0, 8), detail: 'web-shop · ready'});
});

test.each([
	['torn_down', ['env', 'stop', id], [], 'web-shop has already ended.', 1],
	['ready', ['env', 'stop', id], ['no'], 'Nothing changed.', 1],
	['ready', ['env', 'stop', id], ['yes'], 'Stopped web-shop.', 2],
	['ready', ['env', 'stop', id, '--yes'], [], 'Stopped web-shop.', 2],
])('env stop for a sandbox that is %s (%j, %j) says: %s', async (state, words, answers, text, calls) => {
	const environment = {...entries['env list'][1], state};
	const {env, seen} = await api({
		[`GET ${inWorkspace}/environments/${id}`]: {json: environment},
		[`POST ${inWorkspace}/environments/${id}/stop`]: {json: {...environment, state: 'torn_down'}},
	});
	const here = testContext({env, answers});
	const counted = {environment: id, server: 'https://lab.test', task: 'web-shop', expiresAt: 1};
	here.store.getState().setSandboxes([counted]);
	expect(drawn(await here.run(...words), 80)).toBe(text);
	expect(seen).toHaveLength(calls);
	expect(here.store.getState().sandboxes).toEqual(text === 'Nothing changed.' ? [counted] : []);
});

test.each([
	['idle', ['runtime', 'stop', 'dev-box'], [], "dev-box isn't running.", 1],
	['paused', ['runtime', 'stop', 'dev-box'], ['no'], 'Nothing changed.', 1],
	['paused', ['runtime', 'stop', 'dev-box'], ['yes'], 'Stopped dev-box.', 2],
	['running', ['runtime', 'stop', 'dev-box', '--yes'], [], 'Stopped dev-box.', 2],
])('runtime stop for one that is %s (%j, %j) says: %s', async (status, words, answers, text, calls) => {
	const runtime = {...entries['runtime list'][1], status};
	const {env, seen} = await api({
		[`GET ${inWorkspace}/runtimes/dev-box`]: {json: runtime},
		[`POST ${inWorkspace}/runtimes/dev-box/stop`]: {json: {...runtime, status: 'idle'}},
	});
	expect(drawn(await testContext({env, answers}).run(...words), 80)).toBe(text);
	expect(seen).toHaveLength(calls);
});

test('a runtime is created with the given flags, and a hint says how to start it', async () => {
	const runtime = {id, key: 'dev-box', name: 'dev-box', status: 'idle', instance: null, ...at};
	const {env, seen} = await api({[`POST ${inWorkspace}/runtimes`]: {json: runtime}});
	const result = await testContext({env}).run('runtime', 'create', 'dev-box', 'web-shop', '--timeout', '7200');
	expect(JSON.parse(seen[0]?.body.toString() ?? '')).toEqual({
		key: 'dev-box',
		task_ref: 'web-shop',
		project_id: 'parser',
		timeout_sec: 7200,
	});
	expect(drawn(result, 80)).toContain('Start it: /runtime resume dev-box');
	expect(dataOf(result)).toMatchObject(runtime);
});

test.each([
	['usage_limit_exceeded_error', /Ask an owner of acme to buy credits/],
	['member_limit_exceeded_error', /Ask an owner of acme to raise or lift your monthly limit/],
	['org_sandbox_capacity_exceeded_error', /Stop another sandbox of acme first/],
])('a sandbox refused with %s has a hint', async (type, hint) => {
	const refusal = {status: 409, json: {code: 409, type, detail: 'No more.'}};
	const {env} = await api({[`POST ${inWorkspace}/environments`]: refusal});
	const created = testContext({env}).run('env', 'create', 'web-shop');
	await expect(created).rejects.toMatchObject({code: 'conflict', hint: expect.stringMatching(hint)});
});

test('an id that is no UUID is listed whole, because no prefix stands for it', async () => {
	const entry = {...entries['env list'][1], id: 'sandbox-2026-0042'};
	const {env} = await api({[`GET ${entries['env list'][0]}`]: page([entry])});
	expect(drawn(await testContext({env}).run('env', 'list'), 120)).toMatch(/^sandbox-2026-0042 /m);
});

test('a title keeps its room beside columns that a narrow window may leave out', async () => {
	const title = 'Move the settings of both services to the store';
	const rows = ['m1', 'm2'].map(model => ({
		id,
		title,
		message_count: 3,
		model: `provider/${model}-of-some-length`,
		...at,
	}));
	const {env} = await api({[`GET ${inWorkspace}/sessions`]: page(rows)});
	expect(drawn(await testContext({env}).run('session', 'list'), 80)).toContain(title);
});

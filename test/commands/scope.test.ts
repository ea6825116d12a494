import {expect, test} from 'vitest';
import {api, inOrg, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const shop = '33f3f8a1-9c1f-4d4e-8b57-0123456789ab';
const other = '33f3f8a1-0000-4d4e-8b57-0123456789ab';
const run = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const parser = '1c7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const page = (...items: readonly object[]) => ({json: {items, total: items.length, page: 1, page_size: 100}});
const place = (slug: string, id: string = run) => ({
	id,
	slug,
	name: slug.toUpperCase(),
	created_at: '2026-03-01T12:00:00Z',
});
const noScope = {SERVICE_ORG: '', SERVICE_WORKSPACE: '', SERVICE_PROJECT: ''};
const logs = (id: string, where = inWorkspace) => `GET ${where}/environments/${id}/logs`;
const lists = {
	'GET /api/v1/org': page(place('acme')),
	[`GET ${inOrg}/ws`]: page(place('lab')),
	[`GET ${inWorkspace}/projects`]: page(place('parser', parser)),
};

test('the only organization, workspace and project are used without a question', async () => {
	const {env, seen} = await api({
		...lists,
		[`GET ${inWorkspace}/projects/parser/items/schemas`]: {json: {schemas: []}},
	});
	const here = testContext({env: {...env, ...noScope}});
	expect(drawn(await here.run('item', 'schemas'), 80)).toBe(
		'No item schemas yet. Push traces that define one: /trace push <file>',
	);
	expect(here.asked).toEqual([]);
	expect(seen.map(({url}) => url.split('?')[0])).toEqual([
		'/api/v1/org',
		`${inOrg}/ws`,
		`${inWorkspace}/projects`,
		`${inWorkspace}/projects/parser/items/schemas`,
	]);
});

test('the user selects one of several organizations once, and the profile saves it', async () => {
	const {env, origin} = await api({
		'GET /api/v1/org': page(place('acme'), place('globex')),
		'GET /api/v1/user/preferences': {json: {}},
		'GET /api/v1/org/globex/credits/auto-refill': {json: {enabled: false}},
	});
	const login = testContext({flags: {server: origin}});
	await login.run('login', env.SERVICE_API_KEY);
	const first = testContext({like: login, answers: ['globex']});
	await first.run('credits', 'show');
	expect(first.asked).toMatchObject([{title: 'Select the organization', choices: [{id: 'acme'}, {id: 'globex'}]}]);
	const second = testContext({like: login});
	await second.run('credits', 'show');
	expect(second.asked).toEqual([]);
});

test('an organization, a workspace and a project beyond the first 100 are found', async () => {
	const paged = (slug: string, id?: string) => {
		const all = [...Array.from({length: 100}, (_, index) => place(`other-${index}`)), place(slug, id)];
		return ({url}: {readonly url: string}) => {
			const {page: number, page_size: size} = Object.fromEntries(new URL(url, 'http://a').searchParams);
			const start = (Number(number) - 1) * Number(size);
			const items = all.slice(start, start + Number(size));
			return {json: {items, total: all.length, page: Number(number), page_size: Number(size)}};
		};
	};
	const {env, origin, seen} = await api({
		'GET /api/v1/org': paged('acme'),
		[`GET ${inOrg}/ws`]: paged('lab'),
		[`GET ${inWorkspace}/projects`]: paged('parser', parser),
		'GET /api/v1/user/preferences': {json: {}},
		[`GET ${inWorkspace}/workflows/runs/${run}/items`]: {json: []},
	});
	const flags = {server: origin, org: 'acme', workspace: 'lab', project: 'parser'};
	const login = testContext({flags});
	await login.run('login', env.SERVICE_API_KEY);
	await testContext({like: login}).run('run', 'items', run);
	expect(seen.find(({url}) => url.includes('/items?'))?.url).toContain(`project_id=${parser}`);
});

test('without a terminal the error lists the organizations and the flag', async () => {
	const {env} = await api({'GET /api/v1/org': page(place('acme'), place('globex'))});
	await expect(testContext({env: {...env, ...noScope}}).run('credits', 'show')).rejects.toMatchObject({
		code: 'usage',
		message: 'No organization selected. Available: acme, globex.',
		hint: 'Add --org acme, or another of them.',
	});
});

test('organizations seen on this machine are offered if the server lists none', async () => {
	const {env, origin} = await api({
		[`GET ${inOrg}/credits/auto-refill`]: {json: {enabled: false}},
		'GET /api/v1/org/globex/credits/auto-refill': {json: {enabled: false}},
	});
	const before = testContext({env});
	await before.run('credits', 'show');
	const {
		program: {
			local: {recents},
		},
	} = testContext({like: before}).context;
	// Every command writes what it saw a little later, in any order.
	const seen = () => recents.recall(new URL(origin).host, 'org').toSorted();
	await expect.poll(seen).toEqual(['acme']);
	const alone = testContext({like: before, env: {...env, ...noScope}});
	await alone.run('credits', 'show');
	expect(alone.asked).toEqual([]);
	await testContext({like: before, env: {...env, SERVICE_ORG: 'globex'}}).run('credits', 'show');
	await expect.poll(seen).toEqual(['acme', 'globex']);
	const both = testContext({like: before, env: {...env, ...noScope}, answers: ['acme']});
	await both.run('credits', 'show');
	expect(both.asked).toMatchObject([{title: 'Select the organization (seen on this machine)'}]);
});

test('a prefix of a sandbox id is accepted', async () => {
	const listed = {[`GET ${inWorkspace}/environments`]: page({id: shop}), 'GET /api/v1/org': page(place('acme'))};
	const {env} = await api({...listed, [logs(shop)]: {json: {logs: 'open\n'}}});
	expect(drawn(await testContext({env}).run('env', 'logs', '33f3f8a1'), 80)).toBe('open');
	expect(drawn(await testContext({env}).run('env', 'logs', '33F3'), 80)).toBe('open');
	await expect(testContext({env}).run('env', 'logs', '44f3')).rejects.toMatchObject({
		code: 'not-found',
		message: 'No environment id starts with “44f3”.',
	});
});

test('a runtime is found by a prefix of its id, and by a key that looks like one', async () => {
	const listed = page({id: shop, key: 'web-shop'}, {id: other, key: '33f3'});
	const {env, seen} = await api({[`GET ${inWorkspace}/runtimes`]: listed, 'GET /api/v1/org': page(place('acme'))});
	const asked = async (runtime: string) => {
		await testContext({env})
			.run('runtime', 'show', runtime)
			.catch(() => undefined);
		return seen.at(-1)?.url.split('?')[0];
	};
	expect(await asked(shop.slice(0, -4))).toBe(`${inWorkspace}/runtimes/${shop}`);
	expect(await asked('33f3')).toBe(`${inWorkspace}/runtimes/33f3`);
	expect(await asked('cafe')).toBe(`${inWorkspace}/runtimes/cafe`);
	expect(await asked('web-shop')).toBe(`${inWorkspace}/runtimes/web-shop`);
});

test('an ambiguous prefix is refused with the matching ids', async () => {
	const {env} = await api({
		[`GET ${inWorkspace}/environments`]: page({id: shop}, {id: other}),
		'GET /api/v1/org': page(place('acme')),
	});
	await expect(testContext({env}).run('env', 'show', '33f3f8a1')).rejects.toMatchObject({
		code: 'usage',
		message: `“33f3f8a1” matches 2 environment ids: ${shop}, ${other}.`,
	});
});

test('run items accepts a prefix of a run and a project slug', async () => {
	const {env, seen} = await api({
		...lists,
		[`GET ${inWorkspace}/workflows/runs`]: page({id: run}),
		[`GET ${inWorkspace}/workflows/runs/${run}/items`]: {json: []},
	});
	expect(dataOf(await testContext({env}).run('run', 'items', '0b5e'))).toEqual([]);
	expect(seen.at(-1)?.url).toContain(`project_id=${parser}`);
	await expect(testContext({env, flags: {project: 'nope'}}).run('run', 'items', run)).rejects.toMatchObject({
		code: 'not-found',
		message: expect.stringContaining('project “nope”'),
	});
});

test('a sandbox is found in the scope that it was created in', async () => {
	const there = '/api/v1/org/globex/ws/main';
	const {env, seen} = await api({
		[`POST ${there}/environments`]: {json: {id: shop, state: 'ready', task_ref: 'web-shop'}},
		[logs(shop, there)]: {json: {logs: 'open\n'}},
	});
	const login = {...env, ...noScope};
	const made = testContext({env: login, flags: {org: 'globex', workspace: 'main'}});
	await made.run('env', 'create', 'web-shop');
	await made.context.program.local.sightings.recall();
	const later = testContext({like: made, env: login});
	expect(drawn(await later.run('env', 'logs', shop), 80)).toBe('open');
	expect(dataOf(await later.runInApp('watch', 'start', 'open', '33f3f8a1'))).toMatchObject({environment: shop});
	expect(new Set(seen.map(({url}) => url.split('?')[0]))).toEqual(
		new Set([`${there}/environments`, `${there}/environments/${shop}/logs`]),
	);
});

test('login with an unknown organization fails and changes nothing', async () => {
	const {env, origin} = await api({...lists, 'GET /api/v1/user/preferences': {json: {}}});
	const here = testContext({flags: {server: origin, org: 'nope'}});
	await expect(here.run('login', env.SERVICE_API_KEY)).rejects.toMatchObject({
		code: 'not-found',
		message: `Not found on ${new URL(origin).host}: organization “nope”.`,
		hint: 'Available: acme.',
	});
	expect(here.context.program.local.config.read().profiles).toEqual({});
	const good = testContext({flags: {server: origin, org: 'acme', workspace: 'lab', project: 'parser'}});
	await good.run('login', env.SERVICE_API_KEY);
	const workspace = testContext({flags: {server: origin, org: 'acme', workspace: 'nope'}});
	await expect(workspace.run('login', env.SERVICE_API_KEY)).rejects.toMatchObject({code: 'not-found'});
});

import {expect, test} from 'vitest';
import {api, inOrg, inWorkspace} from './api.ts';
import {drawn, testContext} from './context.ts';

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
const lists = {
	'GET /api/v1/org': page(place('acme')),
	[`GET ${inOrg}/ws`]: page(place('lab')),
	[`GET ${inWorkspace}/projects`]: page(place('parser', parser)),
};

test('a prefix of an id selects a workspace and a project; an equal slug wins', async () => {
	const lab = '9a7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
	const {env, seen} = await api({
		[`GET ${inOrg}/ws`]: page(place('lab', lab), place('9a7e', run)),
		[`GET ${inWorkspace}/projects`]: page(
			place('parser', parser),
			place('other', `${parser.slice(0, 6)}11${lab.slice(8)}`),
		),
		[`GET ${inWorkspace}/projects/parser/items/schemas`]: {json: {schemas: []}},
	});
	const schemas = (workspace: string, project: string) =>
		testContext({env, flags: {workspace, project}}).run('item', 'schemas');
	expect(drawn(await schemas('9A7E0b', '1c7e0b0e'), 80)).toBe(
		'No item schemas yet. Push traces that define one: /trace push <file>',
	);
	expect(drawn(await schemas(lab, 'parser'), 80)).toBe(
		'No item schemas yet. Push traces that define one: /trace push <file>',
	);
	await expect(schemas('lab', '1c7e0b')).rejects.toMatchObject({
		code: 'usage',
		message: '“1c7e0b” matches 2 project ids: parser, other.',
		hint: 'Add --project parser, or another of them.',
	});
	await expect(schemas('9a7e', 'parser')).rejects.toMatchObject({code: 'not-found'});
	expect(seen.at(-1)?.url).toContain(`${inOrg}/ws/9a7e/`);
});

test('a given scope is used as it is if the server lists nothing', async () => {
	const {env} = await api({[`GET ${inWorkspace}/projects/cafe/items/schemas`]: {json: {schemas: []}}});
	const here = testContext({env, flags: {project: 'cafe'}});
	expect(drawn(await here.run('item', 'schemas'), 80)).toBe(
		'No item schemas yet. Push traces that define one: /trace push <file>',
	);
});

test('a prefix of a finding is looked up in the findings of the project', async () => {
	const {env, seen} = await api({
		...lists,
		[`GET ${inWorkspace}/airt/projects/parser/findings`]: {json: {findings: [{id: shop}, {id: other}]}},
		[`GET ${inWorkspace}/airt/findings/${shop}`]: {json: {id: shop}},
	});
	await testContext({env}).run('finding', 'show', shop.slice(0, 12));
	expect(seen.at(-1)?.url).toBe(`${inWorkspace}/airt/findings/${shop}`);
	await expect(testContext({env}).run('finding', 'show', '33f3f8a1')).rejects.toMatchObject({code: 'usage'});
});

test('a runtime and a session in the body of a request may be a key or a prefix', async () => {
	const {env, seen} = await api({
		...lists,
		[`GET ${inWorkspace}/runtimes`]: page({id: shop, key: 'dev-box'}),
		[`GET ${inWorkspace}/sessions`]: page({id: other}),
		[`POST ${inWorkspace}/workflows/runs/${run}/claim`]: {json: {}},
		[`POST ${inWorkspace}/projects/parser/items/${run}/submission-stages`]: {json: {}},
	});
	const bodies = () => seen.filter(({method}) => method === 'POST').map(({body}) => JSON.parse(String(body)));
	for (const runtime of ['dev-box', '33f3', shop]) {
		await testContext({env}).run('run', 'claim', run, '--runtime', runtime);
	}

	expect(bodies().map(({runtime_id: id}) => id)).toEqual([shop, shop, shop]);
	const stage = ['item', 'stage', run, '--action', run, '--capability-name', 'a', '--capability-version', '1'];
	const provenance = ['--root-run', 'r', '--platform-session', '33f3', '--runtime', 'dev-box'];
	await testContext({env})
		.run(...stage, ...provenance)
		.catch(() => undefined);
	expect(bodies().at(-1)).toMatchObject({provenance: {platform_session_id: other, runtime_id: shop}});
});

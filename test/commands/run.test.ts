import {expect, test} from 'vitest';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const project = '1c7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const itemsPath = `GET ${inWorkspace}/workflows/runs/${id}/items`;
const schemasPath = `GET ${inWorkspace}/projects/${project}/items/schemas`;
const claimPath = `POST ${inWorkspace}/workflows/runs/${id}/claim`;

const finding = {
	created_at: '2026-11-21T08:00:00Z',
	data: {
		note: 'seen twice',
		steps: [{result: 'a page', action: 'open'}, {action: 'submit'}],
		severity: 'high',
		title: 'SQL injection\nin the search',
		tags: ['web', 'sql'],
		fixed: false,
		owner: null,
		score: 9.1,
	},
	id,
	item_type: 'finding',
	ref: 'F-1',
	run_title: 'Nightly',
	session_id: null,
	workflow_run_id: id,
	workflow_unit: 'probe',
};
const schema = {
	title: 'Security finding',
	$defs: {Step: {title: 'Step', properties: {action: {title: 'Do'}, result: {title: 'See'}}}},
	properties: {
		title: {title: 'Headline'},
		severity: {$ref: '#/$defs/Severity', title: 'Severity'},
		score: {title: 'CVSS'},
		tags: {type: 'array', title: 'Tags'},
		steps: {title: 'To reproduce', items: {$ref: '#/$defs/Step'}},
		fixed: {title: 'Fixed'},
		owner: {anyOf: [{type: 'string'}, {type: 'null'}], title: 'Owner'},
	},
};
const entry = {
	capability: 'triage',
	capability_version: '1',
	item_type: 'finding',
	json_schema: schema,
	schema_ref: 'f@1',
};

async function items(found: unknown, schemas: unknown, ...flags: readonly string[]) {
	const answers = {[itemsPath]: {json: found}, ...(schemas !== undefined && {[schemasPath]: {json: schemas}})};
	const {env, seen} = await api(answers);
	const {run} = testContext({env, flags: {project}});
	return {result: await run('run', 'items', id, ...flags), seen};
}

test.each([80, 120])('an item is drawn by the schema of its type at %d columns', async width => {
	const {result, seen} = await items([finding], {schemas: [entry]});
	expect(drawn(result, width).split('\n')).toEqual([
		'Security finding · F-1',
		'Headline      SQL injection',
		'              in the search',
		'Severity      high',
		'CVSS          9.1',
		'Tags          web, sql',
		'To reproduce  - Do: open',
		'                See: a page',
		'              - Do: submit',
		'Fixed         no',
		'Owner         none',
		'note          seen twice',
		'item          0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'type          finding',
		'run           Nightly',
		'unit          probe',
		'recorded      2026-11-21T08:00:00Z',
	]);
	expect(dataOf(result)).toEqual([finding]);
	expect(seen.map(({url}) => url.split('?')[1])).toEqual([`project_id=${project}&limit=200`, undefined]);
});

test('the schema named by an item wins over the one of its type', async () => {
	const other = {...entry, schema_ref: 'f@2', json_schema: {title: 'Newer', properties: {note: {title: 'Note'}}}};
	const bare = {id, data: {note: 'x'}, item_type: 'finding'};
	const {result} = await items(
		[
			{...bare, schema_ref: 'f@2'},
			{...bare, schema_ref: 'gone'},
			{...bare, item_type: 'else'},
		],
		{schemas: [{...entry, json_schema: {}}, other]},
	);
	expect(drawn(result, 80).split('\n')).toEqual([
		'Newer',
		'Note  x',
		'item  0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'type  finding',
		'',
		'finding',
		'note  x',
		'item  0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'',
		'else',
		'note  x',
		'item  0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
	]);
});

test('fields keep their names without schemas, and a note says why', async () => {
	const {result} = await items(
		[{data: {cvss_score: 9, '\u001B[2J': '\u0007'}, item_type: 'finding', ref: null}],
		undefined,
	);
	expect(
		drawn(result, 200)
			.split('\n')
			.map(line => line.replace(/http\S+(?=:)/, 'it')),
	).toEqual([
		'finding',
		'cvss score  9',
		'␛[2J        ␇',
		'',
		'Shown without schema titles: Not found on it: No such resource (not_found_error).',
	]);
});

test('filters go to the server; a full page says that there may be more', async () => {
	const {result, seen} = await items([finding], {schemas: []}, '--type', 'finding & more', '--limit', '1');
	expect(seen[0]?.url.split('?')[1]).toBe(`project_id=${project}&limit=1&item_type=finding+%26+more`);
	expect(drawn(result, 80)).toMatch(/\n\nShowing the first 1; there may be more\. Raise the limit with --limit\.$/);
});

test('a run without items says so and requests no schemas; neither does --json', async () => {
	const {result, seen} = await items([], undefined);
	expect([drawn(result, 80), dataOf(result), seen.length]).toEqual(['This run recorded no such items.', [], 1]);

	const {env, seen: asked} = await api({[itemsPath]: {json: [finding]}});
	const given = await testContext({env, flags: {project, json: true}}).run('run', 'items', id);
	expect([dataOf(given), asked.length]).toEqual([[finding], 1]);
});

test.each([
	[['--limit', '0'], '--limit must be at least 1.'],
	[['--limit', '1001'], '--limit must be at most 1000.'],
	[['--limit', 'all'], '--limit must be a whole number.'],
])('%j is refused before anything is sent', async (words, message) => {
	const {env, seen} = await api({});
	const {run} = testContext({env, flags: {project}});
	await expect(run('run', 'items', id, ...words)).rejects.toMatchObject({code: 'usage', message});
	await expect(run('run', 'items', 'short')).rejects.toMatchObject({code: 'usage', message: '<run> must be a UUID.'});
	expect(seen).toEqual([]);
});

test('limits at their edges are sent', async () => {
	for (const limit of ['1', '1000']) {
		const {seen} = await items([], undefined, '--limit', limit);
		expect(seen[0]?.url).toContain(`limit=${limit}`);
	}
});

test('a project slug is not found if the server lists no projects', async () => {
	const {env} = await api({});
	await expect(testContext({env}).run('run', 'items', id)).rejects.toMatchObject({
		code: 'not-found',
		message: expect.stringMatching(/^Not found on .*: project “parser”\.$/),
		hint: 'Pass its UUID with --project. List projects: `project list`',
	});
});

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('a claim creates its id once and shows the fencing id', async () => {
	const claimed = {execution_id: 'fence-1\u001B[2J', run_id: id, status: 'running', extra: 1};
	const {env, seen} = await api({[claimPath]: {json: claimed}});
	const result = await testContext({env}).run('run', 'claim', id, '--runtime', project);
	expect(drawn(result, 80).split('\n')).toEqual([
		'run         0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'status      running',
		'fencing id  fence-1␛[2J',
		'',
		'Send the fencing id with every later write from this host.',
	]);
	expect(dataOf(result)).toEqual(claimed);
	expect(seen.map(({body}) => JSON.parse(String(body)))).toEqual([
		{execution_id: expect.stringMatching(uuid), runtime_id: project},
	]);
});

test('each claim is a new attempt, and an attempt can be repeated by its id', async () => {
	const {env, seen} = await api({[claimPath]: {json: {}}});
	const {run} = testContext({env});
	await run('run', 'claim', id);
	await run('run', 'claim', id);
	const result = await run('run', 'claim', id, '--execution', project);
	const [first, second, third] = seen.map(({body}) => JSON.parse(String(body)).execution_id);
	expect([first === second, third]).toEqual([false, project]);
	expect(drawn(result, 80)).toBe('fencing id  none from the server');
});

test('a claim with an unknown outcome says how to repeat it', async () => {
	const {env} = await api({[claimPath]: {text: '<html>Welcome</html>'}});
	await expect(testContext({env}).run('run', 'claim', id, '--execution', project)).rejects.toMatchObject({
		code: 'network',
		hint: `It may have been done. Repeat the same attempt: \`run claim ${id} --execution ${project}\``,
	});
});

test('an interrupted claim says how to repeat it, because its id stood nowhere else', async () => {
	const abort = new AbortController();
	const {env, seen} = await api({
		[claimPath]() {
			abort.abort();
			return {json: {}};
		},
	});
	const here = testContext({env, signal: abort.signal});
	await expect(here.run('run', 'claim', id)).rejects.toThrow();
	const {execution_id: execution} = JSON.parse(String(seen.at(-1)?.body));
	expect(here.said).toEqual([
		`The server may have claimed the run anyway. Repeat the same attempt: service run claim ${id} --execution ${execution}`,
	]);
});

test.each([
	[409, 'conflict'],
	[404, 'not-found'],
	[403, 'auth'],
] as const)('a claim that is refused with %d is over', async (status, code) => {
	const {env, seen} = await api({[claimPath]: {status, json: {code: status, type: 'x', detail: 'Taken'}}});
	await expect(testContext({env}).run('run', 'claim', id)).rejects.toMatchObject({
		code,
		message: expect.stringContaining('Taken'),
	});
	expect(seen).toHaveLength(1);
});

test.each(['--runtime', '--execution'])('%s takes no other text', async flag => {
	const {env, seen} = await api({});
	await expect(testContext({env}).run('run', 'claim', id, flag, 'abc')).rejects.toMatchObject({
		code: 'usage',
		message: `${flag} must be a UUID.`,
	});
	expect(seen.filter(({method}) => method === 'POST')).toEqual([]);
});

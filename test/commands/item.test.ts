import {expect, test} from 'vitest';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const action = '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11';
const stagePath = `POST ${inWorkspace}/projects/parser/items/${id}/submission-stages`;
const schemasPath = `GET ${inWorkspace}/projects/parser/items/schemas`;

const needed = {
	action,
	'capability-name': 'triage',
	'capability-version': '1.2.0',
	'platform-session': id,
	'root-run': 'run-7',
};
const all = {...needed, 'current-task': 'task-1', runtime: action, trace: 't'.repeat(32), span: 's'.repeat(16)};
const flagsOf = (values: Readonly<Record<string, string>>) =>
	Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);

const provenance = {
	capability_name: 'triage',
	capability_version: '1.2.0',
	platform_session_id: id,
	root_run_id: 'run-7',
	current_task_id: 'task-1',
	runtime_id: action,
	trace_id: 't'.repeat(32),
	span_id: 's'.repeat(16),
};
const staged = {
	action_id: action,
	connection_id: id,
	created_at: '2026-11-21T08:00:00Z',
	id,
	item_id: id,
	organization_id: id,
	project_id: id,
	provenance,
	status: 'staged',
	submission_id: null,
	updated_at: '2026-11-21T08:00:00Z',
};

test.each([80, 120])('a stage is drawn at %d columns with the user who staged it', async width => {
	const {env, seen} = await api({[stagePath]: {json: staged}});
	const result = await testContext({env}).run('item', 'stage', id, ...flagsOf(all));
	expect(drawn(result, width).split('\n')).toEqual([
		'status        staged',
		'stage         0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'item          0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'action        6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
		'connection    0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'submission    none yet',
		'project       0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'organization  0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'created       2026-11-21T08:00:00Z',
		'updated       2026-11-21T08:00:00Z',
		'',
		'Staged by',
		'capability  triage@1.2.0',
		'root run    run-7',
		'task        task-1',
		'session     0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'runtime     6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
		'trace       tttttttttttttttttttttttttttttttt',
		'span        ssssssssssssssss',
	]);
	expect(dataOf(result)).toEqual(staged);
	expect(seen.map(({body}) => JSON.parse(String(body)))).toEqual([{action_id: action, provenance}]);
});

test('omitted flags are not sent', async () => {
	const {env, seen} = await api({[stagePath]: {json: {status: 'shelved\u0007'}}});
	const result = await testContext({env}).run('item', 'stage', id, ...flagsOf(needed));
	expect(drawn(result, 80)).toMatch(/^status +shelved␇\n/);
	const {capability_name, capability_version, platform_session_id, root_run_id} = provenance;
	expect(seen.map(({body}) => JSON.parse(String(body)))).toEqual([
		{action_id: action, provenance: {capability_name, capability_version, platform_session_id, root_run_id}},
	]);
});

test.each([
	['capability-name', 255],
	['capability-version', 100],
	['current-task', 128],
	['root-run', 128],
	['span', 16],
	['trace', 32],
])('--%s has 1 to %d characters', async (flag, most) => {
	const {env, seen} = await api({[stagePath]: {json: staged}});
	const stage = (value: string) => testContext({env}).run('item', 'stage', id, ...flagsOf({...all, [flag]: value}));
	await expect(stage('')).rejects.toMatchObject({code: 'usage', message: `--${flag} must have at least 1 character.`});
	await expect(stage('x'.repeat(most + 1))).rejects.toMatchObject({
		code: 'usage',
		message: `--${flag} must have at most ${most} characters.`,
	});
	expect(seen).toEqual([]);
	await stage('x');
	await stage('x'.repeat(most));
	expect(seen).toHaveLength(2);
});

test.each(['action', 'platform-session', 'runtime'])('--%s takes no other text', async flag => {
	const {env, seen} = await api({});
	const words = flagsOf({...all, [flag]: 'no-id'});
	await expect(testContext({env}).run('item', 'stage', id, ...words)).rejects.toMatchObject({
		code: 'usage',
		message: `--${flag} must be a UUID.`,
	});
	expect(seen.filter(({method}) => method === 'POST')).toEqual([]);
});

test('all missing flags are named at once, and so are all invalid ones', async () => {
	const {env, seen} = await api({});
	const {run} = testContext({env});
	await expect(run('item', 'stage', id, '--action', action)).rejects.toMatchObject({
		code: 'usage',
		message: 'item stage needs --capability-name, --capability-version, --platform-session, and --root-run.',
	});
	await expect(run('item', 'stage', 'x', ...flagsOf({...needed, 'root-run': ''}))).rejects.toMatchObject({
		code: 'usage',
		message: '<item> must be a UUID; --root-run must have at least 1 character.',
	});
	expect(seen).toEqual([]);
});

test.each([
	[400, 'failed'],
	[403, 'auth'],
	[404, 'not-found'],
	[409, 'conflict'],
	[422, 'failed'],
] as const)('a refusal with %d says the reason and the fields', async (status, code) => {
	const errors = [{loc: ['body', 'action_id'], msg: 'unknown', type: 'value_error'}];
	const {env} = await api({[stagePath]: {status, json: {code: status, type: 'x_error', detail: 'No.', errors}}});
	await expect(testContext({env}).run('item', 'stage', id, ...flagsOf(needed))).rejects.toMatchObject({
		code,
		message: expect.stringContaining('No (x_error); --action: unknown.'),
	});
});

const schemas = [
	{
		capability: 'triage',
		capability_version: '1.2.0',
		item_type: 'finding',
		json_schema: {title: 'Finding', properties: {title: {}, severity: {}}},
		schema_ref: 'triage/finding@1',
	},
	{capability: null, capability_version: null, item_type: 'note\u001B[2J', json_schema: {}, schema_ref: null},
];

test.each([80, 120])('item types are drawn at %d columns', async width => {
	const {env} = await api({[schemasPath]: {json: {schemas}}});
	const result = await testContext({env}).run('item', 'schemas');
	expect(drawn(result, width).split('\n')).toEqual([
		'type      title    fields  capability    schema',
		'finding   Finding       2  triage@1.2.0  triage/finding@1',
		'note␛[2J                   none',
	]);
	expect(dataOf(result)).toEqual({schemas});
});

test('a project without schemas says so, and an unknown one is not found', async () => {
	const {env} = await api({[schemasPath]: {json: {schemas: []}}});
	const empty = await testContext({env}).run('item', 'schemas');
	expect(drawn(empty, 80)).toBe('No item schemas yet. Push traces that define one: /trace push <file>');
	await expect(testContext({env, flags: {project: 'other'}}).run('item', 'schemas')).rejects.toMatchObject({
		code: 'not-found',
	});
	await expect(testContext({env: {...env, SERVICE_PROJECT: ''}}).run('item', 'schemas')).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(/^No project selected/),
	});
});

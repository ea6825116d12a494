import {expect, test} from 'vitest';
import {api, asksForScope, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '7d9f3a52-1c7e-4f6e-9a55-0123456789ab';
const usage = {
	compaction_count: 1,
	current_cache_creation_input_tokens: 0,
	current_cache_read_input_tokens: 900,
	current_cost_usd: 0.25,
	current_input_tokens: 1200,
	current_message_count: 4,
	current_output_tokens: 300,
	current_tool_call_count: 2,
	last_generation_input_tokens: 2100,
	total_cache_creation_input_tokens: 50,
	total_cache_read_input_tokens: 9000,
	total_cost_usd: null,
	total_input_tokens: 1_234_567,
	total_message_count: 40,
	total_output_tokens: 5000,
	total_tool_call_count: 17,
};
const session = {
	id,
	agent: null,
	archived_at: null,
	created_at: '2026-11-01T08:00:00Z',
	created_by: {email: 'ada@acme.test', id, username: 'ada'},
	frozen_at: '2026-11-02T08:00:00Z',
	frozen_by: 'evaluation',
	labels: {team: ['red', 'blue'], kind: ['probe']},
	last_message_at: '2026-11-01T09:00:00Z',
	message_count: 40,
	model: 'anthropic/claude-sonnet-4-5',
	origin: 'user',
	preview_text: 'Please look at the parser.',
	project_id: id,
	project_name: 'Parser',
	runtime_id: null,
	title: 'Look at the parser',
	updated_at: '2026-11-03T08:00:00Z',
	usage,
	user_id: id,
	visibility: 'workspace',
	workspace_id: id,
	extra: ['kept'],
};

const path = (given: string) => `POST ${inWorkspace}/sessions/${given}/unarchive`;

test.each([80, 120])('an unarchived session is drawn at %d columns', async width => {
	const {env, seen} = await api({[path('7d9f3a52')]: {json: session}});
	const result = await testContext({env}).run('session', 'unarchive', '7d9f3a52');
	expect(drawn(result, width).split('\n')).toEqual([
		'Look at the parser',
		'session       7d9f3a52-1c7e-4f6e-9a55-0123456789ab',
		'archived      no',
		'frozen        2026-11-02T08:00:00Z, by evaluation',
		'agent         none',
		'model         anthropic/claude-sonnet-4-5',
		'origin        user',
		'visibility    workspace',
		'project       Parser',
		'runtime       none',
		'labels        team: red, blue',
		'              kind: probe',
		'created       2026-11-01T08:00:00Z',
		'created by    ada',
		'updated       2026-11-03T08:00:00Z',
		'last message  2026-11-01T09:00:00Z',
		'begins with   Please look at the parser.',
		'',
		'Usage',
		'               current      total',
		'messages             4         40',
		'tool calls           2         17',
		'input tokens     1,200  1,234,567',
		'cache read         900      9,000',
		'cache write          0         50',
		'output tokens      300      5,000',
		'cost            $0.250    unknown',
		'Compactions: 1 · last request: 2,100 input tokens',
	]);
	expect(dataOf(result)).toEqual(session);
	expect(seen.filter(({method}) => method === 'POST').map(({body}) => body.length)).toEqual([0]);
});

test('partial usage is shown, drawn safely [1]', async () => {
	const bare = {id, title: 'a\u001B[2Jb', origin: 'later', usage: {total_input_tokens: 3}};
	const {env} = await api({[path(id)]: {json: bare}});
	const result = await testContext({env}).run('session', 'unarchive', id);
	const lines = drawn(result, 80).split('\n');
	expect(lines.slice(0, 1)).toEqual(['a␛[2Jb']);
	expect(lines.slice(lines.indexOf('Usage'))).toEqual([
		'Usage',
		'               current    total',
		'messages             ?        ?',
		'tool calls           ?        ?',
		'input tokens         ?        3',
		'cache read           ?        ?',
		'cache write          ?        ?',
		'output tokens        ?        ?',
		'cost           unknown  unknown',
		'Compactions: ? · last request: ? input tokens',
	]);
	expect(dataOf(result)).toMatchObject(bare);
});

test.each(['', 'xyz', '7d9f3a5-', `${id}0`, '../x'])('%j is refused before anything is sent', async given => {
	const {env, seen} = await api({});
	const {run} = testContext({env});
	await expect(run('session', 'unarchive', '--', given)).rejects.toMatchObject({code: 'usage'});
	expect(seen).toEqual([]);
});

test.each([
	[403, 'forbidden_error', 'auth'],
	[404, 'not_found_error', 'not-found'],
	[409, 'conflict_error', 'conflict'],
	[422, 'validation_error', 'failed'],
] as const)('a refusal with %d and its reason', async (status, type, code) => {
	const {env} = await api({[path('7d')]: {status, json: {code: status, type, detail: 'Two begin so.'}}});
	await expect(testContext({env}).run('session', 'unarchive', '7d')).rejects.toMatchObject({
		code,
		message: expect.stringContaining(`Two begin so (${type})`),
	});
});

test.each(['SERVICE_ORG', 'SERVICE_WORKSPACE'])('without %s the error says how to select one', async name => {
	const {env, seen} = await api({});
	const {run} = testContext({env: {...env, [name]: ''}});
	await expect(run('session', 'unarchive', id)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(/^No (?:organization|workspace) selected/),
	});
	expect(seen.filter(request => !asksForScope(request))).toEqual([]);
});

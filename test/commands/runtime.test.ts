import {expect, test} from 'vitest';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '1b9f3a52-1c7e-4f6e-9a55-0123456789ab';
const instance = {
	created_at: '2026-11-21T08:00:00Z',
	provider: 'e2b',
	provider_sandbox_id: 'sbx-1',
	sandbox_id: id,
	state: 'running',
	total_runtime_seconds: 754,
	actual_runtime_limit_seconds: 7200,
	configured_runtime_limit_seconds: 7200,
	configured_runtime_limit_source_level: 'l2_org_max',
	requested_runtime_limit_seconds: 14_400,
	requested_runtime_limit_source_level: 'l4_requested',
	billed_credits: 12,
	estimated_total_credits: 4000,
	running_credits: 3,
	expires_at: '2026-11-21T10:00:00Z',
	pause_reason: null,
	runtime_limited_by_credits: false,
	sandbox_url: 'https://sbx-1.test',
	supports_pause: true,
};
const runtime = {
	id,
	key: 'dev-box',
	name: 'Development',
	config_digest: 'sha256:ab',
	config_version: '3',
	created_at: '2026-11-01T08:00:00Z',
	updated_at: '2026-11-21T08:00:00Z',
	description: 'For trying things',
	instance,
	owned_by_me: true,
	project_id: id,
	project_key: 'parser',
	project_name: 'Parser',
	status: 'running',
	workspace_id: id,
};
const resumed = (json: unknown, status = 200) => api({[`POST ${inWorkspace}/runtimes/dev-box/resume`]: {status, json}});

async function resume(json: unknown) {
	const {env} = await resumed(json);
	return testContext({env}).run('runtime', 'resume', 'dev-box');
}

test.each([80, 120])('a resumed runtime is drawn at %d columns with its effective limit', async width => {
	const result = await resume(runtime);
	expect(drawn(result, width).split('\n')).toEqual([
		'Development',
		'status       running',
		'runtime      1b9f3a52-1c7e-4f6e-9a55-0123456789ab',
		'key          dev-box',
		'description  For trying things',
		'project      Parser',
		'yours        yes',
		'config       3, sha256:ab',
		'created      2026-11-01T08:00:00Z',
		'updated      2026-11-21T08:00:00Z',
		'',
		'Sandbox',
		'state          running',
		'pause reason   none',
		'can be paused  yes',
		'expires        2026-11-21T10:00:00Z',
		'uptime         754 s (12 m 34 s)',
		'address        https://sbx-1.test',
		'provider       e2b, sbx-1',
		'sandbox        1b9f3a52-1c7e-4f6e-9a55-0123456789ab',
		'created        2026-11-21T08:00:00Z',
		'',
		'Time limits, highest precedence first',
		'level             limit',
		'platform max      –',
		'platform default  –',
		'org max           7,200 s (2 h 00 m)   configured',
		'org default       –',
		'requested         14,400 s (4 h 00 m)  requested',
		'actual            7,200 s (2 h 00 m)   effective: org max',
		'– = no limit set',
		'',
		'Credits',
		'billed              12',
		'running             3',
		'estimated total     4,000',
		'limited by credits  no',
	]);
	expect(dataOf(result)).toEqual(runtime);
});

test('a runtime without a sandbox says so', async () => {
	const result = await resume({key: 'dev-box', status: 'idle', project_id: null, instance: null});
	expect(drawn(result, 80).split('\n')).toEqual([
		'-',
		'status   idle',
		'runtime  -',
		'key      dev-box',
		'project  none',
		'config   -, -',
		'created  -',
		'updated  -',
		'',
		'No sandbox right now.',
	]);
});

test('pause, future levels and credit limits are shown as sent; nothing is inferred from a provider', async () => {
	const result = await resume({
		status: 'hibernating',
		instance: {
			provider: 'e2b',
			state: 'paused',
			pause_reason: 'insufficient_credits',
			configured_runtime_limit_seconds: 600,
			configured_runtime_limit_source_level: 'l9_\u001B[31mmoon',
			requested_runtime_limit_seconds: 30,
			actual_runtime_limit_seconds: 45,
			runtime_limited_by_credits: true,
		},
	});
	expect(drawn(result, 80).split('\n')).toEqual([
		'-',
		'status   hibernating',
		'runtime  -',
		'key      -',
		'project  none',
		'config   -, -',
		'created  -',
		'updated  -',
		'',
		'Sandbox',
		'state          paused',
		'pause reason   insufficient credits',
		'can be paused  unknown',
		'expires        not set',
		'provider       e2b',
		'',
		'Time limits, highest precedence first',
		'level             limit',
		'platform max      –',
		'platform default  –',
		'org max           –',
		'org default       –',
		'requested         –',
		'l9_␛[31mmoon      600 s (10 m 00 s)  configured',
		'level unknown     30 s               requested',
		'actual            45 s               limited by credits',
		'– = no limit set',
		'',
		'Credits',
		'billed              0',
		'running             0',
		'estimated total     0',
		'limited by credits  yes',
	]);
});

test.each([
	[409, 'conflict_error', 'conflict', 'The provider cannot suspend it'],
	[403, 'forbidden_error', 'auth', 'Not yours'],
	[404, 'not_found_error', 'not-found', 'No such runtime'],
] as const)('a refusal with %d says the reason of the server', async (status, type, code, detail) => {
	await expect(
		resumed({code: status, type, detail}, status).then(({env}) =>
			testContext({env}).run('runtime', 'resume', 'dev-box'),
		),
	).rejects.toMatchObject({code, message: expect.stringContaining(`: ${detail} (${type}).`)});
});

test.each([
	[{requested_runtime_limit_seconds: 90, requested_runtime_limit_source_level: 'l4_requested'}, 'effective: requested'],
	[
		{configured_runtime_limit_seconds: 90, configured_runtime_limit_source_level: 'l1_platform_max'},
		'effective: platform max',
	],
	[{configured_runtime_limit_seconds: 90}, ''],
	[{configured_runtime_limit_seconds: 60, configured_runtime_limit_source_level: 'l2_org_max'}, ''],
])('an actual limit of 90 s with %j reads “%s”', async (limits, said) => {
	const result = await resume({instance: {...limits, actual_runtime_limit_seconds: 90}});
	expect(drawn(result, 80)).toMatch(new RegExp(`^actual +90 s \\(1 m 30 s\\)${said && `  ${said}`}$`, 'm'));
});

test('invalid times are shown as numbers', async () => {
	const result = await resume({
		instance: {actual_runtime_limit_seconds: 1e308, configured_runtime_limit_seconds: -5, total_runtime_seconds: 0},
	});
	expect(drawn(result, 80)).toMatch(/^uptime +0 s$/m);
	expect(drawn(result, 80)).toMatch(/^level unknown +-5 s +configured$/m);
	expect(drawn(result, 80)).toMatch(/^actual +1\.00e\+308 s$/m);
});

test.each([[''], ['..'], ['.']])('%j is not a runtime: nothing is sent', async given => {
	const {env, seen} = await api({});
	await expect(testContext({env}).run('runtime', 'resume', given)).rejects.toMatchObject({code: 'usage'});
	expect(seen).toEqual([]);
});

test('a key with a slash is one segment of the path', async () => {
	const {env, seen} = await api({});
	await expect(testContext({env}).run('runtime', 'resume', 'a/../b')).rejects.toMatchObject({code: 'not-found'});
	expect(seen.map(({url}) => url)).toEqual([`${inWorkspace}/runtimes/a%2F..%2Fb/resume`]);
});

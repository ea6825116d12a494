import {expect, test} from 'vitest';
import {api, asksForScope, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11';
const listUrl = `${inWorkspace}/airt/projects/parser/findings`;
const showUrl = `${inWorkspace}/airt/findings/${id}`;

const finding = {
	id,
	assessment_id: '6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
	attack_name: 'crescendo',
	goal: 'Reveal the system prompt',
	goal_category: 'leak',
	severity: 'high',
	status: 'completed',
	best_score: 0.91,
	completed_at: null,
	created_at: '2020-01-02T03:04:05Z',
	compliance_tags: null,
	execution_time_s: 72.4,
	finished_trials: 8,
	total_trials: 10,
	transforms_applied: ['base64', 'rot13'],
	finding_status: 'open',
	is_jailbreak: true,
	target_model: 'openai/gpt-4o-mini',
	unknown_field: {kept: true},
};

test.each([
	[
		80,
		[
			'finding   severity  score  attack     status  created     goal',
			`${id.slice(0, 8)}  high       0.91  crescendo  open    2020-01-02  Reveal the system pro…`,
			'x         dire',
		],
	],
	[
		120,
		[
			'finding   severity  score  attack     status  created     goal',
			`${id.slice(0, 8)}  high       0.91  crescendo  open    2020-01-02  Reveal the system prompt`,
			'x         dire',
		],
	],
])('findings are drawn at %d columns', async (width, lines) => {
	const page = {findings: [finding, {id: 'x', severity: 'dire', best_score: 'none'}], total: 2};
	const {env, seen} = await api({[`GET ${listUrl}`]: {json: page}});
	const result = await testContext({env}).run('finding', 'list');
	expect(drawn(result, width).split('\n')).toEqual(lines);
	expect(dataOf(result)).toEqual(page);
	expect(seen.map(({url}) => url)).toEqual([listUrl]);
});

test('findings are sorted and paged by the server', async () => {
	const {env, seen} = await api({[`GET ${listUrl.replace('parser', 'other')}`]: {json: {findings: [finding]}}});
	const {run} = testContext({env, flags: {project: 'other'}});
	const result = await run('finding', 'list', '--sort', 'date', '--asc', '--page', '3', '--page-size', '1');
	expect(drawn(result, 80).split('\n').at(-1)).toBe(
		'There may be more: /finding list --sort date --asc --page 4 --page-size 1',
	);
	expect(seen[0]?.url.split('?')[1]?.split('&').sort()).toEqual(
		['sort_by=date', 'sort_dir=asc', 'page=3', 'page_size=1'].sort(),
	);
});

test('a page without findings says so', async () => {
	const {env} = await api({[`GET ${listUrl}`]: {json: {}}});
	expect(drawn(await testContext({env}).run('finding', 'list'), 80)).toBe(
		'No findings yet. In another project: /finding list --project <slug>',
	);
});

test.each([80, 120])('a finding is drawn at %d columns', async width => {
	const {env} = await api({[`GET ${showUrl}`]: {json: finding}});
	const result = await testContext({env}).run('finding', 'show', id);
	expect(drawn(result, width).split('\n')).toEqual([
		'crescendo',
		`finding     ${id}`,
		'severity    high',
		'status      open',
		'jailbreak   yes',
		'run         completed',
		'trials      8 of 10',
		'time        1 m 12 s',
		'assessment  6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
		'transforms  base64, rot13',
		'created     2020-01-02T03:04:05Z',
		'',
		'Goal',
		'goal           Reveal the system prompt',
		'goal category  leak',
		'',
		'Models',
		'target  openai/gpt-4o-mini',
		'',
		'Scores',
		'best score  0.91',
	]);
	expect(dataOf(result)).toEqual(finding);
});

test('[16] showing a finding fetches none of its media', async () => {
	const {origin, env, seen} = await api({
		[`GET ${showUrl}`]: ({headers}) => ({
			json: {
				id,
				trace_id: 't1',
				best_response_parts: [
					{kind: 'image', source: {ref: 'url', url: `http://${headers['host']}/image.png`}},
					{kind: 'image', source: {ref: 'artifact', artifact_oid: 'a1'}},
					{kind: 'file', source: {ref: 'file_id', file_id: 'f1'}},
				],
			},
		}),
	});
	const result = await testContext({env}).run('finding', 'show', id);
	expect(drawn(result, 120).split('\n').slice(-6)).toEqual([
		`response  [image] url ${origin}/image.png (on record only, not fetched)`,
		'          [image] artifact a1',
		'          [file] file_id f1 (on record only, not fetched)',
		'',
		'Media are named by the oid of their artifact.',
		'/trace artifact t1 <oid> --download saves one.',
	]);
	expect(seen.map(({url}) => url)).toEqual([showUrl]);
});

test.each([
	[{}, ['show', 'one'], /<finding> must be/],
	[{}, ['show'], /needs <finding>/],
	[{}, ['list', '--sort', 'age'], /must be one of score, created_at, updated_at, severity/],
	[{SERVICE_PROJECT: ''}, ['list'], /No project selected/],
] as const)('%j %j is refused before anything is sent', async (extra, words, message) => {
	const {env, seen} = await api({});
	await expect(testContext({env: {...env, ...extra}}).run('finding', ...words)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(message),
	});
	expect(seen.filter(request => !asksForScope(request))).toEqual([]);
});

test.each([
	[404, 'not-found'],
	[403, 'auth'],
	[422, 'failed'],
])('status %d is the error %s', async (status, code) => {
	const {env} = await api({[`GET ${showUrl}`]: {status, json: {code: status, type: 'x_error', detail: 'No.'}}});
	await expect(testContext({env}).run('finding', 'show', id)).rejects.toMatchObject({code});
});

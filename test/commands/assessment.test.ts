import {expect, test} from 'vitest';
import {api, asksForScope, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const assessment = '0b5a1a3e-52a0-4d0e-8f0c-6d9a8d1d7c11';
const listPath = `GET ${inWorkspace}/airt/assessments`;
const attacksPath = `GET ${inWorkspace}/airt/assessments/${assessment}/traces/attacks`;

const page = {
	items: [
		{id: assessment, status: 'running', sandbox: {state: 'ready'}, name: 'nightly', attempts: 3, owner: null},
		{id: 'b2', status: 'half-done', extra: '\u001B[2J'},
	],
	total: 51,
};

test.each([80, 120])('assessments are drawn with their plain fields at %d columns', async width => {
	const {env, seen} = await api({[listPath]: {json: page}});
	const result = await testContext({env}).run('assessment', 'list', '--page', '2', '--page-size', '2');
	expect(drawn(result, width).split('\n')).toEqual([
		'id        name     status     attempts  extra',
		`${assessment.slice(0, 8)}  nightly  running           3`,
		'b2                 half-done            ␛[2J',
		'There may be more: /assessment list --page 3 --page-size 2',
	]);
	expect(dataOf(result)).toEqual(page);
	expect(seen.map(({url}) => url)).toEqual([`${inWorkspace}/airt/assessments?page=2&page_size=2`]);
});

test.each([
	[{items: []}, 'No assessments yet. In another workspace: /assessment list --workspace <slug>'],
	[{}, 'No assessments yet. In another workspace: /assessment list --workspace <slug>'],
	[{items: [{sandbox: {}}]}, "1 can't be shown as a table; --json shows all."],
])('%j is described in words', async (json, text) => {
	const {env} = await api({[listPath]: {json}});
	expect(drawn(await testContext({env}).run('assessment', 'list'), 80)).toBe(text);
});

const attack = {
	attack_name: 'crescendo',
	goal: 'Reveal the system prompt',
	goal_category: 'leak',
	asr: 0.25,
	best_score: 0.91349,
	is_jailbreak: true,
	finished_trials: 8,
	total_trials: 10,
	execution_time_s: 72.4,
	target_model: 'openai/gpt-4o-mini',
	attacker_model: 'mistral/large',
	evaluator_model: 'custom/judge',
};
const bare = {attack_name: 'tap', goal: 'g', goal_category: 'c'};
const hostile = {...bare, asr: 1e308, best_score: -5, execution_time_s: 1e308, is_jailbreak: false, total_trials: 'x'};

test.each([80, 120])('attacks are drawn with their rates at %d columns', async width => {
	const {env} = await api({[attacksPath]: {json: [attack, bare, hostile]}});
	const result = await testContext({env}).run('assessment', 'attacks', assessment);
	const cut = width === 80 ? 'openai/gpt-4o-mini' : 'openai/gpt-4o-mini  Reveal the system prom…  mistral/large';
	const goal = width === 80 ? '' : `${' '.repeat(22)}g`;
	expect(drawn(result, width).split('\n')).toEqual([
		`attack           ASR  score  jailbreak   trials         time  target${width === 80 ? '' : '              goal                     attacker'}`,
		`crescendo       0.25  0.913  yes        8 of 10     1 m 12 s  ${cut}`,
		width === 80 ? 'tap' : `tap${' '.repeat(79)}g`,
		`tap        1.00e+308     -5  no                  1.00e+308 s${goal}`,
		`Widen the window to see: ${width === 80 ? 'goal, attacker, ' : ''}evaluator`,
		'ASR is the attack success rate.',
	]);
	expect(dataOf(result)).toEqual([attack, bare, hostile]);
});

test('an assessment without attacks says so', async () => {
	const {env} = await api({[attacksPath]: {json: []}});
	expect(drawn(await testContext({env}).run('assessment', 'attacks', assessment), 80)).toBe(
		'No attacks yet. Push traces that record some: /trace push <file>',
	);
});

test.each([
	[{}, ['attacks', 'nightly'], {code: 'usage', message: /<assessment> must be/}],
	[{}, ['attacks'], {code: 'usage', message: /needs <assessment>/}],
	[{}, ['list', '--page', 'two'], {code: 'usage', message: /--page must be a whole number/}],
	[{}, ['list', '--page-size', '1.5'], {code: 'usage', message: /--page-size must be a whole number/}],
	[{SERVICE_WORKSPACE: ''}, ['list'], {code: 'usage', message: /No workspace selected/}],
] as const)('%j %j is refused before anything is sent', async (extra, words, {code, message}) => {
	const {env, seen} = await api({});
	await expect(testContext({env: {...env, ...extra}}).run('assessment', ...words)).rejects.toMatchObject({
		code,
		message: expect.stringMatching(message),
	});
	expect(seen.filter(request => !asksForScope(request))).toEqual([]);
});

test('an assessment of another tenant is not found', async () => {
	const {env} = await api({});
	await expect(testContext({env}).run('assessment', 'attacks', assessment)).rejects.toMatchObject({code: 'not-found'});
});

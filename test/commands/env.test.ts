import {expect, test} from 'vitest';
import {renderResult} from '../../src/command/render/render.ts';
import {printResult} from '../../src/headless/print.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {output} from '../headless/output.ts';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const token = 'exec-0123456789abcdef';
const environment = {
	id,
	state: 'ready',
	task_ref: 'acme/triage@2',
	created_at: '2026-11-21T08:00:00Z',
	expires_at: '2026-11-21T09:00:00Z',
	error: null,
	execute_token: token,
	instruction: 'Look at the queue.\nThen triage it.',
	service_urls: {web: {url: `https://web.test/?key=${token}`}, shell: {url: 'wss://shell.test', port: 22, tls: true}},
	task_verification: {kind: 'script', points: 3},
	extra: [1],
};
const path = `POST ${inWorkspace}/environments`;

async function create(json: unknown, ...flags: readonly string[]) {
	const {env, seen} = await api({[path]: {json}});
	const result = await testContext({env}).run('env', 'create', 'acme/triage@2', ...flags);
	return {result, sent: seen.map(({body}) => JSON.parse(String(body)))};
}

test.each([80, 120])('a new sandbox is drawn at %d columns, without its token [8]', async width => {
	const {result, sent} = await create(environment);
	expect(drawn(result, width).split('\n')).toEqual([
		'acme/triage@2',
		'state          ready',
		'environment    0b5e0a1c-9c1f-4d4e-8b57-0123456789ab',
		'created        2026-11-21T08:00:00Z',
		'expires        2026-11-21T09:00:00Z',
		'execute token  *** (create with --show-token to see it)',
		'',
		'Services',
		'web    https://web.test/?key=***',
		'shell  wss://shell.test, port 22, tls yes',
		'',
		'Verification',
		'kind    script',
		'points  3',
		'',
		'Instruction',
		'Look at the queue.',
		'Then triage it.',
	]);
	expect(sent).toEqual([{task_ref: 'acme/triage@2', project_id: 'parser'}]);
});

test.each([
	[{expires_at: '2199-11-21T09:00:00Z'}, 'expires'],
	[{error: 'no room', service_urls: {}}, 'error'],
])(
	'in the app a new sandbox is a card of at most six lines, and the task is offered to the prompt only [8]',
	async (changed, label) => {
		const {env} = await api({
			[path]: {json: {...environment, ...changed, service_urls: {...environment.service_urls, more: {}}}},
		});
		const here = testContext({env});
		const result = await here.runInApp('env', 'create', 'acme/triage@2');
		const lines = drawn(result, 80).split('\n');
		expect(lines.length).toBeLessThanOrEqual(6);
		expect(lines[0]).toBe('acme/triage@2 · ready');
		expect(lines.some(line => line.startsWith(label))).toBe(true);
		expect(lines.at(-1)).toMatch(/^Task, verification, [12] more services?: \/env show 0b5e0a1c$/);
		expect(lines.join()).not.toMatch(/queue|exec-0123/);
		expect(here.store.getState().offered?.text.match(/Look at the queue/g)).toHaveLength(1);
		expect(dataOf(result)).toMatchObject({id, execute_token: '***', instruction: environment.instruction});
	},
);

test('the data is the response without the token, at any place [8]', async () => {
	const {result} = await create(environment);
	const {web, ...others} = environment.service_urls;
	expect(dataOf(result)).toEqual({
		...environment,
		execute_token: '***',
		service_urls: {...others, web: {url: 'https://web.test/?key=***'}},
	});
	expect(JSON.stringify(result)).not.toContain(token);
});

test('--show-token keeps the response unchanged', async () => {
	const {result} = await create(environment, '--show-token');
	expect(dataOf(result)).toEqual(environment);
	expect(drawn(result, 80)).toMatch(new RegExp(`^execute token +${token}$`, 'm'));
});

test.each([
	[null, null],
	['', ''],
	['short', '***'],
	[{value: token}, '***'],
	[undefined, undefined],
])('the token %j is printed as %j', async (execute_token, shown) => {
	const {execute_token: _, ...rest} = environment;
	const {result} = await create({...rest, execute_token});
	expect(dataOf(result)).toEqual({...rest, ...(shown !== undefined && {execute_token: shown})});
});

test('a failed sandbox says why, drawn safely [1]', async () => {
	const {result} = await create({
		state: 'failed',
		expires_at: null,
		error: 'no image\u001B[2J',
		instruction: '\u202Eodd',
		service_urls: {'\u001B]0;x\u0007': {}, list: [1]},
	});
	expect(drawn(result, 80).split('\n')).toEqual([
		'-',
		'state        failed',
		'environment  -',
		'created      -',
		'expires      not set',
		'error        no image␛[2J',
		'',
		'Services (ended with the sandbox)',
		'␛]0;x␇  no details',
		'',
		'Instruction',
		'⟨U+202E⟩odd',
	]);
});

test('inputs, models, secrets and the timeout are sent as given', async () => {
	const flags = ['--input', 'repo=a=b', '--input', 'tries:=3', '--model-override', 'judge=openai/gpt-5'];
	const {sent} = await create(environment, ...flags, '--secret', 's1', '--secret=s2', '--timeout', '90');
	expect(sent).toEqual([
		{
			task_ref: 'acme/triage@2',
			inputs: {repo: 'a=b', tries: 3},
			model_overrides: {judge: 'openai/gpt-5'},
			project_id: 'parser',
			secret_ids: ['s1', 's2'],
			timeout_sec: 90,
		},
	]);
});

test('the project comes from the scope and is optional', async () => {
	const {env, seen} = await api({[path]: {json: {}}});
	await testContext({env, flags: {project: 'other'}}).run('env', 'create', 'task');
	await testContext({env: {...env, SERVICE_PROJECT: ''}}).run('env', 'create', 'task');
	expect(seen.map(({body}) => JSON.parse(String(body)))).toEqual([
		{task_ref: 'task', project_id: 'other'},
		{task_ref: 'task'},
	]);
});

test.each([
	[['--input', 'repo'], '--input takes name=value, not “repo”.'],
	[['--model-override', 'a=b', '--model-override', 'a=c'], '--model-override names “a” twice.'],
	[['--timeout', 'soon'], '--timeout must be a whole number.'],
	[['--timeout', ''], '--timeout must be a whole number.'],
	[['--timeout', '1.5'], '--timeout must be a whole number.'],
	[['more'], 'Unexpected argument “more” for env create.'],
])('%j is refused before anything is sent', async (words, message) => {
	const {env, seen} = await api({});
	await expect(testContext({env}).run('env', 'create', 'task', ...words)).rejects.toMatchObject({
		code: 'usage',
		message,
	});
	expect(seen).toEqual([]);
});

const log = '\u001B[32mready\r\nstill green\u001B[0m\n\u001B[2Jgone\u0007 \u001B]0;owned\u001B\\\n\nlast\n';
const logsOf = (json: unknown) => api({[`GET ${inWorkspace}/environments/${id}/logs`]: {json}});

test('a terminal shows the colours of a log and no other control sequence [1] [2]', async () => {
	const {env} = await logsOf({logs: log, extra: 1});
	const result = await testContext({env}).run('env', 'logs', id);
	expect(drawn(result, 80).split('\n')).toEqual(['ready', 'still green', '␛[2Jgone␇ ␛]0;owned␛\\', '', 'last']);
	expect(renderResult(result, {width: 80, palette: createPalette({color: true})}).slice(0, 2)).toEqual([
		'\u001B[32mready\u001B[0m',
		'\u001B[32mstill green\u001B[0m',
	]);
	expect(dataOf(result)).toEqual({logs: log, extra: 1});
});

test('a pipe gets a log byte for byte', async () => {
	const {env} = await logsOf({logs: log});
	const pipe = output();
	printResult(await testContext({env}).run('env', 'logs', id), pipe, {json: false, env: {}});
	expect(pipe.text()).toBe(log);
});

test.each([{}, {logs: 5}, {logs: null}])('%j is an invalid response, not an empty log', async bare => {
	const {env, origin} = await api({[`GET ${inWorkspace}/environments/${id}/logs`]: {bare}});
	await expect(testContext({env}).run('env', 'logs', id)).rejects.toMatchObject({
		code: 'network',
		message: `${origin} returned a response without logs.`,
	});
});

test('an empty log is reported on standard error', async () => {
	const {env} = await logsOf({logs: ''});
	const {run, said} = testContext({env});
	const pipe = output();
	printResult(await run('env', 'logs', id), pipe, {json: false, env: {}});
	expect([pipe.text(), said]).toEqual(['', ['The log is empty.']]);
});

test('an unknown sandbox id or prefix is not found', async () => {
	const {env, seen} = await api({});
	const {run} = testContext({env});
	await expect(run('env', 'logs', 'shop')).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid sandbox id “shop”.',
	});
	expect(seen).toEqual([]);
	await expect(run('env', 'logs', id.slice(0, 8))).rejects.toMatchObject({code: 'not-found'});
	await expect(run('env', 'logs', id)).rejects.toMatchObject({code: 'not-found'});
});

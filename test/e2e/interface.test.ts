import {statSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {findCommand} from '../../src/command/table.ts';
import {httpServer} from '../net/servers.ts';
import {connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {type Answer, startModelHost} from './model-host.ts';
import {folderWith, runProgram} from './program.ts';
import {startWireHost} from './wire-host.ts';

// What other programs rely on. What a process adds, its exit status and streams, is in exit-status.test.ts.

const key = 'sk-e2e-0123456789-wxyz';
const bearer = {authorization: `Bearer ${key}`};

/** Each wire format: what its base URL ends in, and how a request looks. */
const requests = {
	anthropic: {suffix: '', path: '/v1/messages', headers: {'x-api-key': key}},
	responses: {suffix: '/v1', path: '/v1/responses', headers: bearer},
	gemini: {
		suffix: '',
		path: '/v1beta/models/alpha:streamGenerateContent?alt=sse',
		headers: {'x-goog-api-key': key},
	},
	chat: {suffix: '/v1', path: '/v1/chat/completions', headers: bearer},
} as const;

test.each([
	['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'anthropic/alpha', 'anthropic'],
	['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'openai/alpha', 'responses'],
	['GOOGLE_API_KEY', 'GOOGLE_BASE_URL', 'google/alpha', 'gemini'],
	['GEMINI_API_KEY', 'GOOGLE_BASE_URL', 'google/alpha', 'gemini'],
	['MISTRAL_API_KEY', 'MISTRAL_BASE_URL', 'mistral/alpha', 'chat'],
	['GROQ_API_KEY', 'GROQ_BASE_URL', 'groq/alpha', 'chat'],
	['CUSTOM_API_KEY', 'CUSTOM_BASE_URL', 'custom/alpha', 'chat'],
] as const)('%s and %s are the key and the address of %s', async (keyName, baseName, model, wire) => {
	const host = await startWireHost(wire, [{text: 'Done.'}]);
	const {suffix, path, headers} = requests[wire];
	const env = {[keyName]: key, [baseName]: `${host.origin}${suffix}`};
	const ended = await runInProcess(['-p', 'hi', '--model', model], {env});
	expect(ended).toEqual({status: 0, stdout: 'Done.\n', stderr: ''});
	expect(host.seen.find(({method}) => method === 'POST')).toMatchObject({url: path, headers});
});

test('without the app, a model hears of commands that a shell has', async () => {
	const host = await startModelHost();
	host.answerWith(
		({call, finish}) => {
			call('environment_logs', {environment: '33f3f8a1-0000-4000-8000-000000000000'});
			finish('tool_calls');
		},
		({say, finish}) => {
			say('I cannot.');
			finish();
		},
	);
	const {env, args} = connectedTo(host);
	await runInProcess(['-p', 'Read the log', ...args], {env: {...env, SERVICE_SERVER: 'http://127.0.0.1:1'}});
	expect(host.chats().at(-1)?.join('\n')).toMatch(
		/log in with \S*.* login or choose a server with \S*.* connect <url>; no tool can\./,
	);
});

test('no .env file is read', async () => {
	const folder = folderWith({'.env': `SERVICE_SERVER=http://127.0.0.1:1\nOPENAI_API_KEY=${key}\n`});
	const {stdout} = await runInProcess(['keys', 'list', '--json'], {folder});
	expect(JSON.parse(stdout)).toEqual([]);
});

describe('a server and a scope', () => {
	test('are selected by the environment, and by flags before it', async () => {
		const {origin: server} = await httpServer((_, response) => void response.end('{}'));
		const env = {
			...{SERVICE_SERVER: server, SERVICE_API_KEY: key, SERVICE_ORG: 'acme'},
			...{SERVICE_WORKSPACE: 'main', SERVICE_PROJECT: 'demo'},
		};
		const whoami = async (...args: readonly string[]) =>
			JSON.parse((await runInProcess(['whoami', '--json', ...args], {env})).stdout);
		const credential = {kind: 'api-key', last4: 'wxyz'};
		expect(await whoami()).toMatchObject({server, org: 'acme', workspace: 'main', project: 'demo', credential});
		expect(await whoami('--org', 'b', '--workspace', 'c', '--project', 'd', '--server', server)).toMatchObject({
			...{server, org: 'b', workspace: 'c', project: 'd', credential},
		});
	});

	test('are those of the profile that SERVICE_PROFILE or --profile names', async () => {
		const {origin: server} = await httpServer((_, response) => void response.end('{}'));
		const home = join(folderWith(), 'home');
		const login = ['login', key, '--server', server, '--profile'];
		expect(await runInProcess([...login, 'one'], {home})).toMatchObject({status: 0});
		expect(await runInProcess([...login, 'two'], {home})).toMatchObject({status: 0});
		const whoami = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
			JSON.parse((await runInProcess(['whoami', '--json', ...args], {home, env})).stdout).profile;
		expect(await whoami([], {SERVICE_PROFILE: 'one'})).toBe('one');
		expect(await whoami(['--profile', 'one'], {SERVICE_PROFILE: 'two'})).toBe('one');
	});
});

describe('the exit status of -p', () => {
	// The others are in exit-status.test.ts.
	const says =
		(reason: 'length' | 'content_filter') =>
		({say, finish}: Answer) => {
			say('Some text.');
			finish(reason);
		};
	const fails =
		(status: number) =>
		({refuse}: Answer) =>
			refuse(status, 'application/json', '{"error":{"message":"No."}}');

	test.each([
		['an answer that is cut at the token limit', says('length'), 3, 'max_tokens', 'incomplete'],
		['a filtered answer', says('content_filter'), 3, 'refusal', 'incomplete'],
		['a forbidden model', fails(403), 4, 'error', 'auth'],
		['a model that is not found', fails(404), 5, 'error', 'not-found'],
	] as const)('tells %s', async (_, script, status, reason, code) => {
		const host = await startModelHost();
		host.answerWith(script);
		const {args, env} = connectedTo(host);
		const ended = await runInProcess([...args, '-p', 'hi', '--output-format', 'json'], {env});
		const result = JSON.parse(ended.stdout);
		expect([ended.status, result.stop_reason, result.error.code]).toEqual([status, reason, code]);
		expect(Object.keys(result)).toEqual([
			...[
				'type',
				'text',
				'tool_calls',
				'stop_reason',
				'usage',
				'cost_usd',
				'session_id',
				'error',
				'warnings',
				'refused',
			],
		]);
	});
});

test.each([
	[403, 4, 'auth'],
	[409, 8, 'conflict'],
	[426, 9, 'upgrade'],
])('the exit status of a command tells the %i of a server', async (code, status, named) => {
	const {origin} = await httpServer((_, response) => {
		response.writeHead(code, {'content-type': 'application/json'}).end('{}');
	});
	const env = {SERVICE_SERVER: origin, SERVICE_API_KEY: key, SERVICE_ORG: 'acme'};
	const ended = await runInProcess(['credits', 'show', '--json'], {env});
	expect([ended.status, JSON.parse(ended.stderr).error.code, ended.stdout]).toEqual([status, named, '']);
});

test('serve init prints its five values as JSON, and a second one is a conflict', async () => {
	const home = join(folderWith(), 'home');
	const scope = ['--org', 'acme', '--workspace', 'main', '--project', 'demo', '--email', 'ada@example.com'];
	const init = ['serve', 'init', '--data', join(folderWith(), 'data'), ...scope, '--json'];
	const {status, stdout} = await runInProcess(init, {home});
	const made = JSON.parse(stdout);
	expect([status, Object.keys(made)]).toEqual([0, ['api_key', 'org', 'workspace', 'project', 'user_id']]);
	expect(made).toMatchObject({org: 'acme', workspace: 'main', project: 'demo'});
	expect(await runInProcess(init, {home})).toMatchObject({status: 8, stdout: ''});
});

test('the state is kept in ~/.service without SERVICE_HOME, for the user alone [10]', async () => {
	const folder = folderWith();
	await runProgram(['-p', 'hi', '--model', 'custom/alpha'], {env: {HOME: folder, SERVICE_HOME: ''}});
	expect(statSync(join(folder, '.service')).mode & 0o777).toBe(0o700);
});

/** The nouns that scripts and people type, each with its verbs. */
const nouns = {
	...{login: '', logout: '', whoami: '', connect: '', profile: 'list use forget', keys: 'set list remove'},
	...{'api-key': 'list create revoke', mfa: 'verify', new: '', sessions: '', resume: '', rename: '', rewind: ''},
	...{fork: '', export: '', usage: '', model: 'list use enable disable', approvals: '', plan: ''},
	...{session: 'show unarchive', runtime: 'resume', env: 'create logs', run: 'items claim', item: 'stage schemas'},
	...{eval: 'stats', assessment: 'list attacks', finding: 'list show', trace: 'push artifact'},
	...{credits: 'show unlimit', org: 'update', logs: '', watch: '', help: '', clear: '', quit: '', serve: 'init'},
	...{replay: '', compact: '', budget: '', mcp: 'list', theme: '', 'keys-help': '', doctor: ''},
} as const;

const paths = Object.entries(nouns).flatMap(([noun, verbs]) => verbs.split(' ').map(verb => `${noun} ${verb}`.trim()));

test.each(paths)('the command %s exists', path => {
	expect(`${findCommand(commands, path.split(' ')).path} `).toMatch(new RegExp(`^${path} `));
});

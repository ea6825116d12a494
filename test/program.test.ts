import {mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {compose} from '../src/program/program.ts';
import {refuseElsewhere} from '../src/session/resume-session.ts';
import {createAppStore} from '../src/store/store.ts';
import {goodKey} from './commands/platform.ts';
// Builds the worker of the embedded server if it is missing.
import './e2e/program.ts';
import {httpServer} from './net/servers.ts';
import {temporaryFolder} from './storage/temporary.ts';

type Options = Partial<Parameters<typeof compose>[0]>;

const programs: Array<ReturnType<typeof compose>> = [];

afterEach(async () => {
	await Promise.all(programs.splice(0).map(program => program.close()));
});

/** Returns the program with its own home folder, `home`. */
function composed({env = {}, ...options}: Options = {}, home = join(temporaryFolder(), 'home')) {
	const store = createAppStore();
	const program = compose({
		store,
		env: {SERVICE_HOME: home, ...env},
		folder: temporaryFolder(),
		workerUrl: new URL('../dist/server-worker.js', import.meta.url),
		version: '0.0.0',
		...options,
	});
	programs.push(program);
	return {program, store, home, state: () => store.getState()};
}

test('the app uses the embedded server and its demo model without a profile and a key', () => {
	const {program, state, home} = composed();
	expect(state().connection).toEqual({profile: 'local', server: 'local', state: 'starting'});
	expect(state().model).toBe('demo/demo');
	expect(program.model.isDemo()).toBe(true);
	expect(program.warnings()).toEqual([]);
	expect(statSync(home).mode & 0o777).toBe(0o700);
});

test('prompts that were sent right before the end are kept, in their order', async () => {
	const {program, home} = composed();
	for (const prompt of ['first', 'second', '/quit']) {
		program.prompts.remember(prompt);
	}

	await program.close();
	expect(program.prompts.loadHistory()).toEqual(['first', 'second', '/quit']);
	expect(readdirSync(home).filter(name => name.endsWith('.lock'))).toEqual([]);
});

test('the embedded server starts when a line for the demo model is typed', async () => {
	const {program, state} = composed();
	await program.prompts.prepare('/');
	expect(state().connection).toEqual({profile: 'local', server: expect.stringMatching(/^http:/), state: 'ready'});
	await program.prompts.prepare('Hi');
	await program.close();
});

test('the embedded server does not start for another model, nor for a command of another server', async () => {
	const host = await httpServer((_, response) => response.end());
	const env = {CUSTOM_BASE_URL: `${host.origin}/v1`, CUSTOM_API_KEY: 'sk-0123456789'};
	const {program, state} = composed({model: 'custom/small', env});
	await program.prompts.prepare('Hi');
	await program.prompts.prepare('/');
	expect(state().connection.server).toBe('local');
	expect(host.seen).toEqual([]);

	const elsewhere = composed({env: {SERVICE_SERVER: 'https://a.test'}});
	expect(elsewhere.program.model.isDemo()).toBe(true);
	await elsewhere.program.prompts.prepare('/');
	expect(elsewhere.state().connection).toMatchObject({server: 'https://a.test', state: 'ready'});
});

test('closing the program ends an embedded server that is still starting', async () => {
	const {program, state} = composed();
	const prepared = program.prompts.prepare('Hi').catch((error: unknown) => error);
	await program.close();
	expect(await prepared).toMatchObject({name: 'AbortError'});
	expect(state().connection).toMatchObject({server: 'local', state: 'starting'});
});

test('the environment selects the server, and a key its model', () => {
	const {program, state} = composed({env: {SERVICE_SERVER: 'https://a.test', GROQ_API_KEY: 'gsk-0123456789'}});
	expect(state().connection).toEqual({profile: 'a.test', server: 'https://a.test', state: 'ready'});
	expect(state().model).toMatch(/^groq\//);
	expect(program.model.isDemo()).toBe(false);
});

test('--model selects the model', () => {
	expect(composed({model: 'openai/gpt-x', env: {GROQ_API_KEY: 'gsk-0123456789'}}).state().model).toBe('openai/gpt-x');
});

test('the model last used is the one of the next start, unless it was the demo model', async () => {
	const env = {OPENAI_API_KEY: goodKey, MISTRAL_API_KEY: goodKey};
	const first = composed({env});
	first.program.model.remember('openai/gpt-x');
	await expect.poll(() => composed({env}, first.home).state().model).toBe('openai/gpt-x');
	first.program.model.remember('demo/demo');
	first.program.model.remember('mistral/large-x');
	await expect.poll(() => composed({env}, first.home).state().model).toBe('mistral/large-x');
	expect(readFileSync(join(first.home, 'config.json'), 'utf8')).not.toContain('demo/demo');
});

test('ignored and risky settings are warned about [6] [9]', () => {
	const {home} = composed();
	writeFileSync(
		join(home, 'config.json'),
		JSON.stringify({
			version: 1,
			profiles: {a: {name: 'a', server: 'https://a.test', savedAt: '2026-01-01T00:00:00Z'}},
			activeProfile: 'a',
		}),
		{mode: 0o600},
	);
	const {program} = composed({env: {SERVICE_API_KEY: goodKey}, insecureHttp: true}, home);
	expect(program.warnings()).toEqual([
		"SERVICE_API_KEY isn't sent to https://a.test. Set SERVICE_SERVER to its server.",
		'Using plain HTTP: anyone on the network can read keys and messages.',
	]);
});

test.each([
	[{SERVICE_PROFILE: 'ghost'}, 'not-found'],
	[{SERVICE_SERVER: 'ftp://a'}, 'usage'],
	[{ANTHROPIC_BASE_URL: 'nonsense://', ANTHROPIC_API_KEY: 'k-0123456789'}, 'usage'],
])('%j stops the app with one sentence, but no command of a shell', (env, code) => {
	expect(() => composed({env})).toThrowError(expect.objectContaining({code}));
	expect(composed({env, connect: false}).state().model).toBeUndefined();
});

test('a linked state folder and an invalid configuration are refused [10]', () => {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'real'));
	symlinkSync(join(folder, 'real'), join(folder, 'link'));
	expect(() => composed({}, join(folder, 'link'))).toThrowError(expect.objectContaining({code: 'failed'}));

	writeFileSync(join(folder, 'real/config.json'), '{broken', {mode: 0o600});
	expect(() => composed({}, join(folder, 'real'))).toThrowError(
		expect.objectContaining({code: 'failed', message: 'Invalid configuration (the file: not JSON).'}),
	);
});

test('resuming an unknown session fails and changes nothing', async () => {
	const {program, state} = composed();
	const before = state().transcript;
	await expect(program.session.resume('ffff', refuseElsewhere)).rejects.toMatchObject({code: 'not-found'});
	await expect(program.session.resume('latest', refuseElsewhere)).rejects.toMatchObject({code: 'not-found'});
	expect(state().transcript).toBe(before);
});

test('the price of an unknown model is undefined, never 0', async () => {
	const priceOf = await composed().program.models.loadPrices();
	expect(priceOf('openai/no-such-model')).toBeUndefined();
	expect(priceOf('openai/gpt-4o')).toMatchObject({input: expect.any(Number)});
});

test('a message and its answer are saved and resumed', async () => {
	const chunk = {choices: [{index: 0, delta: {content: 'Hello.'}, finish_reason: 'stop'}]};
	const host = await httpServer((_request, response) => {
		response.writeHead(200, {'content-type': 'text/event-stream'});
		response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
	});
	const folder = temporaryFolder();
	const env = {CUSTOM_BASE_URL: `${host.origin}/v1`, CUSTOM_API_KEY: goodKey};
	const first = composed({folder, model: 'custom/small', env});
	await first.program.session.conversation.send('Hi');
	await first.program.close();
	const {session, settled} = first.state().transcript;
	expect(settled).toMatchObject([
		{kind: 'user', text: 'Hi'},
		{kind: 'text', text: 'Hello.', model: 'custom/small'},
	]);
	expect(host.seen).toMatchObject([{url: '/v1/chat/completions', headers: {authorization: `Bearer ${goodKey}`}}]);

	const second = composed({folder}, first.home);
	expect(await second.program.session.resume('latest', refuseElsewhere)).toEqual([]);
	expect(second.state()).toMatchObject({transcript: {session, settled}, model: 'demo/demo'});

	await second.program.close();
	const third = composed({folder, env}, first.home);
	await third.program.session.resume(session, refuseElsewhere);
	expect(third.state().model).toBe('custom/small');
});

import {join} from 'node:path';
import {expect, test} from 'vitest';
import {runInProcess} from '../e2e/in-process.ts';
import {calledSo, folderWith, runProgram} from '../e2e/program.ts';
import {goodKey, platform} from './platform.ts';

const home = () => join(folderWith(), 'home');

test('login reads a key from standard input, verifies and stores it [11]', async () => {
	const server = await platform();
	const place = {home: home()};
	const login = await runProgram(['login', '--server', server.origin, '--profile', 'lab'], {
		...place,
		input: `${goodKey}\nrest is not read`,
	});
	const done = `Logged in to ${server.origin} as profile lab.`;
	expect([login.status, login.stderr]).toEqual([0, '']);
	expect(login.stdout.split('\n')).toEqual([`${done} Saved to ~/home/config.json (SERVICE_KEYCHAIN is off).`, '']);

	const whoami = await runProgram(['whoami', '--json'], place);
	expect([whoami.status, whoami.stderr]).toEqual([0, '']);
	expect(JSON.parse(whoami.stdout)).toMatchObject({
		profile: 'lab',
		server: server.origin,
		credential: {source: 'file', last4: 'abcd'},
	});
	expect(whoami.stdout).not.toContain(goodKey);
});

test('keys set reads a key from standard input, and the list shows four characters [8]', async () => {
	const place = {home: home()};
	const set = await runInProcess(['keys', 'set', 'openai'], {...place, input: 'sk-0123456789abcdef'});
	expect([set.status, set.stderr]).toEqual([0, '']);
	const list = await runInProcess(['keys', 'list'], place);
	expect(list.stdout).toBe('provider  key    source  goes to\nopenai    …cdef  file    https://api.openai.com/v1\n');
});

test('a key on the command line works, with a warning [11]', async () => {
	const {status, stdout, stderr} = await runInProcess(['keys', 'set', 'groq', 'gsk-0123456789']);
	expect(status).toBe(0);
	expect(stdout).toContain('Stored the key of Groq (…6789).');
	expect(stderr).toBe(
		"A secret on the command line is kept in your shell's history. Leave it out to be asked for it, or pipe it in.\n",
	);
});

test('help and login work with an invalid environment', async () => {
	const env = {SERVICE_PROFILE: 'ghost', SERVICE_SERVER: 'ftp://wrong', ANTHROPIC_BASE_URL: 'nonsense'};
	expect(await runInProcess(['--help'], {env})).toMatchObject({status: 0, stderr: ''});
	expect(await runInProcess(['keys', 'list', '--json'], {env})).toMatchObject({status: 0, stdout: '[]\n'});
	expect(await runInProcess(['whoami'], {env: {SERVICE_PROFILE: 'ghost'}})).toMatchObject({status: 5});
});

test.each([
	[['lgoin'], 2, 'service: Unknown command “lgoin”.\n  Did you mean service login? Run '],
	[['item'], 2, 'service: item needs a verb.\n  Usage: '],
	[['keys', 'set', 'opennai', 'k'], 2, 'service: Unknown provider “opennai”.\n'],
	[['keys', 'set', 'openai'], 2, 'service: API key for OpenAI is missing.\n  Pass it as an argument, or pipe it in.\n'],
	[['login', '--server'], 2, 'service: --server needs a value.\n'],
	[['quit'], 2, 'service: quit works inside the app only.\n'],
	[['whoami'], 4, 'service: You are not logged in.\n'],
	[['resume', 'ffff'], 5, 'service: Session not found: “ffff”.'],
	[['profile', 'use', 'ghost'], 5, 'service: Profile not found: “ghost”.\n'],
	[['connect', 'http://127.0.0.1:1'], 6, 'service: Nothing is listening on http://127.0.0.1:1.\n'],
])('%j exits with %i and one sentence', async (args, status, message) => {
	const ended = await runInProcess(args);
	expect([ended.status, ended.stdout]).toEqual([status, '']);
	expect(ended.stderr).toContain(message);
});

test('with --json an error is JSON on standard error', async () => {
	const {status, stdout, stderr} = await runProgram(['whoami', '--json']);
	expect([status, stdout]).toEqual([4, '']);
	expect(JSON.parse(stderr)).toEqual({
		error: {
			code: 'auth',
			message: 'You are not logged in.',
			hint: `Chatting works without a login. Log in: ${calledSo} login --server <url>`,
		},
	});
});

test('behind --, --json is an argument', async () => {
	const {status, stdout, stderr} = await runProgram(['whoami', '--', '--json']);
	expect([status, stdout]).toEqual([2, '']);
	expect(stderr).toContain('service: Unexpected argument “--json” for whoami.\n');
});

test('a hostile response is drawn safely [1]', async () => {
	const server = await platform({status: 401, body: '{"detail":"\\u001b[2Jgone"}'});
	const {status, stderr} = await runInProcess(['login', '--server', server.origin], {input: goodKey});
	expect([status, stderr.includes('\u001B'), stderr.includes('␛[2Jgone')]).toEqual([4, false, true]);
});

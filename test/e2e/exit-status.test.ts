import {execFile} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost, unusedAddress} from './model-host.ts';
import {calledSo, folderWith, program, runProgram, startProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

async function withHost() {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	return {host, place: {env, folder: folderWith({'apple.txt': 'a'})}, args};
}

/** An error on stderr: a sentence, and below it a hint unless the sentence includes one. */
const advice = /^service: (?:[A-Z“-]|stdin|stdout)[^\n]+[.?]\n(?: {2}[A-Z][^\n]+\.\n)?$/;

test.each([
	['a flag that does not exist', ['-p', 'hi', '--modle', 'x']],
	['a value that does not fit', ['-p', 'hi', '--output-format', 'yaml']],
	['a number that is none', ['-p', 'hi', '--max-turns', 'many']],
	['a command that does not exist', ['modle']],
	['an empty prompt', ['-p', '  ']],
	['a provider that does not exist', ['keys', 'set', 'nobody']],
	['a model without a provider', ['-p', 'hi', '--model', 'gpt-4o']],
])('%s is a usage error: status 2, a message and a hint', async (_, args) => {
	const {status, stdout, stderr} = await runInProcess(args);
	expect({status, stdout}).toEqual({status: 2, stdout: ''});
	expect(stderr).toMatch(advice);
});

test('with --json a usage error is JSON, even if no command was found', async () => {
	const {status, stdout, stderr} = await runProgram(['--nowhere', '--json']);
	expect({status, stdout, stderr: JSON.parse(stderr)}).toEqual({
		status: 2,
		stdout: '',
		stderr: {error: {code: 'usage', message: 'Unknown flag --nowhere.', hint: expect.any(String)}},
	});
});

test('invalid input is quoted safely [1], and a program that waits for a result gets one', async () => {
	const {status, stdout, stderr} = await runProgram(['-p', 'hi', '--output-format=stream-json', '-\u001b[2J']);
	expect({status, stderr}).toEqual({
		status: 2,
		stderr: `service: Unknown flag -␛[2J.\n  Run ${calledSo} help to see them all.\n`,
	});
	expect(stdout).not.toContain('\u001b');
	const error = {code: 'usage', message: 'Unknown flag -\u001b[2J.'};
	expect(JSON.parse(stdout)).toMatchObject({type: 'result', stop_reason: 'error', session_id: '', error});
});

test('an uncaught error prints a message without stack or details [8]', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(() => new Promise(() => {}));
	const secret = `sk-ant-${'a1'.repeat(20)}`;
	const bug = `setTimeout(() => { throw Object.assign(new Error('No ${secret}.'), {key: '${secret}'}); }, 500)`;
	const options = `--import=data:text/javascript,${encodeURIComponent(bug)}`;
	const {status, stderr} = await runProgram([...args, '-p', 'hi'], {
		...place,
		env: {...place.env, NODE_OPTIONS: options},
	});
	expect({status, stderr}).toEqual({status: 1, stderr: 'service: Something went wrong inside service: No ***.\n'});
});

test.skipIf(process.platform === 'win32')('a folder that is gone is told, with status 5', async () => {
	const gone = `mkdir gone && cd gone && rmdir ../gone && exec node "$0" -p hi </dev/null`;
	const child = promisify(execFile)('sh', ['-c', gone, program], {cwd: folderWith({})});
	await expect(child).rejects.toMatchObject({
		code: 5,
		stderr: 'service: The working folder no longer exists.\n  Change to another folder.\n',
	});
});

test.runIf(process.platform === 'linux')('an output that cannot be written is told, with status 1', async () => {
	const full = promisify(execFile)('sh', ['-c', 'exec node "$0" --version >/dev/full', program]);
	await expect(full).rejects.toMatchObject({
		code: 1,
		stderr: "service: Couldn't write to stdout (ENOSPC).\n",
	});
});

test('the app without a terminal says so, with status 2', async () => {
	const {status, stdout, stderr} = await runProgram([]);
	expect({status, stdout}).toEqual({status: 2, stdout: ''});
	expect(stderr).toMatch(advice);
	expect(stderr).toMatch(/terminal.*\n.*service\.js -p/);
});

test('the app with piped output says so, with status 2', async () => {
	const shell = {file: 'sh', args: ['-c', `node ${program} | cat; echo done`]};
	const terminal = startTerminal({shell});
	await terminal.exit();
	expect(terminal.text()).toMatch(/stdout is not a terminal\.[\s\S]*done/);
});

test('a cut answer ends with 3, and its text is printed', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(({say, cut}) => {
		say('Half of an ans');
		setTimeout(cut, 20);
	});
	const {status, stdout, stderr} = await runProgram([...args, '-p', 'hello'], place);
	expect({status, stdout}).toEqual({status: 3, stdout: 'Half of an ans\n'});
	expect(stderr).toMatch(advice);
});

test('a refused key ends with 4', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(({refuse}) => refuse(401, 'application/json', '{"error":{"message":"No such key."}}'));
	const {status, stdout, stderr} = await runInProcess([...args, '-p', 'hello', '--output-format', 'json'], place);
	expect({status, stderr}).toEqual({status: 4, stderr: ''});
	expect(JSON.parse(stdout)).toMatchObject({
		text: '',
		stop_reason: 'error',
		error: {code: 'auth', message: 'Custom rejected the key (401): No such key.'},
	});
});

test('a missing key ends with 4, before anything is sent', async () => {
	const {status, stderr} = await runProgram(['-p', 'hello', '--model', 'anthropic/claude-sonnet-5']);
	expect(status).toBe(4);
	expect(stderr).toContain(`service: No API key for Anthropic.\n  Run ${calledSo} keys set anthropic`);
});

test.each([
	['custom/nope', 5, 'No custom host is configured.'],
	['openai/nope', 4, 'No API key for OpenAI.'],
])('%s, which nothing here can answer for, ends with %i before a session begins', async (model, expected, message) => {
	const home = join(folderWith(), 'home');
	const run = ['-p', 'hello', '--model', model, '--output-format', 'stream-json'];
	const {status, stdout} = await runInProcess(run, {home});
	expect(status).toBe(expected);
	expect(stdout.trim().split('\n')).toHaveLength(1);
	expect(JSON.parse(stdout)).toMatchObject({type: 'result', error: {message}});
	expect(readdirSync(home, {recursive: true}).filter(name => String(name).endsWith('.jsonl'))).toEqual([]);
});

test('a session that does not exist ends with 5', async () => {
	const {status, stderr} = await runInProcess(['-p', 'hello', '--resume', 'abcdef']);
	expect(status).toBe(5);
	expect(stderr).toMatch(advice);
});

test('a run that cannot start still prints a result, for programs that wait for one', async () => {
	const run = ['-p', 'hello', '--resume', 'abcdef', '--output-format', 'stream-json'];
	const {status, stdout, stderr} = await runInProcess(run);
	expect(status).toBe(5);
	expect(JSON.parse(stdout)).toMatchObject({
		type: 'result',
		text: '',
		tool_calls: [],
		stop_reason: 'error',
		usage: {
			input_tokens: 0,
			output_tokens: 0,
			cache_read_input_tokens: 0,
			cache_creation_input_tokens: 0,
			reasoning_tokens: 0,
		},
		cost_usd: null,
		session_id: '',
		error: {code: 'not-found', message: 'Session not found: “abcdef”.'},
		warnings: [],
		refused: 0,
	});
	expect(stderr).toMatch(advice);
});

test('a host that refuses the connection ends with 6', async () => {
	const baseUrl = await unusedAddress();
	const {env, args} = connectedTo({baseUrl});
	const {status, stdout, stderr} = await runInProcess([...args, '-p', 'hello'], {env});
	expect({status, stdout}).toEqual({status: 6, stdout: ''});
	expect(stderr).toContain(new URL(baseUrl).host);
});

test('a run that used up its turns ends with 7', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(({call, finish}) => {
		call('list_files', {});
		finish();
	});
	const run = [...args, '-p', 'look', '--max-turns', '1', '--output-format', 'json'];
	const {status, stdout} = await runInProcess(run, place);
	expect(status).toBe(7);
	expect(JSON.parse(stdout)).toMatchObject({
		tool_calls: [{name: 'list_files', arguments: {}}],
		stop_reason: 'tool_use',
		error: {code: 'budget'},
	});
	expect(host.chats()).toHaveLength(1);
});

test('a run whose first request would pass its budget ends with 7 and sends nothing, even without prices before', async () => {
	const {host, place} = await withHost();
	host.answerWith(({call, finish}) => {
		call('list_files', {});
		finish();
	});
	const env = {MISTRAL_BASE_URL: host.baseUrl, MISTRAL_API_KEY: 'sk-e2e'};
	const run = ['--model', 'mistral/mistral-medium-latest', '-p', 'look', '--budget', '0.0001'];
	const {status, stdout} = await runInProcess([...run, '--output-format', 'json'], {...place, env});
	expect(status).toBe(7);
	expect(JSON.parse(stdout)).toMatchObject({
		text: '',
		error: {
			code: 'budget',
			message: expect.stringMatching(/^Nothing was sent: .* more than the budget of \$0\.0001\.$/),
		},
	});
	expect(host.chats()).toHaveLength(0);
});

test('an interrupt ends the run with 130, and the text so far is printed', async () => {
	const {host, place, args} = await withHost();
	const running = startProgram([...args, '-p', 'hello'], place);
	host.answerWith(async answer => {
		answer.say('Half of an ans');
		running.child.kill('SIGINT');
		await answer.closed;
	});
	const {status, stdout, stderr} = await running.ended;
	expect({status, stdout}).toEqual({status: 130, stdout: expect.stringMatching(/^(?:Half of an ans\n)?$/)});
	expect(stderr).toBe('service: Interrupted.\n');
});

test('a closed reader ends the program quietly', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(({say, finish}) => {
		say('line\n'.repeat(50_000));
		finish();
	});
	const {child, ended} = startProgram([...args, '-p', 'hello', '--output-format', 'stream-json'], place);
	child.stdout?.once('data', () => child.stdout?.destroy());
	expect(await ended).toMatchObject({status: 0, stderr: ''});
});

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost} from './model-host.ts';
import {folderWith, runProgram, startProgram} from './program.ts';

const usage = {
	input_tokens: 100,
	output_tokens: 30,
	cache_read_input_tokens: 20,
	cache_creation_input_tokens: 0,
	reasoning_tokens: 0,
};
const session = expect.stringMatching(/^[\da-f-]{36}$/);

async function withHost() {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	return {host, place: {env, folder: folderWith({'apple.txt': 'a'})}, args};
}

test('with an empty home the demo model lists the files, with its calls in the result', async () => {
	const folder = folderWith({'apple.txt': 'a', 'pear.md': '# pear'});
	const {status, stdout, stderr} = await runProgram(['-p', 'list the files here', '--output-format', 'json'], {folder});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
	expect(JSON.parse(stdout)).toEqual({
		type: 'result',
		text: expect.stringContaining('I found **2 files**'),
		tool_calls: [{name: 'list_files', arguments: {}}],
		stop_reason: 'end_turn',
		usage: {
			...usage,
			input_tokens: expect.any(Number),
			output_tokens: expect.any(Number),
			cache_read_input_tokens: expect.any(Number),
			reasoning_tokens: expect.any(Number),
		},
		cost_usd: 0,
		session_id: session,
		error: null,
		warnings: [],
		refused: 0,
	});
	expect(stdout.trimEnd().split('\n')).toHaveLength(1);
});

test('text is the answer alone, with one line end', async () => {
	const {place, args} = await withHost();
	expect(await runInProcess([...args, '-p', 'hello'], place)).toEqual({
		status: 0,
		stdout: 'Hello from the host.\n',
		stderr: '',
	});
});

test('stream-json writes each record as it arrives and the result last', async () => {
	const {host, place, args} = await withHost();
	host.answerWith(
		({say, call, finish}) => {
			say('I look.');
			call('list_files', {});
			finish();
		},
		({say, finish}) => {
			say('One file.');
			finish();
		},
	);
	const {status, stdout, stderr} = await runInProcess([...args, '-p', 'look', '--output-format', 'stream-json'], place);
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
	const lines = stdout
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
	const records = lines.slice(0, -1);
	expect(records).toEqual(
		records.map((_, seq) => ({
			v: 1,
			seq,
			at: expect.any(String),
			session,
			server: expect.any(String),
			event: expect.any(Object),
		})),
	);
	expect(records.map(({event}) => event.type)).toEqual([
		'run-start',
		'user-message',
		'text-delta',
		'usage',
		'tool-call',
		'tool-result',
		'text-delta',
		'usage',
		'run-end',
	]);
	const result = {
		type: 'result',
		text: 'One file.',
		tool_calls: [{name: 'list_files', arguments: {}}],
		stop_reason: 'end_turn',
		usage: {...usage, input_tokens: 200, output_tokens: 60, cache_read_input_tokens: 40},
		cost_usd: null,
		session_id: records[0].session,
		error: null,
		warnings: [],
		refused: 0,
	};
	const {session: id, server, seq} = records.at(-1);
	const at = expect.any(String);
	expect(lines.at(-1)).toEqual({v: 1, seq: seq + 1, at, session: id, server, event: result, ...result});
});

test('stream-json writes records while the answer grows', async () => {
	const {host, place, args} = await withHost();
	const {written, ended} = startProgram([...args, '-p', 'hello', '--output-format', 'stream-json'], place);
	host.answerWith(async ({say, finish}) => {
		say('Not yet done.');
		await expect.poll(written).toContain('Not yet done.');
		finish();
	});
	expect((await ended).status).toBe(0);
});

test('the prompt comes from standard input, alone or below the one of the flag', async () => {
	const {host, place, args} = await withHost();
	await runProgram([...args, '-p'], {...place, input: 'from the pipe\n'});
	await runInProcess([...args, '-p', 'Explain this:'], {...place, input: 'error 42\n'});
	expect(host.chats().map(messages => messages.at(-1))).toEqual([
		'user: from the pipe',
		'user: Explain this:\n\nerror 42',
	]);
});

test('-c and an id continue the session of an earlier run', async () => {
	const {host, place, args} = await withHost();
	const home = join(folderWith(), 'home');
	const first = await runInProcess([...args, '-p', 'one', '--output-format', 'json'], {...place, home});
	const {session_id: id} = JSON.parse(first.stdout);
	await runInProcess([...args, '-p', 'two', '-c'], {...place, home});
	await runInProcess([...args, '-p', 'three', '--resume', id.slice(0, 8)], {...place, home});
	expect(
		host
			.chats()
			.at(-1)
			?.filter(message => message.startsWith('user: ')),
	).toEqual(['user: one', 'user: two', 'user: three']);
});

/** No test asks a vendor. */
const nobody = {HTTPS_PROXY: 'http://127.0.0.1:1'};

test('a piped key is stored, and shown by its last letters only [8] [11]', async () => {
	const home = join(folderWith(), 'home');
	const set = await runInProcess(['keys', 'set', 'openai'], {home, input: `${apiKey}\n`, env: nobody});
	expect(set).toEqual({
		status: 0,
		stdout: expect.stringContaining('…wxyz'),
		stderr: expect.not.stringContaining(apiKey),
	});
	const list = await runInProcess(['keys', 'list', '--json'], {home});
	expect(JSON.parse(list.stdout)).toEqual([
		{provider: 'openai', last4: 'wxyz', source: 'file', base_url: 'https://api.openai.com/v1'},
	]);
});

test('a key in the arguments works, with a warning [11]', async () => {
	const {status, stdout, stderr} = await runInProcess(['keys', 'set', 'openai', apiKey], {env: nobody});
	expect({status, stdout}).toEqual({status: 0, stdout: expect.stringContaining('…wxyz')});
	expect(stderr).toMatch(/^A secret on the command line is kept in your shell's history\./);
	expect(stdout + stderr).not.toContain(apiKey);
});

test('-p uses the only model of a configured host, and lists them if there are several', async () => {
	const [one, several] = [await startModelHost(['solo']), await startModelHost(['alpha', 'beta'])];
	const home = join(folderWith(), 'home');
	await runInProcess(['keys', 'set', 'custom', '--base-url', one.baseUrl], {home, input: `${apiKey}\n`});
	expect(await runInProcess(['-p', 'hi'], {home})).toMatchObject({status: 0, stdout: 'Hello from the host.\n'});
	const env = {CUSTOM_BASE_URL: one.baseUrl, CUSTOM_API_KEY: apiKey};
	expect(await runInProcess(['-p', 'hi'], {env})).toMatchObject({status: 0, stdout: 'Hello from the host.\n'});
	expect(await runInProcess(['-p', 'hi'], {env: {...env, CUSTOM_BASE_URL: several.baseUrl}})).toMatchObject({
		status: 2,
		stderr: expect.stringContaining('No model selected. Your provider has custom/alpha, custom/beta.'),
	});
});

test('a key in the prompt reaches neither the model nor the disk, unless everything is approved [8]', async () => {
	const host = await startModelHost(['solo']);
	const home = join(folderWith(), 'home');
	const env = {CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: apiKey};
	const {stderr} = await runInProcess(['-p', `say ${apiKey}`], {home, env});
	expect(stderr).toContain('The prompt contains an API key; the model gets it masked.');
	expect(host.chats().at(-1)?.at(-1)).toBe('user: say ***');
	await runInProcess(['-p', `say ${apiKey}`, '--approve', 'all'], {home, env});
	expect(host.chats().at(-1)?.at(-1)).toBe(`user: say ${apiKey}`);
	const kept = readdirSync(home, {recursive: true, withFileTypes: true}).filter(entry => entry.isFile());
	expect(kept.length).toBeGreaterThan(0);
	for (const {parentPath, name} of kept) {
		expect([name, readFileSync(join(parentPath, name), 'utf8').includes(apiKey)]).toEqual([name, false]);
	}
});

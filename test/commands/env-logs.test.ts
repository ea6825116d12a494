import {expect, test} from 'vitest';
import {httpServer} from '../net/servers.ts';
import {api, inWorkspace} from './api.ts';
import {goodKey} from './platform.ts';
import {shell} from './shell.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const path = `${inWorkspace}/environments/${id}/logs`;
const follow = ['env', 'logs', id, '--follow'];

/** Starts a server that sends these responses in order, then 404. */
function answers(...given: readonly (string | {readonly status: number})[]) {
	let count = 0;
	return api({
		[`GET ${path}`]() {
			const answer = given[count++] ?? {status: 404};
			return typeof answer === 'string' ? {json: {logs: answer}} : {...answer, json: {detail: 'Not so.'}};
		},
	});
}

/** Returns the output of a command after it ended. */
async function ran(words: readonly string[], env: Readonly<Record<string, string>>, isTerminal = false) {
	const {outcome, stdout, stderr} = shell(words, {env, isTerminal});
	// On a busy machine the note about waiting may appear, too.
	const waiting = /env logs is still (?:working|waiting for \S+)\. Press Ctrl\+C to cancel\.\n/;
	return {outcome: await outcome, stdout: stdout(), stderr: stderr().replace(waiting, '')};
}

const records = (text: string) =>
	text
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));

test('a pipe gets raw lines, and states go to standard error', async () => {
	const {env} = await answers('a\u001B[31m\r\n', 'x\n\u0007y, held', 'x\n\u0007y, held back\n');
	expect(await ran(follow, env)).toEqual({
		outcome: {status: 0},
		stdout: 'a\u001B[31m\r\nx\n\u0007y, held back\n',
		stderr: 'service: -- lines may be missing here --\nservice: ended: the environment is gone\n',
	});
});

test('a log that ends says why once, with a hint', async () => {
	const {env} = await answers('one\n', {status: 403});
	const {outcome, stderr} = await ran(follow, env);
	expect([outcome, stderr.match(/does not allow this/g)?.length, stderr]).toEqual([
		{status: 4},
		1,
		expect.stringMatching(/^service: http:.*\n {2}Ask an administrator/),
	]);
	const {env: again} = await answers('one\n', {status: 403});
	const {stdout} = await ran([...follow, '--json'], again);
	expect(records(stdout).at(-1)).toMatchObject({type: 'ended', code: 'auth'});
});

test('--until exits after the first matching line, and fails if the log ends first', async () => {
	const {env} = await answers('one\n', 'one\ntwo\nready now\nfour\n');
	expect(await ran([...follow, '--until', 'ready'], env)).toEqual({
		outcome: {status: 0},
		stdout: 'one\ntwo\nready now\n',
		stderr: '',
	});
	const {env: ending} = await answers('one\n', 'one\ntwo\n');
	expect(await ran([...follow, '--until', 'ready'], ending)).toMatchObject({
		outcome: {status: 5},
		stdout: 'one\ntwo\n',
	});
	expect(await ran(['env', 'logs', id, '--until', 'ready'], env)).toMatchObject({
		outcome: {status: 2},
		stderr: expect.stringContaining('--until needs --follow.'),
	});
	expect(await ran([...follow, '--until', '('], env)).toMatchObject({outcome: {status: 2}});
});

test('--json prints an object a line, states included', async () => {
	const long = 'y'.repeat(300_000);
	const {env} = await answers('INFO: a\r\n', `ERROR: \u001B]0;x\u0007${long}\n`);
	const {outcome, stdout, stderr} = await ran([...follow, '--json'], env);
	expect(stdout).not.toMatch(/[\u001B\u0007]/);
	expect([outcome, stderr, records(stdout)]).toEqual([
		{status: 0},
		'',
		[
			{type: 'line', seq: 1, text: 'INFO: a', level: 'info'},
			{type: 'gap', seq: 1},
			{type: 'line', seq: 2, text: `ERROR: \u001B]0;x\u0007${long}`, level: 'error'},
			{type: 'ended', why: 'the environment is gone', code: 'not-found'},
		],
	]);
});

test('a terminal gets redrawn lines with marks and states [1] [2]', async () => {
	const {env} = await answers('\u001B[32mready\u001B[0m \u001B[2J\n', `x${'y'.repeat(20_000)}\n`);
	const {stdout, stderr} = await ran(follow, {...env, TERM: 'xterm', FORCE_COLOR: '1'}, true);
	const [first, mark, cut, end] = stdout.split('\n');
	expect(first).toContain('\u001B[32mready\u001B[0m ␛[2J');
	expect(mark).toContain('-- lines may be missing here --');
	expect(cut).toMatch(/^xy+… \(3617 more characters\)$/);
	expect(end).toBe('');
	expect(stderr).toContain('service: live\nservice: ended: the environment is gone\n');
});

test('filters hide lines, not numbers', async () => {
	const {env} = await answers(
		'INFO: a\nERROR: a\nb\nERROR: health\n',
		'INFO: a\nERROR: a\nb\nERROR: health\nwarn: a\n',
	);
	const flags = ['--level', 'warn', '--grep', 'a|b', '--grep', '!health', '--json'];
	const {stdout} = await ran([...follow, ...flags], env);
	expect(records(stdout).map(({seq}) => seq)).toEqual([2, 3, 5, undefined]);
});

test.each([
	[['--grep', '('], 'Invalid regex “(”: unterminated group.'],
	[['--exit-status'], '--exit-status needs --follow.'],
	[['--level', 'loud'], '--level'],
])('%j is refused before anything is sent', async (flags, message) => {
	const {env, seen} = await answers();
	const {outcome, stderr} = await ran(['env', 'logs', id, ...flags], env);
	expect([outcome, seen.length]).toEqual([{status: 2}, 0]);
	expect(stderr).toContain(message);
});

test('a filter that takes forever ends the tail with an error', async () => {
	const {env} = await answers(`${'a'.repeat(5000)}!\n`);
	const {outcome, stderr} = await ran([...follow, '--grep', '(a+)+$'], env);
	expect(outcome).toEqual({status: 2});
	expect(stderr).toContain('takes too long on this log.');
});

test.each([
	['the first answer is 404', [], [], 5],
	['the first answer is 401', [{status: 401}], [], 4],
	['the first answer is 403', [{status: 403}], [], 4],
	['the login ends', ['a\n', {status: 401}], [], 4],
	['the environment goes', ['a\n'], [], 0],
	['the environment goes, and that matters', ['a\n'], ['--exit-status'], 5],
	['the request is refused', ['a\n', {status: 400}], [], 1],
] as const)('where %s the status says so', async (_, given, flags, status) => {
	const {env} = await answers(...given);
	const {outcome, stdout} = await ran([...follow, ...flags], env);
	expect([outcome, stdout]).toEqual([{status}, given[0] === 'a\n' ? 'a\n' : '']);
});

test('the log of a sandbox that was stopped is printed whole, and the tail ends instead of waiting for more', async () => {
	const logs = 'a\nstopped by the server\n';
	const {env, seen} = await api({[`GET ${path}`]: {json: {logs}, headers: {'x-log-ended': 'torn_down'}}});
	const {outcome, stdout} = await ran([...follow, '--json'], env);
	expect([outcome, records(stdout).map(({type, text, why}) => text ?? [type, why])]).toEqual([
		{status: 0},
		['a', 'stopped by the server', ['ended', 'the sandbox is gone']],
	]);
	expect(seen).toHaveLength(2);
	expect(await ran([...follow, '--until', 'ready'], env)).toMatchObject({outcome: {status: 5}, stdout: logs});
});

test('Ctrl+C exits with 130 and sends no further request', async () => {
	const {env, seen} = await answers(...Array.from({length: 100}, () => 'a\n'));
	const {outcome, interrupt, stdout, stderr} = shell(follow, {env});
	await expect.poll(() => stdout()).toBe('a\n');
	interrupt();
	expect(await outcome).toEqual({status: 130});
	expect([stdout(), stderr()]).toEqual(['a\n', '']);
	const asked = seen.length;
	await new Promise(resolve => setTimeout(resolve, 50));
	expect(seen).toHaveLength(asked);
});

test('a tail waits for a server that drops out, and loses or repeats no line', async () => {
	let count = 0;
	const server = await httpServer((request, response) => {
		count++;
		// The first request on a connection that ended is sent again at once.
		if (count === 2 || count === 3) {
			request.socket.destroy();
			return;
		}

		response.writeHead(count > 4 ? 404 : 200, {'content-type': 'application/json'});
		response.end(JSON.stringify({logs: count === 1 ? 'a\n' : 'a\nb\n'}));
	});
	const scope = {SERVICE_ORG: 'acme', SERVICE_WORKSPACE: 'lab'};
	const env = {...scope, SERVICE_SERVER: server.origin, SERVICE_API_KEY: goodKey};
	const {outcome, stdout, stderr} = await ran([...follow, '--json'], env);
	expect([outcome, stderr]).toEqual([{status: 0}, '']);
	expect(records(stdout)).toEqual([
		{type: 'line', seq: 1, text: 'a', level: null},
		{
			type: 'reconnecting',
			attempt: 1,
			wait_ms: expect.any(Number),
			reason: expect.stringContaining('was closed before the response was complete'),
		},
		{type: 'line', seq: 2, text: 'b', level: null},
		{type: 'ended', why: 'the environment is gone', code: 'not-found'},
	]);
});

test('env logs without --follow prints the current window, with --json an object a line', async () => {
	const {env} = await answers('INFO: a\nb\nlast');
	const {outcome, stdout} = await ran(['env', 'logs', id, '--json'], env);
	expect([outcome, records(stdout)]).toEqual([
		{status: 0},
		[
			{type: 'line', seq: 1, text: 'INFO: a', level: 'info'},
			{type: 'line', seq: 2, text: 'b', level: null},
			{type: 'line', seq: 3, text: 'last', level: null},
		],
	]);
});

test('--since-start prints everything the server still has, if it supports offsets', async () => {
	const log = Array.from({length: 20_000}, (_, index) => `line ${index} ü\n`).join('');
	const bytes = Buffer.from(log);
	const server = await httpServer((request, response) => {
		const after = new URL(request.url ?? '', 'http://x').searchParams.get('after');
		const start = after === null ? bytes.length - 100 : Number(after);
		const end = Math.min(bytes.length, start + 100_000 - (start % 7));
		// A server never splits a character.
		const whole = end - ((bytes[end] ?? 0) >> 6 === 2 ? 1 : 0);
		response.writeHead(200, {'content-type': 'application/json', 'x-log-offset': String(whole)});
		response.end(JSON.stringify({logs: bytes.subarray(start, whole).toString()}));
	});
	const scope = {SERVICE_ORG: 'acme', SERVICE_WORKSPACE: 'lab'};
	const env = {...scope, SERVICE_SERVER: server.origin, SERVICE_API_KEY: goodKey};
	const {outcome, stdout, stderr} = await ran(['env', 'logs', id, '--since-start'], env);
	expect([outcome, stderr, stdout === log]).toEqual([{status: 0}, '', true]);
	expect(server.seen.map(({url}) => url?.split('?')[1]).slice(0, 2)).toEqual([undefined, 'after=0']);
});

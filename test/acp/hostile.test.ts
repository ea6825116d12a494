import {spawn} from 'node:child_process';
import process from 'node:process';
import * as fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {createLineCheck, startEditor} from './editor.ts';

type Json = null | boolean | number | string | Json[] | {[name: string]: Json};

/** Starts the agent without a client of the library, which would refuse to send most of what follows. */
function startRaw(home = `${folderWith()}/home`) {
	const child = spawn(process.execPath, [program, 'acp'], {
		cwd: '/',
		env: environmentOf({home}),
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	const ended = new Promise<number | null>(resolve => child.once('close', resolve));
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	const lines: string[] = [];
	let rest = '';
	let stderr = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	child.stdin.on('error', () => undefined);
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		const all = (rest + text).split('\n');
		rest = all.pop() ?? '';
		lines.push(...all);
	});
	const answers = () => lines.map((line): {id?: unknown; error?: {code: number; message: string}} => JSON.parse(line));
	return {
		child,
		ended,
		lines,
		stderr: () => stderr,
		send: (text: string) => void child.stdin.write(text),
		request: (id: string, method: string, params: Json = {}) =>
			child.stdin.write(`${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`),
		answers,
		async answerTo(id: string) {
			await expect.poll(() => answers().some(answer => answer.id === id)).toBe(true);
			return answers().find(answer => answer.id === id);
		},
	};
}

const hello = {protocolVersion: 1, clientCapabilities: {}};

test('what is no message is answered in words, and the connection goes on', async () => {
	const raw = startRaw();
	raw.request('early', 'session/list');
	expect(await raw.answerTo('early')).toMatchObject({error: {code: -32_600}});
	raw.request('hello', 'initialize', hello);
	await raw.answerTo('hello');
	raw.send(
		'not json\n[]\n[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n7\n"text"\nnull\n{}\n{"jsonrpc":"1.0","id":2}\n\n',
	);
	raw.request('unknown', 'session/explode');
	expect(await raw.answerTo('unknown')).toMatchObject({error: {code: -32_601}});
	raw.request('wrong', 'session/new', {cwd: 7, mcpServers: []});
	expect(await raw.answerTo('wrong')).toMatchObject({
		error: {code: -32_602, message: expect.stringMatching(/^Invalid params: “cwd”: .*string/)},
	});
	const unread = raw.answers().filter(({id}) => id === null);
	expect(unread.map(({error}) => error?.code).sort()).toEqual(
		[-32_700, -32_600, -32_600, -32_600, -32_600, -32_600, -32_600].sort().slice(0, unread.length),
	);
	expect(unread.length).toBeGreaterThanOrEqual(6);
	raw.child.stdin.end();
	expect(await raw.ended).toBe(0);
});

test('a line above the limit ends the agent with a sentence', async () => {
	const raw = startRaw();
	raw.request('hello', 'initialize', hello);
	await raw.answerTo('hello');
	const part = 'x'.repeat(1024 * 1024);
	for (let index = 0; index < 34; index++) {
		raw.send(part);
	}

	expect(await raw.ended).toBe(1);
	expect(raw.stderr()).toContain('The editor sent a message of more than');
	expect(raw.lines.map(line => JSON.parse(line))).toHaveLength(1);
});

/** Values that a field is replaced by. */
const oddities: readonly Json[] = [
	null,
	true,
	-1,
	1e308,
	'',
	'\u0000',
	'../../etc',
	'🙂'.repeat(50),
	'x'.repeat(5000),
	[],
	{},
	[[[[]]]],
	{__proto__: null, constructor: 1},
];

/** Returns a value with some of its parts replaced, dropped, doubled or wrapped. */
function mutated(value: Json, random: () => number): Json {
	const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
	if (random() < 0.12) {
		return pick(oddities) ?? null;
	}

	if (Array.isArray(value)) {
		const items = value.map(item => mutated(item, random));
		return random() < 0.2 ? [...items, ...items] : items;
	}

	if (typeof value === 'object' && value !== null) {
		const entries = Object.entries(value).flatMap(([name, item]) =>
			random() < 0.06 ? [] : [[random() < 0.04 ? `${name}x` : name, mutated(item, random)] as const],
		);
		return Object.fromEntries(random() < 0.05 ? [...entries, ['_extra', pick(oddities) ?? null]] : entries);
	}

	return value;
}

test('thousands of mutated messages never end the agent, nor make it write anything but answers by the schema', async () => {
	const raw = startRaw();
	raw.request('hello', 'initialize', hello);
	await raw.answerTo('hello');
	const folder = folderWith({'a.txt': 'x'});
	const asked = new Map<unknown, string>([['hello', 'initialize']]);
	const check = createLineCheck(asked);
	const id = '00000000-0000-4000-8000-000000000000';
	const samples: readonly (readonly [string, Json])[] = [
		['initialize', {protocolVersion: 1, clientCapabilities: {fs: {readTextFile: true}, session: {notices: {}}}}],
		['authenticate', {methodId: 'terminal'}],
		[
			'session/new',
			{
				cwd: `${folder}/none`,
				mcpServers: [{name: 'a', command: '/bin/true', args: ['x'], env: [{name: 'A', value: 'b'}]}],
			},
		],
		['session/load', {sessionId: id, cwd: folder, mcpServers: []}],
		['session/resume', {sessionId: id, cwd: folder}],
		['session/list', {cwd: folder, cursor: 'YQ'}],
		['session/delete', {sessionId: id}],
		['session/close', {sessionId: id}],
		['session/set_mode', {sessionId: id, modeId: 'all'}],
		['session/set_config_option', {sessionId: id, configId: 'model', value: 'a/b'}],
		[
			'session/prompt',
			{
				sessionId: id,
				prompt: [
					{type: 'text', text: 'x'},
					{type: 'resource_link', name: 'n', uri: 'file:///a'},
				],
			},
		],
		['session/cancel', {sessionId: id}],
		['$/cancel_request', {requestId: 'hello'}],
	];
	let sent = 0;
	fc.assert(
		fc.property(fc.infiniteStream(fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true})), stream => {
			const random = () => Number(stream.next().value);
			for (const [method, params] of samples) {
				sent++;
				const message: Json = {jsonrpc: '2.0', id: `m${sent}`, method, params: mutated(params, random)};
				const whole = random() < 0.1 ? mutated(message, random) : message;
				const text = JSON.stringify(whole);
				const torn = random() < 0.03 ? text.slice(0, Math.floor(random() * text.length)) : text;
				asked.set(`m${sent}`, method);
				raw.send(`${torn}\n`);
			}
		}),
		{numRuns: 250},
	);
	raw.request('last', 'session/list', {cwd: folder});
	asked.set('last', 'session/list');
	expect(await raw.answerTo('last')).toMatchObject({result: {sessions: []}});
	expect(sent).toBeGreaterThan(3000);
	for (const line of raw.lines) {
		const {id: answered, method, error} = JSON.parse(line);
		// A mutated id may name no request.
		if (method !== undefined || error !== undefined || asked.has(answered)) {
			check(line);
		}

		expect(error?.message ?? '').not.toContain('inside service');
	}

	raw.child.stdin.end();
	expect(await raw.ended).toBe(0);
});

test('answers that nobody offered, and answers to nothing, allow nothing and disturb nothing', async () => {
	const editor = await startEditor();
	editor.child.stdin?.write(
		'{"jsonrpc":"2.0","id":"nobody","result":{"outcome":{"outcome":"selected","optionId":"once"}}}\n{"jsonrpc":"2.0","result":1}\n',
	);
	expect(await editor.prompt(await editor.open(), 'Hi')).toBe('end_turn');
	expect(editor.said()).toBe('Hello from the host.');
});

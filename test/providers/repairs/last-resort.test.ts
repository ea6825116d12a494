import fc from 'fast-check';
import {expect, test} from 'vitest';
import {nameCommands} from '../../../src/core/command-words.ts';
import {AppError} from '../../../src/core/error.ts';
import type {Message} from '../../../src/core/session/message.ts';
import {maxRequests} from '../../../src/providers/repairs/repaired-request.ts';
import {result, tool, user} from '../conversation.ts';
import {error400, image, mcpTool, type Refuse, refusingHost, toolsIn, turnsIn, wires} from './refusing-host.ts';

const many = Array.from({length: 40}, (_, index) =>
	mcpTool(`s${index % 4}`, `do_${index}`, {type: 'object', properties: {a: {anyOf: [{type: 'string'}, {}]}}}),
);
const rich: readonly Message[] = [
	{role: 'user', text: 'Look', images: [image('one')]},
	{
		role: 'assistant',
		model: 'x/y',
		parts: [{type: 'tool-call', id: 'c1', name: 'read_file', arguments: {path: 'a'}}],
	},
	result('c1', 'content'),
	user('Hello'),
];

test.each(wires)(
	'[23] %s: a host that refuses everything ends the message within the bound, with a hint',
	async wire => {
		const host = await refusingHost();
		host.state.refuse = () => error400('No.');
		const client = host.newClient(wire, {tools: [tool, ...many], effort: 'high'});
		const {error, sent, notices} = await client.ask(rich);
		expect(sent.length).toBeLessThanOrEqual(maxRequests);
		expect(error).toMatchObject({message: expect.stringMatching(/rejected the request \(400\): No\.$/)});
		expect(error instanceof AppError && error.hint).toContain('/rewind');
		expect(notices).toEqual([]);
		// Nothing was learned from it.
		host.state.refuse = () => undefined;
		const next = await client.ask([...rich, user('Next')]);
		expect(next.sent).toHaveLength(1);
		expect(toolsIn(next.sent[0] ?? {})).toHaveLength(41);
	},
);

test('[23] a host that refuses something else each time ends within the bound', async () => {
	const host = await refusingHost();
	const words = [
		'tools are not supported',
		'image too large',
		'roles must alternate',
		'Unknown parameter: reasoning_effort',
		'tools.3.name must match pattern',
		'System role not supported',
		'content must be non-empty',
		'max_tokens is too large: 7',
		'Invalid schema for function',
		'too many tools, at most 4',
	];
	let count = 0;
	host.state.refuse = () => {
		count += 1;
		return error400(`${words[count % words.length]} (${count})`);
	};
	for (const wire of wires) {
		const client = host.newClient(wire, {tools: [tool, ...many], effort: 'high'});
		const {error, sent} = await client.ask(rich);
		expect(error).toBeInstanceOf(AppError);
		expect(sent.length).toBeLessThanOrEqual(maxRequests);
		expect(new Set(sent.map(body => JSON.stringify(body))).size).toBe(sent.length);
	}
});

test('the tool that a host refuses without a word is found over the next requests, and named', async () => {
	const host = await refusingHost();
	host.state.refuse = body =>
		toolsIn(body).some(({name}) => name === 'mcp__s3__do_7') ? {text: 'Bad Request'} : undefined;
	const client = host.newClient('openai-chat', {tools: [tool, ...many]});
	const first = await client.ask([user('Hello')]);
	expect(first.text).toBe('Hi');
	expect(first.notices).toEqual([expect.stringMatching(/refused the request and didn't say what/)]);
	const told: string[] = [];
	for (let turn = 0; turn < 14; turn += 1) {
		const {notices, text, sent} = await client.ask([user('Hello'), user(`${turn}`)]);
		expect(text).toBe('Hi');
		expect(sent.length).toBeLessThanOrEqual(3);
		told.push(...notices);
	}

	expect(told).toEqual(['The host refuses the tool do_7 of the MCP server s3. It stays left out.']);
	const last = await client.ask([user('Hello'), user('Last')]);
	expect(last.sent).toHaveLength(1);
	expect(toolsIn(last.sent[0] ?? {})).toHaveLength(40);
});

test('any set of refused tools is found, and all others are sent again', async () => {
	const host = await refusingHost();
	await fc.assert(
		fc.asyncProperty(fc.uniqueArray(fc.nat(19), {minLength: 1, maxLength: 3}), async bad => {
			const refused = new Set(bad.map(index => many[index]?.name));
			host.state.refuse = body =>
				toolsIn(body).some(({name}) => refused.has(name)) ? error400('Invalid.') : undefined;
			const client = host.newClient('openai-chat', {tools: [tool, ...many.slice(0, 20)]});
			let last = await client.ask([user('Hello')]);
			for (let turn = 0; turn < 40; turn += 1) {
				last = await client.ask([user('Hello'), user(`${turn}`)]);
				expect(last.text).toBe('Hi');
			}

			expect(toolsIn(last.sent.at(-1) ?? {})).toHaveLength(21 - refused.size);
		}),
		{seed: 26, numRuns: 20},
	);
});

test('an image that was refused in a session stays out of later requests, also of that for a summary', async () => {
	const host = await refusingHost();
	host.state.refuse = body => (/AAAA/.test(JSON.stringify(turnsIn(body))) ? error400('invalid image') : undefined);
	const client = host.newClient('openai-chat', {tools: [tool]});
	await client.ask(rich);
	const summary = await client.ask([...rich, user('Summarize.')], {tools: []});
	expect([summary.sent.length, summary.text]).toEqual([1, 'Hi']);
	const other = await client.ask([...rich, {role: 'user', text: 'This?', images: [image('two')]}]);
	expect(other.sent).toHaveLength(2);
});

test.each([
	['', {error: {message: 'Error rendering prompt with jinja template: "roles must alternate".'}}],
	['event: error\n', {error: {message: 'Conversation roles must alternate user/assistant/user/assistant/...'}}],
	['', {error: {message: 'Provider returned error', code: 400, metadata: {raw: 'We do not take this'}}}],
])('[23] a refusal in the first event of an answer of status 200 is repaired, %j%j', async (before, event) => {
	const host = await refusingHost();
	const refuse: Refuse = body =>
		JSON.stringify(body).includes('"role":"user","content":"A"},{"role":"user"')
			? {status: 200, text: `${before}data: ${JSON.stringify(event)}\n\n`}
			: undefined;
	host.state.refuse = refuse;
	const client = host.newClient('openai-chat');
	const first = await client.ask([user('A'), user('B')]);
	expect(first.error).toBeUndefined();
	expect(first.text).toBe('Hi');
	const next = await client.ask([user('A'), user('B'), user('C')]);
	expect(next.text).toBe('Hi');
});

test.each([
	[{choices: [{delta: {role: 'assistant'}}]}, {error: {message: 'tools are not supported'}}],
	[{choices: [{delta: {content: 'He'}}]}, {error: {message: 'tools are not supported'}}],
])('[23] an answer that has begun is not asked for again when it is refused: %j', async (...events) => {
	const host = await refusingHost();
	host.state.refuse = () => ({
		status: 200,
		text: events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''),
	});
	const {error, sent} = await host.newClient('openai-chat', {tools: [tool]}).ask([user('A')]);
	expect(error).toMatchObject({message: expect.stringContaining('tools are not supported')});
	expect(sent).toHaveLength(1);
});

test('a failure between two repairs keeps what was learned, and is thrown as it is', async () => {
	const host = await refusingHost();
	const refuse: Refuse = body =>
		'tools' in body
			? error400('tiny does not support tools')
			: {status: 429, text: '{"error":{"message":"Slow down."}}'};
	host.state.refuse = refuse;
	const client = host.newClient('openai-chat', {tools: [tool]});
	expect((await client.ask([user('Hello')])).error).toMatchObject({temporary: true});
	host.state.refuse = body => ('tools' in body ? error400('tiny does not support tools') : undefined);
	expect((await client.ask([user('Hello')])).sent).toHaveLength(1);
});

test('a long conversation that is refused without a word is not cut here: its length may be the reason', async () => {
	const host = await refusingHost();
	host.state.refuse = body => (JSON.stringify(body).length > 80_000 ? {text: ''} : undefined);
	const client = host.newClient('openai-chat', {tools: [tool]});
	await client.ask([user('Hello')]);
	const {error, sent} = await client.ask([user('x'.repeat(90_000)), user('Hello')]);
	expect(error).toBeInstanceOf(AppError);
	expect(sent.every(body => JSON.stringify(body).includes('x'.repeat(90_000)) && 'tools' in body)).toBe(true);
});

test.each(['app', 'shell'] as const)('the hint of a refused request fits the %s', place => {
	const hint = nameCommands(
		'Select another model: `model use`. Go back to before the refused message with `/rewind` (Esc Esc), or start over with `/new`.',
		place,
	);
	expect(hint).toContain(place === 'app' ? 'with /rewind (Esc Esc)' : 'In the app, go back');
});

import {describe, expect, test} from 'vitest';
import {openaiChat} from '../../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../../src/providers/chat/openai-chat-request.ts';
import {bodyFor, messageOf, result, tool, user} from '../conversation.ts';
import {
	type Answer,
	collect,
	eventsOf,
	fakeHost,
	fixture,
	inPieces,
	joined,
	requestOf,
	summaryOf,
	untilFailure,
	withoutNewIds,
} from '../replay.ts';

const custom = openaiChat(quirksOf('custom'));
const groq = openaiChat(quirksOf('groq'));
const done = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

test.each([
	'chat-function-call.sse',
	'chat-two-choices.sse',
	'chat-think.sse',
	'chat-reasoning-details.sse',
	'chat-thought-signature.sse',
	'chat-unknown-end.sse',
])('%s has the same answer in pieces of any size', async name => {
	const bytes = new TextEncoder().encode(fixture(name));
	const whole = joined(withoutNewIds(await eventsOf(custom, bytes)));
	for (const size of [1, 3, 7]) {
		expect(joined(withoutNewIds(await eventsOf(custom, inPieces(bytes, size))))).toEqual(whole);
	}
});

test('an error that Groq reports beside the answer is temporary', async () => {
	const {error} = await untilFailure(groq(requestOf(fakeHost({body: fixture('chat-groq-error.sse')}).transport)));
	expect(error).toMatchObject({
		code: 'provider',
		temporary: true,
		message: 'Groq reported an error: over_capacity',
	});
});

test.each([1, 3, 7, 4096])('the error line of llama.cpp is an error, in pieces of %d', async size => {
	const body = inPieces(new TextEncoder().encode(fixture('chat-llama-error.sse')), size);
	const {error} = await untilFailure(custom(requestOf(fakeHost({body}).transport)));
	expect(error).toMatchObject({temporary: true, message: 'Custom reported an error: Loading model'});
});

test('an error within the choice is thrown', async () => {
	const fault = {code: 502, message: 'Upstream is gone'};
	const chunk = {choices: [{index: 0, delta: {content: ''}, finish_reason: 'error', error: fault}]};
	const {error} = await untilFailure(
		custom(requestOf(fakeHost({body: `data: ${JSON.stringify(chunk)}\n\n`}).transport)),
	);
	expect(error).toMatchObject({temporary: true, message: 'Custom reported an error: Upstream is gone'});
});

test('a call in the deprecated field is read', async () => {
	expect(summaryOf(await eventsOf(custom, fixture('chat-function-call.sse')))).toMatchObject({
		calls: [{name: 'read_file', arguments: {path: 'a'}}],
		finish: ['tool-calls'],
	});
});

test('only one of two simultaneous answers is read', async () => {
	expect(summaryOf(await eventsOf(custom, fixture('chat-two-choices.sse')))).toMatchObject({
		text: 'First answer.',
		finish: ['stop'],
	});
});

describe('reasoning between tags', () => {
	const say = async (...pieces: readonly string[]) => {
		const chunks = pieces.map(content => `data: ${JSON.stringify({choices: [{delta: {content}}]})}\n\n`);
		return summaryOf(await eventsOf(custom, `${chunks.join('')}data: [DONE]\n\n`));
	};

	test('is separated from the answer, whose own tags stay', async () => {
		expect(summaryOf(await eventsOf(custom, fixture('chat-think.sse')))).toMatchObject({
			reasoning: 'Is 1 </ 2? Yes.',
			text: 'Yes. Write `<think>` yourself.',
		});
	});

	test.each([
		[['<think>\n\n</think>\n\nHi.'], '', 'Hi.'],
		[['[THINK]Hm.[/THINK]Hi.'], 'Hm.', 'Hi.'],
		[['\n<thought>Hm.</thought>', '\n', 'Hi.'], 'Hm.', 'Hi.'],
		[['<think>Never closed'], 'Never closed', ''],
		[['<thi'], '', '<thi'],
		[['<', 'b>Hi'], '', '<b>Hi'],
		[['Hi <think>Hm</think>'], '', 'Hi <think>Hm</think>'],
	])('%j', async (pieces, reasoning, text) => {
		expect(await say(...pieces)).toMatchObject({reasoning, text});
	});
});

describe('the vendor gets back', () => {
	const sentBack = async (name: string) => {
		const answer = messageOf('custom/m', await eventsOf(custom, fixture(name)));
		const calls = answer.role === 'assistant' ? answer.parts.filter(part => part.type === 'tool-call') : [];
		const messages = [user('Read'), answer, ...calls.map(({id}) => result(id, 'content'))];
		return (await bodyFor(custom, messages))['messages'];
	};

	test('the details of the reasoning, complete and in order', async () => {
		const text = {type: 'reasoning.text', text: 'I should look.', format: 'anthropic-claude-v1', index: 0};
		const encrypted = {
			type: 'reasoning.encrypted',
			data: 'c2VhbGVk',
			id: 'rs_1',
			format: 'openai-responses-v1',
			index: 1,
		};
		expect(await sentBack('chat-reasoning-details.sse')).toMatchObject([
			{role: 'user'},
			{
				role: 'assistant',
				reasoning_details: [{...text, signature: 'c2lnbmVk'}, encrypted],
				tool_calls: [{id: 'toolu_1'}],
			},
			{role: 'tool'},
		]);
	});

	test('the signature of a call, only on that call', async () => {
		const messages = await sentBack('chat-thought-signature.sse');
		expect(messages).toMatchObject([
			{role: 'user'},
			{
				content: null,
				tool_calls: [
					{id: 'function-call-1', extra_content: {google: {thought_signature: 'c2ln'}}},
					{id: 'function-call-2'},
				],
			},
			{role: 'tool'},
			{role: 'tool'},
		]);
		expect(JSON.stringify(messages).match(/extra_content/g)).toHaveLength(1);
	});

	test('thoughts that were marked beside the content, as reasoning', async () => {
		expect(summaryOf(await eventsOf(custom, fixture('chat-thought-signature.sse')))).toMatchObject({
			reasoning: 'Two files.',
			text: '',
		});
	});

	test('reasoning in several parts, all of it', async () => {
		const call = {index: 0, id: 'a', function: {name: 'read_file', arguments: '{}'}};
		const deltas = [{reasoning_content: 'One. '}, {content: 'So:'}, {reasoning_content: 'Two.'}, {tool_calls: [call]}];
		const chunks = deltas.map(delta => `data: ${JSON.stringify({choices: [{delta}]})}\n\n`);
		const answer = messageOf('custom/m', await eventsOf(custom, `${chunks.join('')}data: [DONE]\n\n`));
		expect((await bodyFor(custom, [answer, result('a', 'content')]))['messages']).toMatchObject([
			{role: 'assistant', content: 'So:', reasoning_content: 'One. Two.'},
			{role: 'tool'},
		]);
	});

	test('nothing that came from another provider', async () => {
		const answer = messageOf('groq/m', await eventsOf(custom, fixture('chat-reasoning-details.sse')));
		expect(JSON.stringify(await bodyFor(custom, [user('Read'), answer]))).not.toContain('reasoning_details');
	});
});

describe('a host that refuses a field of the request', () => {
	const ask = async (host: string, ...answers: readonly Answer[]) => {
		const end = fakeHost(...answers);
		const baseUrl = `https://${host}.test/v1`;
		const request = requestOf(end.transport, {tools: [tool], baseUrl, model: 'tiny'});
		return {end, events: await collect(custom(request)), again: () => collect(custom(request))};
	};

	test.each([
		['ollama', 400, {error: {message: 'registry.ollama.ai/library/tiny does not support tools', type: 'api_error'}}],
		['openrouter', 404, {error: {message: 'No endpoints found that support tool use.', code: 404}}],
		['llama-cpp', 500, {error: {code: 500, message: 'tools param requires --jinja flag'}}],
		['vllm', 400, {message: '"auto" tool choice requires --enable-auto-tool-choice to be set'}],
		['strict', 422, {detail: [{loc: ['body', 'tools'], msg: 'Extra inputs are not permitted'}]}],
		['groq', 400, {error: {message: '`tools` is not supported with this model'}}],
	])(
		'tools, as %s does, is asked once more without them, says so, and is not sent them again',
		async (host, status, body) => {
			const {end, events, again} = await ask(host, {status, body: JSON.stringify(body)}, {body: done});
			expect(events).toEqual([
				{type: 'notice', level: 'warning', text: "tiny doesn't support tools. Continuing without them."},
				{type: 'text-delta', id: 'text-0', text: 'Hi'},
				{type: 'finish', reason: 'stop'},
			]);
			expect((await again()).map(({type}) => type)).toEqual(['text-delta', 'finish']);
			expect([0, 1, 2].map(index => 'tools' in end.bodyOf(index))).toEqual([true, false, false]);
			expect(end.requests).toHaveLength(3);
		},
	);

	test('gets it without stream options and then without tools', async () => {
		const detail = [{loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted'}];
		const {end, events} = await ask(
			'both',
			{status: 422, body: JSON.stringify({detail})},
			{status: 400, body: JSON.stringify({error: 'tiny does not support tools'})},
			{body: done},
		);
		expect(events.map(event => (event.type === 'notice' ? event.text : event.type))).toEqual([
			"Custom doesn't count tokens while it streams. Its usage stays unknown.",
			"tiny doesn't support tools. Continuing without them.",
			'text-delta',
			'finish',
		]);
		expect(Object.keys(end.bodyOf(2))).toEqual(['model', 'stream', 'messages']);
	});

	test.each([
		['tools[0].function.parameters: additionalProperties is not supported'],
		["messages with role 'tool' must be a response to a preceding message with 'tool_calls'"],
		['This model does not support images'],
	])('[23] something else ends the request, which is never sent again as it was: %s', async message => {
		const end = fakeHost({status: 400, body: JSON.stringify({error: {message}})});
		const request = requestOf(end.transport, {tools: [tool], baseUrl: 'https://else.test/v1'});
		await expect(collect(custom(request))).rejects.toMatchObject({code: 'provider'});
		const sent = end.requests.map(({body}) => String(body));
		expect(new Set(sent).size).toBe(sent.length);
		expect(sent.length).toBeLessThan(10);
	});
});

test('the query of the base URL is part of each request', async () => {
	const end = fakeHost({body: done});
	await collect(custom(requestOf(end.transport, {baseUrl: 'https://mine.azure.test/openai/?api-version=2026-01-01'})));
	expect(end.requests[0]?.url).toBe('https://mine.azure.test/openai/chat/completions?api-version=2026-01-01');
});

test('the cost that a host reports comes with its usage', async () => {
	const {usage} = summaryOf(await eventsOf(custom, fixture('chat-reasoning-details.sse')));
	expect(usage).toEqual({input: 100, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0, costUsd: 0.375});
});

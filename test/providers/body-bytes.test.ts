import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Json, type JsonObject, wellFormedJson} from '../../src/core/json.ts';
import type {Message} from '../../src/core/session/message.ts';
import {anthropic} from '../../src/providers/anthropic.ts';
import {bodyBytes} from '../../src/providers/body-bytes.ts';
import {openaiChat} from '../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../src/providers/chat/openai-chat-request.ts';
import {gemini} from '../../src/providers/gemini.ts';
import type {Provider, ProviderRequest} from '../../src/providers/provider.ts';
import {openaiResponses} from '../../src/providers/responses/openai-responses.ts';
import {collect, fakeHost, requestOf} from './replay.ts';

const formats: readonly (readonly [string, Provider, string])[] = [
	['Chat Completions', openaiChat(quirksOf('custom')), 'some-model'],
	['Mistral', openaiChat(quirksOf('mistral')), 'some-model'],
	['OpenRouter with cache marks', openaiChat({...quirksOf('custom'), marksCache: true}), 'claude-x'],
	['Responses', openaiResponses, 'gpt-5'],
	['Anthropic', anthropic, 'claude-x'],
	['Gemini 2', gemini, 'gemini-2.5-pro'],
	['Gemini 3', gemini, 'gemini-3-pro'],
];

/** Sends conversations one after another, and returns the bodies as text. */
async function bodiesOf(provider: Provider, model: string, conversations: readonly (readonly Message[])[]) {
	const host = fakeHost({body: ''});
	const system = 'Be brief.';
	for (const messages of conversations) {
		const rest: Partial<ProviderRequest> = {model, system, messages};
		await collect(provider(requestOf(host.transport, rest))).catch(() => undefined);
	}

	return host.requests.map(({body}) => String(body));
}

const words = fc.oneof(fc.string({maxLength: 5}), fc.constantFrom('', 'ж', '\uD800', 'a\nb'));
const image = {hash: 'h', type: 'image/png' as const, width: 1, height: 1, bytes: 3, data: 'AAAA'};
const images = fc.constantFrom([], [], [image]);
const callId = fc.constantFrom('a', 'b');
const message: fc.Arbitrary<Message> = fc.oneof(
	fc.record({role: fc.constant('user' as const), text: words, images}),
	fc.record({
		role: fc.constant('assistant' as const),
		model: fc.constant('custom/m'),
		parts: fc.array(
			fc.oneof(
				fc.record({type: fc.constantFrom('text' as const, 'reasoning' as const), text: words}),
				fc.record({
					type: fc.constant('tool-call' as const),
					id: callId,
					name: words,
					arguments: fc.record({path: words}),
				}),
			),
			{maxLength: 3},
		),
	}),
	fc.record({
		role: fc.constant('tool' as const),
		callId,
		name: words,
		output: words,
		failed: fc.boolean(),
		images,
	}),
);

test.each(formats)(
	'%s: a conversation that grows, shrinks or changes is sent as a new one would be',
	async (...row) => {
		const [, provider, model] = row;
		await fc.assert(
			fc.asyncProperty(fc.array(message, {maxLength: 8}), message, fc.nat({max: 8}), async (list, other, at) => {
				const conversations = [
					list.slice(0, at),
					list,
					list.map((each, index) => (index === at ? other : each)),
					[...list, other, ...list],
					list.slice(0, at),
				];
				const bodies = await bodiesOf(provider, model, conversations);
				const copies = conversations.map(each => each.map(message => structuredClone(message)));
				expect(bodies).toEqual(await bodiesOf(provider, model, copies));
			}),
			{numRuns: 60},
		);
	},
);

/** Returns a message whose text is counted as it is read. */
function counted(role: 'user' | 'assistant', text: string, onRead: () => void): Message {
	const part = {
		type: 'text' as const,
		get text() {
			onRead();
			return text;
		},
	};
	return role === 'assistant' ? {role, model: 'custom/m', parts: [part]} : Object.assign(part, {role});
}

test.each(formats)('%s: a turn converts the messages of earlier turns no more', async (_, provider, model) => {
	const reads = new Map<string, number>();
	const conversation = Array.from({length: 40}, (_, index) => {
		const text = `message ${index}`;
		return counted(index % 2 === 0 ? 'user' : 'assistant', text, () => reads.set(text, (reads.get(text) ?? 0) + 1));
	});
	// A last exchange may be read again: what follows it can belong to it.
	const conversations = Array.from({length: 20}, (_, turn) => conversation.slice(0, 2 * turn + 1));
	await bodiesOf(provider, model, conversations);
	// Its key for caches is made of the first message each time.
	const later = [...reads].filter(([text]) => text !== 'message 0');
	expect(later).toHaveLength(38);
	expect(Math.max(...later.map(([, count]) => count))).toBeLessThanOrEqual(6);
});

test('only new items of a body are written', () => {
	const written: string[] = [];
	const item = (name: string) => {
		const toJSON = () => {
			written.push(name);
			return {name: `${name} “ж”`};
		};
		return {toJSON} as unknown as JsonObject;
	};
	const conversation: readonly Message[] = [{role: 'user', text: 'Hi'}];
	const [a, b, c, d] = [item('a'), item('b'), item('c'), item('d')];
	const bodyOf = (messages: readonly Json[]) => ({model: 'm', messages, tools: [{name: 'ж'}]});
	const lists = [[a], [a, b, c], [a, b, c], [a, b, d, c], [a, b], [], [a]];
	const each = lists.map(list => {
		written.length = 0;
		const text = bodyBytes(bodyOf(list), conversation).bytes.toString();
		const names = written.join('');
		expect(text).toBe(wellFormedJson(bodyOf(list)));
		return names;
	});
	expect(each).toEqual(['a', 'bc', '', 'dc', '', '', 'a']);
});

test('a body is written where the last one was once its answer is over, and not before', () => {
	const conversation: readonly Message[] = [{role: 'user', text: 'Hi'}];
	// Smaller ones share memory in Node.
	const long = 'x'.repeat(9000);
	const bodyOf = (text: string) => bodyBytes({messages: [{role: 'user', content: text}], long}, conversation);
	const first = bodyOf('first');
	const second = bodyOf('other');
	expect(second.bytes.buffer === first.bytes.buffer).toBe(false);
	first.release();
	const third = bodyOf('third');
	expect(third.bytes.buffer === first.bytes.buffer).toBe(true);
	expect([second, third].map(({bytes}) => JSON.parse(bytes.toString()).messages[0].content)).toEqual([
		'other',
		'third',
	]);
	third.release();
	const longer = bodyOf('longer'.repeat(100));
	expect(longer.bytes.toString()).toContain(`"${'longer'.repeat(100)}"`);
});

import {expect, test} from 'vitest';
import type {Message} from '../../src/core/session/message.ts';
import {result, user} from './conversation.ts';
import {adapterOf, collect, fakeHost, fixture, requestOf} from './replay.ts';

const call = {type: 'tool-call', id: 'call_1', name: 'read_file', arguments: {}} as const;

/** Returns a conversation in which the model reasoned before a call. */
const reasoned = (model: string, wire: string, data: Readonly<Record<string, string>>): readonly Message[] => [
	user('Read it.'),
	{role: 'assistant', model, parts: [{type: 'reasoning', text: 'Hm', opaque: {wire, data}}, call]},
	result('call_1', 'content'),
];

const encrypted = reasoned('openai/gpt-5', 'openai-responses', {type: 'reasoning', encrypted_content: 'gAAA'});
const signed = reasoned('anthropic/claude', 'anthropic', {signature: 'sig'});

test.each([
	[
		'openai-responses',
		'gpt-5',
		encrypted,
		'The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
		'responses-refusal.sse',
	],
	[
		'anthropic',
		'claude-sonnet-4-6',
		signed,
		'messages.1.content.0: Invalid `signature` in `thinking` block',
		'anthropic-odd.sse',
	],
	[
		'anthropic',
		'claude-sonnet-4-0',
		signed,
		'messages.1.content.0: Invalid `signature` in `thinking` block',
		'anthropic-odd.sse',
	],
] as const)(
	'%s (%s) answers without earlier reasoning that it refuses',
	async (format, model, messages, message, name) => {
		const refusal = {status: 400, body: JSON.stringify({error: {type: 'invalid_request_error', message}})};
		const host = fakeHost(refusal, {body: fixture(name)});
		const provider = await adapterOf(format);
		const effort = model === 'claude-sonnet-4-0' ? ({effort: 'high'} as const) : {};
		const events = await collect(provider(requestOf(host.transport, {messages, model, ...effort})));
		expect(events[0]).toEqual({
			type: 'notice',
			level: 'warning',
			text: `${model} rejected its earlier reasoning. Continuing without it.`,
		});
		const [before, after] = [0, 1].map(index => JSON.stringify(host.bodyOf(index)));
		expect(before).toMatch(/gAAA|"sig"/);
		expect(after).not.toMatch(/gAAA|"sig"|"type":"thinking"|"type":"enabled"/);
		expect(after).toContain('read_file');
		expect(after).toContain('content');
	},
);

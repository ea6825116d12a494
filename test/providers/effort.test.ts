import {describe, expect, test} from 'vitest';
import type {Effort} from '../../src/core/effort.ts';
import type {JsonObject} from '../../src/core/json.ts';
import type {ProviderName} from '../../src/core/model.ts';
import {takesEffort} from '../../src/providers/effort.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {registry} from '../../src/providers/registry.ts';
import {bodyFor, result, user} from './conversation.ts';
import {collect, fakeHost, requestOf} from './replay.ts';

const bodyOf = async (provider: ProviderName, model: string, effort?: Effort) =>
	bodyFor(await registry[provider].load(), [user('Hello')], {model, ...(effort && {effort})});

test.each<[ProviderName, string, Effort, JsonObject]>([
	['anthropic', 'claude-opus-4-6', 'max', {output_config: {effort: 'max'}, thinking: {type: 'adaptive'}}],
	['anthropic', 'claude-sonnet-5', 'low', {output_config: {effort: 'low'}}],
	['anthropic', 'claude-haiku-4-5', 'medium', {thinking: {type: 'enabled', budget_tokens: 8192}}],
	['anthropic', 'claude-3-7-sonnet-20250219', 'max', {thinking: {type: 'enabled', budget_tokens: 24_000}}],
	['openai', 'gpt-5', 'max', {reasoning: {summary: 'auto', effort: 'high'}}],
	['openai', 'gpt-5.2', 'max', {reasoning: {summary: 'auto', effort: 'xhigh'}}],
	['openai', 'o3', 'low', {reasoning: {effort: 'low'}}],
	['google', 'gemini-3.8-flash', 'medium', {generationConfig: {thinkingConfig: {thinkingLevel: 'medium'}}}],
	['google', 'gemini-3-pro-preview', 'max', {generationConfig: {thinkingConfig: {thinkingLevel: 'high'}}}],
	['google', 'gemini-2.5-pro', 'max', {generationConfig: {thinkingConfig: {thinkingBudget: 32_768}}}],
	['google', 'gemini-2.5-flash', 'low', {generationConfig: {thinkingConfig: {thinkingBudget: 1024}}}],
	['groq', 'openai/gpt-oss-120b', 'max', {reasoning_effort: 'high'}],
	['custom', 'anything', 'medium', {reasoning_effort: 'medium'}],
])('%s %s gets the effort %s in its own way', async (provider, model, effort, fields) => {
	expect(await bodyOf(provider, model, effort)).toMatchObject(fields);
	expect(JSON.stringify(await bodyOf(provider, model))).not.toMatch(/effort|budget|thinkingLevel/i);
});

test.each<[ProviderName, string, boolean]>([
	['anthropic', 'claude-3-5-haiku-20241022', false],
	['anthropic', 'claude-opus-4-20250514', true],
	['openai', 'gpt-4o', false],
	['openai', 'gpt-5-chat-latest', false],
	['google', 'gemini-2.0-flash', false],
	['mistral', 'mistral-medium-latest', true],
])('%s %s takes an effort: %s', async (provider, model, takes) => {
	expect(takesEffort(provider, model)).toBe(takes);
	if (!takes) {
		expect(JSON.stringify(await bodyOf(provider, model, 'high'))).not.toMatch(/effort|budget|thinkingLevel/i);
	}
});

test('a model that thinks by budget does not begin to think between a call and what follows its result', async () => {
	const anthropic = await registry.anthropic.load();
	const call = {type: 'tool-call', id: 'a', name: 'read_file', arguments: {}} as const;
	const asked = {role: 'assistant', model: 'anthropic/claude-sonnet-4-5', parts: [call]} as const;
	const thought = {
		type: 'reasoning',
		text: 'Hm',
		opaque: {wire: 'anthropic', data: {signature: 's'}},
	} as const;
	const rest = {model: 'claude-sonnet-4-5', effort: 'high'} as const;
	const messages = [user('Read'), asked, result('a', 'content')];
	expect(await bodyFor(anthropic, messages, rest)).not.toHaveProperty('thinking');
	const thinking = [user('Read'), {...asked, parts: [thought, call]}, result('a', 'content')];
	expect(await bodyFor(anthropic, thinking, rest)).toHaveProperty('thinking');
	expect(await bodyFor(anthropic, [...messages, user('Go on')], rest)).toHaveProperty('thinking');
});

describe('a host that refuses an effort gets the next lower form of it, now and later', () => {
	const notices = (events: readonly ProviderEvent[]) =>
		events.flatMap(event => (event.type === 'notice' ? [event.text] : []));

	test.each<[ProviderName, string, string, (body: JsonObject) => unknown, readonly unknown[]]>([
		[
			'anthropic',
			'claude-sonnet-4-6',
			"output_config.effort: 'max' is not supported by this model",
			body => body['output_config'],
			[{effort: 'max'}, {effort: 'high'}, undefined, undefined],
		],
		[
			'openai',
			'gpt-5.2',
			"Unsupported value: 'reasoning.effort' does not support 'xhigh' with this model.",
			body => body['reasoning'],
			[{summary: 'auto', effort: 'xhigh'}, {summary: 'auto', effort: 'high'}, {summary: 'auto'}, {summary: 'auto'}],
		],
		[
			'custom',
			'small',
			'Unrecognized request argument supplied: reasoning_effort',
			body => body['reasoning_effort'],
			['high', undefined, undefined],
		],
		[
			'google',
			'gemini-3-pro-preview',
			'thinking_level MEDIUM is not supported for this model',
			body => (body['generationConfig'] as JsonObject)['thinkingConfig'],
			[{includeThoughts: true, thinkingLevel: 'high'}, {includeThoughts: true}, {includeThoughts: true}],
		],
	])('%s %s', async (name, model, message, read, sent) => {
		const refusal = {status: 400, body: JSON.stringify({error: {message}})};
		const host = fakeHost(...sent.slice(2).map(() => refusal), {body: ''});
		const provider = await registry[name].load();
		const ask = () => collect(provider(requestOf(host.transport, {model, effort: 'max'})));
		expect(notices(await ask())).toEqual([expect.stringContaining('Continuing without it.')]);
		expect(notices(await ask())).toEqual([]);
		expect(sent.map((_, index) => read(host.bodyOf(index)))).toEqual(sent);
	});
});

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {cutPromptNotice} from '../../src/agent/local-hosts.ts';
import {runAgent} from '../../src/agent/run.ts';
import type {Message} from '../../src/core/session/message.ts';
import {noUsage} from '../../src/core/session/usage.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {call, collect, finish, runOptions, scriptedModel, text} from './scripted.ts';

const words = (count: number) => 'const value = readSetting(name); '.repeat(count / 4).trim();
const user = (count: number): Message => ({role: 'user', text: words(count)});

/** Returns whether a count of the host is taken for that of a prompt that was cut. */
const isCut = (messages: readonly Message[], counted: number, sentBefore = 0) =>
	cutPromptNotice({messages, sentBefore, usage: {...noUsage, input: counted}}, 'ollama/qwen', undefined) !== undefined;

describe('a prompt that the host cut', () => {
	test.each([
		['one long message, of which 4,096 tokens were counted', [user(9000)], 4096, 0, true],
		['a long conversation with a short new message', [user(9000), user(20)], 4096, 1, true],
		['a message of which half was read', [user(9000)], 7000, 0, true],
		['one long word', [{role: 'user', text: 'x'.repeat(55_000)}], 4096, 0, true],
		['long compounds', [{role: 'user', text: 'Donaudampfschifffahrtsgesellschaft '.repeat(2000)}], 9000, 0, false],
		['a message that was read', [user(9000)], 11_000, 0, false],
		['a message of a tokenizer that joins much', [user(9000)], 8200, 0, false],
		['a conversation that was in the cache, with a long new message', [user(9000), user(4000)], 4600, 1, false],
		['a conversation that was in the cache, with a short new message', [user(9000), user(20)], 40, 1, false],
		['the same prompt again, all of it in the cache', [user(9000)], 1, 0, false],
		['no count', [user(9000)], 0, 0, false],
		['Chinese, which has no blanks', [{role: 'user', text: '读取设置的值'.repeat(5000)}], 9000, 0, false],
		[
			'a drawing of lines and blanks',
			[{role: 'user', text: `${'='.repeat(80)}\n${' '.repeat(79)}|\n`.repeat(300)}],
			1200,
			0,
			false,
		],
	] as const)('%s', (_, messages, counted, sentBefore, expected) => {
		expect(isCut(messages, counted, sentBefore)).toBe(expected);
	});

	test('counts what the cache held', () => {
		const usage = {...noUsage, input: 500, cacheRead: 10_500};
		expect(cutPromptNotice({messages: [user(9000)], sentBefore: 0, usage}, 'ollama/qwen', undefined)).toBeUndefined();
	});

	test('is never seen in one that was read as a whole, with a count of every new token or of all', () => {
		const word = fc.stringMatching(/^[a-zA-Zäöü_.()"']{1,12}$/);
		const message = fc.array(word, {minLength: 1, maxLength: 60});
		fc.assert(
			fc.property(
				fc.array(message, {minLength: 1, maxLength: 6}),
				fc.nat(5),
				fc.integer({min: 1, max: 400}),
				(all, before, times) => {
					const messages = all.map((list): Message => ({role: 'user', text: `${list.join(' ')} `.repeat(times)}));
					// A pessimistic tokenizer: one token for each word, and none for what is between them.
					const tokens = (list: readonly Message[]) =>
						list.reduce((sum, each) => sum + ('text' in each ? (each.text.match(/\p{L}+/gu)?.length ?? 0) : 0), 0);
					const sentBefore = Math.min(before, messages.length - 1);
					expect(isCut(messages, tokens(messages), sentBefore)).toBe(false);
					expect(isCut(messages, tokens(messages.slice(sentBefore)), sentBefore)).toBe(false);
				},
			),
			{numRuns: 300},
		);
	});
});

const counted: ProviderEvent = {type: 'usage', usage: {...noUsage, input: 4096, output: 1}};

test.each([
	['ollama/qwen', /Ollama: OLLAMA_CONTEXT_LENGTH=32768 for ollama serve, or num_ctx/],
	['lmstudio/qwen', /LM Studio: Context Length/],
	['custom/qwen', /Ollama: .*num_ctx.*; LM Studio: .*; llama\.cpp: --ctx-size.*; vLLM: --max-model-len/],
	['openai/gpt', undefined],
])('the user of %s is told once, with the setting that mends it', async (model, hint) => {
	const {ask} = scriptedModel([call('echo'), counted, finish('tool-calls')], [text('Yes.'), counted, finish('stop')]);
	const events = await collect(runAgent(runOptions({ask, model, prompt: {id: 'u', text: words(9000)}})));
	const notices = events.flatMap(event => (event.type === 'notice' ? [event] : []));
	expect(notices).toEqual(
		hint
			? [
					{
						type: 'notice',
						level: 'warning',
						text: "The host read only 4,096 tokens of at least 9,000: it cuts what doesn't fit its context window.",
						hint: expect.stringMatching(hint),
					},
				]
			: [],
	);
});

import {describe, expect, test} from 'vitest';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {runAgent} from '../../src/agent/run.ts';
import type {Message} from '../../src/core/session/message.ts';
import type {Provider} from '../../src/providers/provider.ts';
import {type Answer, adapterOf, fakeHost, fixture, requestOf} from '../providers/replay.ts';
import {collect, runOptions} from './scripted.ts';

const [anthropic, gemini, responses, chat, groq] = await Promise.all([
	adapterOf('anthropic'),
	adapterOf('gemini'),
	adapterOf('openai-responses'),
	adapterOf('openai-chat'),
	adapterOf('openai-chat', 'groq'),
]);
const answer = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** Runs a conversation against a fake host. Returns the number of requests, the waits, and the end of the run. */
async function run(provider: Provider, ...answers: readonly Answer[]) {
	return await runFor(0, provider, ...answers);
}

/** As `run`, on a clock on which each request takes `tookMs`. */
async function runFor(tookMs: number, provider: Provider, ...answers: readonly Answer[]) {
	const end = fakeHost(...answers);
	const waits: number[] = [];
	const clock = {
		sleep: async (milliseconds: number) => {
			waits.push(milliseconds);
		},
		random: () => 0.5,
		now: () => end.requests.length * tookMs,
	};
	const ask = (messages: readonly Message[]) => provider(requestOf(end.transport, {messages}));
	const events = await collect(runAgent(runOptions({ask, retry: createModelRetry(clock)})));
	const last = events.at(-1);
	return {asked: end.requests.length, waits, end: last?.type === 'run-end' ? last : undefined, events};
}

const limited = (message: string, headers: Record<string, string> = {}): Answer => ({
	status: 429,
	headers,
	body: JSON.stringify({error: {message, type: 'requests', code: 'rate_limit_exceeded'}}),
});

test('[23] a 429 without a wait is retried after random waits', async () => {
	const {asked, waits, end} = await run(chat, limited('Slow down.'), limited('Slow down.'), {body: answer});
	expect([asked, waits, end?.reason]).toEqual([3, [1250, 4250], 'done']);
});

test.each([
	[{'retry-after': '3'}, 'Slow down.', 3000],
	[{'retry-after-ms': '250'}, 'Slow down.', 250],
	[{}, 'Rate limit reached. Please try again in 2.4s. Visit your account page.', 2400],
	[{}, 'Rate limit reached. Please try again in 86ms.', 86],
	[{}, 'Please try again in 0m59.5s.', 59_500],
	[{}, 'Please retry after 20 seconds.', 20_000],
	[{}, 'You exceeded your quota. Please retry in 34.07482s.', 34_075],
] as const)('[23] a 429 with %j that says “%s” is tried again after %d ms', async (headers, message, expected) => {
	const {waits, end} = await run(chat, limited(message, headers), {body: answer});
	expect([waits, end?.reason]).toEqual([[expected], 'done']);
});

test('[23] a wait of more than a minute is reported instead of retried', async () => {
	const {asked, end} = await run(chat, limited('Please try again in 1h12m3.5s.'));
	expect([asked, end?.error?.hint]).toEqual([1, 'Try again in 73 minutes.']);
});

test.each([
	['insufficient_quota', 429],
	['billing_hard_limit_reached', 429],
])('[23] a used-up quota (%s) is not retried', async (code, status) => {
	const {asked} = await run(chat, {status, body: JSON.stringify({error: {message: 'Check your plan.', code}})});
	expect(asked).toBe(1);
});

test('[23] an answer whose connection closes before anything was shown is asked for again', async () => {
	const {asked, end} = await run(chat, {body: ''}, {body: ': waiting\n\n'}, {body: answer});
	expect([asked, end?.reason]).toEqual([3, 'done']);
});

test('[22] one whose connection closes so each time is incomplete', async () => {
	const {asked, end} = await run(chat, {body: ''});
	expect([asked, end?.error?.code]).toEqual([3, 'incomplete']);
});

describe('[23] an overload inside a stream', () => {
	const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

	test.each([
		['Anthropic', anthropic, fixture('anthropic-overloaded.sse')],
		['Groq', groq, fixture('chat-groq-error.sse')],
		['llama.cpp', chat, fixture('chat-llama-error.sse')],
		['Google', gemini, event({error: {code: 503, status: 'UNAVAILABLE', message: 'Busy.'}})],
		['OpenRouter', chat, event({error: {code: 502, message: 'Upstream.'}, choices: []})],
		[
			'OpenAI',
			responses,
			event({type: 'response.failed', response: {error: {code: 'server_error', message: 'Sorry.'}}}),
		],
	])('of %s before anything is shown is tried again', async (_, provider, body) => {
		const {asked, waits, end} = await run(provider, {body});
		expect([asked, waits, end?.reason]).toEqual([3, [1250, 4250], 'error']);
	});

	test('is retried after the wait in its message', async () => {
		const error = {code: 'rate_limit_exceeded', message: 'Please try again in 2.4s.'};
		const {waits} = await run(responses, {body: event({type: 'response.failed', response: {error}})});
		expect(waits).toEqual([2400, 2400]);
	});

	test('after something was shown ends the answer', async () => {
		const {asked, end} = await run(anthropic, {body: fixture('anthropic-error.sse')});
		expect([asked, end?.error?.message]).toEqual([1, 'Anthropic reported an error: Overloaded']);
	});

	test('differs from an invalid request', async () => {
		const {waits, end} = await run(chat, {body: event({error: {code: 400, message: 'Bad image.'}})});
		expect([waits, end?.reason]).toEqual([[], 'error']);
	});
});

test('a refused field gives one notice, even if the next attempt fails', async () => {
	const refusal = {status: 400, body: '{"error":{"message":"stream_options is not supported"}}'};
	const {asked, events} = await run(chat, refusal, {status: 503, body: 'busy'}, {body: answer});
	expect(asked).toBe(3);
	expect(events.filter(({type}) => type === 'notice')).toEqual([
		{
			type: 'notice',
			level: 'warning',
			text: "Custom doesn't count tokens while it streams. Its usage stays unknown.",
		},
	]);
});

test('[23] a host that was silent until the deadline is not asked again, and one that fails sooner is', async () => {
	const silent = {status: 504, body: JSON.stringify({error: {message: 'Upstream timed out.'}})};
	expect(await runFor(600_000, chat, silent, {body: answer})).toMatchObject({asked: 1, waits: []});
	expect(await runFor(60_000, chat, silent, {body: answer})).toMatchObject({asked: 2, end: {reason: 'done'}});
});

test('[21] a retry is shown with its number: the first if the wait is long, the second always', async () => {
	const {events} = await run(chat, limited('Slow down.', {'retry-after': '0.2'}), limited('Slow down.'), {
		body: answer,
	});
	const notices = events.flatMap(event => (event.type === 'notice' ? [event.text] : []));
	expect(notices).toEqual([expect.stringMatching(/ Retrying in 5 s \(attempt 3\/3\)\.$/)]);
});

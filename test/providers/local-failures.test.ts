import {describe, expect, test, vi} from 'vitest';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import type {Message} from '../../src/core/session/message.ts';
import {registry} from '../../src/providers/registry.ts';
import {collect, finish, runOptions, scriptedModel, text} from '../agent/scripted.ts';
import {type Answer, fakeHost, requestOf} from './replay.ts';

const custom = await registry.custom.load();
const ollama = await registry.ollama.load();

const failureOf = async (answer: Answer, provider = custom) => {
	const events = provider(requestOf(fakeHost(answer).transport, {baseUrl: 'http://127.0.0.1:1/v1'}));
	try {
		await events.next();
	} catch (error) {
		return error;
	}

	return undefined;
};

describe('a local program that', () => {
	test.each<[string, Answer, object]>([
		[
			'has not pulled the model names the command',
			{
				status: 404,
				body: '{"error":{"message":"model \\"qwen3:8b\\" not found, try pulling it first","type":"api_error"}}',
			},
			{code: 'not-found', hint: 'Run ollama pull qwen3:8b there, or select a model from `model list`.'},
		],
		[
			'has no model loaded says where to load it',
			{
				status: 404,
				body: '{"error":{"message":"No models loaded. Please load a model in the developer page or use the lms load command.","type":"invalid_request_error"}}',
			},
			{code: 'not-found', hint: expect.stringContaining('lms load')},
		],
		[
			'does not know the address names /v1',
			{status: 404, body: '404 page not found'},
			{hint: 'Its API probably is below /v1: `keys set custom --base-url <address>`'},
		],
		['… as vLLM does', {status: 404, body: '{"detail":"Not Found"}'}, {hint: expect.stringContaining('/v1')}],
		[
			'… as LM Studio does, with status 200',
			{body: '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'},
			{hint: expect.stringContaining('/v1')},
		],
		[
			'… as llama.cpp does',
			{status: 404, body: '{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}'},
			{hint: expect.stringContaining('/v1')},
		],
		[
			'cut away the message of the user is full',
			{status: 500, body: '{"error":{"message":"no user query found in messages","type":"api_error"}}'},
			{overflow: true, hint: expect.stringContaining('num_ctx')},
		],
		[
			'has a window smaller than the instructions is full',
			{
				body: 'event: error\ndata: {"error":{"message":"The number of tokens to keep from the initial prompt is greater than the context length."}}\n\n',
			},
			{overflow: true, hint: expect.stringContaining('Context Length')},
		],
	])('%s', async (_, answer, expected) => {
		expect(await failureOf(answer)).toMatchObject(expected);
	});

	test('has no such model, by the name that it was asked for', async () => {
		const body = '{"error":{"message":"model \'some-model\' not found","type":"not_found_error"}}';
		expect(await failureOf({status: 404, body}, ollama)).toMatchObject({
			hint: 'Run ollama pull some-model there, or select a model from `model list`.',
		});
	});

	test('refuses the connection on another machine says how it listens there', async () => {
		const down = Object.assign(new Error('refused'), {code: 'ECONNREFUSED'});
		const transport = () => Promise.reject(new AppError('network', "Couldn't reach it.", {cause: down}));
		const events = ollama(requestOf(transport, {baseUrl: 'http://192.168.1.5:11434/v1'}));
		await expect(events.next()).rejects.toMatchObject({
			message: "Couldn't reach Ollama at http://192.168.1.5:11434/v1. Is it running?",
			hint: expect.stringContaining('OLLAMA_HOST=0.0.0.0'),
		});
	});
});

const loading: Answer = {
	status: 503,
	body: '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
};
const answered: Answer = {
	body: `data: ${JSON.stringify({choices: [{delta: {content: 'Yes.'}, finish_reason: 'stop'}]})}\n\ndata: [DONE]\n\n`,
};

function hostThatLoads(times: number) {
	const {transport, requests} = fakeHost(...Array.from({length: times}, () => loading), answered);
	let nowMs = 0;
	const clock = {
		random: () => 0,
		now: () => nowMs,
		sleep: async (milliseconds: number) => {
			nowMs += milliseconds;
		},
	};
	const ask = (messages: readonly Message[]) => custom(requestOf(transport, {messages}));
	const events = () => collect(runAgent(runOptions({ask, retry: createModelRetry(clock)})));
	return {events, requests, nowMs: () => nowMs};
}

test('[23] a host that loads its model is waited for, and the user is told once', async () => {
	const {events, requests} = hostThatLoads(30);
	const all = await events();
	expect(all.at(-1)).toMatchObject({reason: 'done'});
	expect(requests).toHaveLength(31);
	expect(all.flatMap(event => (event.type === 'notice' ? [event.text] : []))).toEqual([
		'Custom is loading the model (503). Waiting for it…',
	]);
});

test('[23] but for no longer than five minutes', async () => {
	const {events, nowMs} = hostThatLoads(1000);
	expect((await events()).at(-1)).toMatchObject({reason: 'error', error: {code: 'network'}});
	expect(nowMs()).toBeGreaterThan(290_000);
	expect(nowMs()).toBeLessThan(310_000);
});

test('[21] a local host that is silent for long is explained, any other is not', async () => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	try {
		for (const [model, count] of [
			['ollama/qwen', 1],
			['openai/gpt', 0],
		] as const) {
			let speak = () => {};
			const silence = new Promise<void>(resolve => {
				speak = resolve;
			});
			const {ask} = scriptedModel([silence, text('Yes.'), finish('stop')]);
			const run = collect(runAgent(runOptions({ask, model})));
			await vi.advanceTimersByTimeAsync(40_000);
			speak();
			const notices = (await run).filter(({type}) => type === 'notice');
			expect(notices).toHaveLength(count);
		}
	} finally {
		vi.useRealTimers();
	}
});

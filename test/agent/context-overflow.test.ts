import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {adapterOf, fakeHost, requestOf} from '../providers/replay.ts';
import {call, collect, echo, finish, runOptions, type Script, scriptedModel, text, transcriptOf} from './scripted.ts';

const refusals = [
	[
		'Anthropic',
		'anthropic',
		{error: {type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum'}},
	],
	['OpenAI', 'openai-responses', {error: {code: 'context_length_exceeded', message: 'Your input exceeds it.'}}],
	['Google', 'gemini', {error: {code: 400, message: 'The input token count (9) exceeds the maximum (8).'}}],
	['llama.cpp', 'openai-chat', {error: {code: 400, type: 'exceed_context_size_error', message: 'Too big.'}}],
	['Groq', 'openai-chat', {error: {message: 'Please reduce the length of the messages or completion.'}}],
	['Mistral', 'openai-chat', {message: 'Prompt contains 9 tokens, too large for model with 8 maximum context length'}],
] as const;

async function overflowOf(wire: string, body: object): Promise<unknown> {
	const provider = await adapterOf(wire);
	const events = provider(requestOf(fakeHost({status: 400, body: JSON.stringify(body)}).transport));
	return events.next().catch((error: unknown) => error);
}

test.each(refusals)('%s says that the context overflows', async (_, wire, body) => {
	expect(await overflowOf(wire, body)).toMatchObject({code: 'provider', overflow: true});
});

const overflow = await overflowOf('anthropic', refusals[0][2]);
const refused = overflow instanceof Error ? overflow : new Error('The far end did not refuse.');

/** Returns what the next run sends, after one run of these scripts. */
async function nextMessages(...scripts: readonly Script[]): Promise<readonly Message[]> {
	const before: readonly AgentEvent[] = [
		{type: 'run-start', runId: 'run-0', model: 'custom/demo'},
		{type: 'user-message', id: 'u0', text: 'Earlier'},
		{type: 'text-delta', id: 't', messageId: 'm0', text: 'Yes.'},
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
	];
	const events = await collect(runAgent(runOptions({...scriptedModel(...scripts)})));
	expect(events.at(-1)).toMatchObject({
		type: 'run-end',
		reason: 'error',
		refused: true,
		error: {hint: 'Start a new session with `/new`, or edit the last message with `/rewind`.'},
	});
	return toMessages(transcriptOf([...before, ...events]));
}

test('a message that overflows the context is not sent again', async () => {
	expect(await nextMessages([refused])).toEqual([
		{role: 'user', text: 'Earlier'},
		{role: 'assistant', model: 'custom/demo', parts: [{type: 'text', text: 'Yes.'}]},
	]);
});

test('results that overflow the context are left out, and their calls stay answered', async () => {
	const messages = await nextMessages([call('echo', {word: 'a'}), finish('tool-calls')], [refused]);
	expect(messages.slice(2)).toEqual([
		{role: 'user', text: 'Hello'},
		{
			role: 'assistant',
			model: 'custom/demo',
			parts: [{type: 'tool-call', id: 'call-1', name: 'echo', arguments: {word: 'a'}}],
		},
		{
			role: 'tool',
			callId: 'call-1',
			name: 'echo',
			output: 'This result was left out: it did not fit into the context window. Ask for less of it.',
			failed: true,
		},
	]);
});

test('a message after a rejected one is sent with the history before both', async () => {
	const first = await collect(runAgent(runOptions({...scriptedModel([refused])})));
	const model = scriptedModel([text('Hi.'), finish('stop')]);
	await collect(runAgent(runOptions({...model, messages: toMessages(transcriptOf(first)), tools: [echo]})));
	expect(model.asked).toEqual([[{role: 'user', text: 'Hello'}]]);
});

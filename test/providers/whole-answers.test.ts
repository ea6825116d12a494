import {expect, test} from 'vitest';
import {anthropic} from '../../src/providers/anthropic.ts';
import {gemini} from '../../src/providers/gemini.ts';
import {openaiResponses} from '../../src/providers/responses/openai-responses.ts';
import {eventsOf, fakeHost, requestOf, untilFailure, withoutNewIds} from './replay.ts';

const wires = {
	anthropic: {
		provider: anthropic,
		answer: {
			type: 'message',
			content: [
				{type: 'thinking', thinking: 'Hm', signature: 'signed'},
				{type: 'text', text: 'Hi'},
				{type: 'tool_use', id: 'a', name: 'list', input: {path: '.'}},
			],
			stop_reason: 'tool_use',
			usage: {input_tokens: 3, output_tokens: 2},
		},
	},
	gemini: {
		provider: gemini,
		answer: {
			candidates: [
				{
					content: {
						parts: [
							{text: 'Hm', thought: true},
							{text: 'Hi'},
							{functionCall: {id: 'a', name: 'list', args: {path: '.'}}},
						],
					},
					finishReason: 'STOP',
				},
			],
			usageMetadata: {promptTokenCount: 3, candidatesTokenCount: 2},
		},
	},
	responses: {
		provider: openaiResponses,
		answer: {
			object: 'response',
			status: 'completed',
			error: null,
			output: [
				{type: 'reasoning', id: 'r', summary: [{type: 'summary_text', text: 'Hm'}], encrypted_content: 'sealed'},
				{type: 'message', id: 'm', content: [{type: 'output_text', text: 'Hi'}]},
				{type: 'function_call', id: 'f', call_id: 'a', name: 'list', arguments: '{"path":"."}'},
			],
			usage: {input_tokens: 3, output_tokens: 2},
		},
	},
} as const;

type Wire = keyof typeof wires;

const asEvent = (answer: unknown) => `data: ${JSON.stringify(answer)}\n\n`;

test.each<[Wire, string, (answer: unknown) => string]>([
	['anthropic', 'as JSON', answer => JSON.stringify(answer, null, 2)],
	['anthropic', 'in one event', asEvent],
	['gemini', 'as JSON', answer => JSON.stringify(answer)],
	['gemini', 'as a list', answer => JSON.stringify([answer])],
	['gemini', 'in one event', asEvent],
	['responses', 'as JSON', answer => JSON.stringify(answer)],
	['responses', 'in one event', asEvent],
])('the answer of a host of the wire %s that does not stream is read %s', async (wire, _, toBody) => {
	const {provider, answer} = wires[wire];
	const events = await eventsOf(provider, toBody(answer));
	expect(events.flatMap(event => (event.type === 'text-delta' ? [event.text] : []))).toEqual(['Hi']);
	expect(withoutNewIds(events.filter(({type}) => type === 'tool-call'))).toEqual([
		{type: 'tool-call', id: 'a', name: 'list', arguments: {path: '.'}},
	]);
	expect(events.findLast(({type}) => type === 'usage')).toMatchObject({usage: {input: 3, output: 2}});
	expect(events.at(-1)).toEqual({type: 'finish', reason: 'tool-calls'});
});

test('chunks of a list count up to the error in it', async () => {
	const piece = {candidates: [{content: {parts: [{text: 'Hel'}]}}]};
	const body = JSON.stringify([piece, {error: {code: 503, message: 'Overloaded'}}]);
	const {seen, error} = await untilFailure(gemini(requestOf(fakeHost({body}).transport)));
	expect(seen).toMatchObject([{type: 'text-delta', text: 'Hel'}]);
	expect(error).toMatchObject({message: expect.stringContaining('Overloaded')});
});

test.each(['{}', '[]', '{"type":"message"}', '{"object":"response"}', '[[{"candidates":[]}]]', '[1]'])(
	'%s is no answer',
	async body => {
		for (const {provider} of Object.values(wires)) {
			const {error} = await untilFailure(provider(requestOf(fakeHost({body}).transport)));
			expect(error).toMatchObject({code: 'provider', message: expect.stringMatching(/didn't stream its answer/)});
		}
	},
);

test('a message behind what was streamed is not read twice', async () => {
	const {provider, answer} = wires.anthropic;
	const start = {type: 'message_start', message: {usage: {input_tokens: 3, output_tokens: 1}}};
	const events = await eventsOf(provider, `${asEvent(start)}${asEvent(answer)}${asEvent({type: 'message_stop'})}`);
	expect(events.map(({type}) => type)).toEqual(['usage', 'finish']);
});

import {expect, test} from 'vitest';
import type {Message} from '../../src/core/session/message.ts';
import {anthropic} from '../../src/providers/anthropic.ts';
import {openaiChat} from '../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../src/providers/chat/openai-chat-request.ts';
import {gemini} from '../../src/providers/gemini.ts';
import {openaiResponses} from '../../src/providers/responses/openai-responses.ts';
import {bodyFor, result, user} from './conversation.ts';

const image = {hash: 'h', type: 'image/png' as const, width: 1, height: 1, bytes: 3, data: 'AAAA'};
const unsent = {hash: 'g', type: 'image/png' as const, width: 1, height: 1, bytes: 3};

function seen(callId: string): Message {
	const message = result(callId, `[${callId}.png: PNG]`);
	return message.role === 'tool' ? {...message, images: [image, unsent]} : message;
}

const call = (id: string) => ({type: 'tool-call' as const, id, name: 'read_file', arguments: {path: `${id}.png`}});
const messages: readonly Message[] = [
	user('Look'),
	{role: 'assistant', model: 'x/y', parts: [call('aaaaaaaaa'), call('bbbbbbbbb')]},
	seen('aaaaaaaaa'),
	result('bbbbbbbbb', 'text'),
	user('Well?'),
];

test('Anthropic gets the image in the result, beside its text', async () => {
	const {messages: turns} = await bodyFor(anthropic, messages);
	expect(turns).toMatchObject([
		{},
		{},
		{
			role: 'user',
			content: [
				{
					type: 'tool_result',
					tool_use_id: 'aaaaaaaaa',
					content: [
						{type: 'text', text: '[aaaaaaaaa.png: PNG]'},
						{type: 'image', source: {type: 'base64', media_type: 'image/png', data: 'AAAA'}},
					],
				},
				{type: 'tool_result', content: 'text'},
				{type: 'text', text: 'Well?'},
			],
		},
	]);
});

test('Responses get a list of text and image as output', async () => {
	const {input} = await bodyFor(openaiResponses, messages);
	expect(input).toContainEqual({
		type: 'function_call_output',
		call_id: 'aaaaaaaaa',
		output: [
			{type: 'input_text', text: '[aaaaaaaaa.png: PNG]'},
			{type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto'},
		],
	});
	expect(input).toContainEqual({type: 'function_call_output', call_id: 'bbbbbbbbb', output: 'text'});
});

const images = {
	role: 'user',
	content: [
		{type: 'text', text: 'The images of these results:'},
		{type: 'image_url', image_url: {url: 'data:image/png;base64,AAAA'}},
	],
};

test('Chat Completions get the images after all results, in a message of the user', async () => {
	const {messages: sent} = await bodyFor(openaiChat(quirksOf('openrouter')), messages);
	expect(Array.isArray(sent) ? sent.slice(-4) : []).toMatchObject([
		{role: 'tool', tool_call_id: 'aaaaaaaaa', content: '[aaaaaaaaa.png: PNG]'},
		{role: 'tool', tool_call_id: 'bbbbbbbbb', content: 'text'},
		images,
		{role: 'user', content: 'Well?'},
	]);
});

test('a host that takes no user message after a result gets an answer in between', async () => {
	const {messages: sent} = await bodyFor(openaiChat(quirksOf('mistral')), messages);
	expect(Array.isArray(sent) ? sent.slice(-3) : []).toMatchObject([
		{role: 'assistant', content: 'Noted.'},
		images,
		{role: 'user', content: 'Well?'},
	]);
});

test('Gemini gets the image in the result, and older models beside it', async () => {
	const inlineData = {mimeType: 'image/png', data: 'AAAA'};
	const partsFor = async (model: string) => {
		const {contents} = await bodyFor(gemini, messages, {model});
		return Array.isArray(contents) ? contents[2] : undefined;
	};
	expect(await partsFor('gemini-3.8-flash')).toMatchObject({
		role: 'user',
		parts: [
			{functionResponse: {id: 'aaaaaaaaa', response: {output: '[aaaaaaaaa.png: PNG]'}, parts: [{inlineData}]}},
			{functionResponse: {id: 'bbbbbbbbb', response: {output: 'text'}}},
		],
	});
	expect(await partsFor('gemini-2.5-flash')).toMatchObject({
		parts: [{functionResponse: {id: 'aaaaaaaaa'}}, {inlineData}, {functionResponse: {id: 'bbbbbbbbb'}}],
	});
});

import {expect, test} from 'vitest';
import type {Message} from '../../src/core/session/message.ts';
import {anthropic} from '../../src/providers/anthropic.ts';
import {openaiChat} from '../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../src/providers/chat/openai-chat-request.ts';
import {gemini} from '../../src/providers/gemini.ts';
import {openaiResponses} from '../../src/providers/responses/openai-responses.ts';
import {bodyFor} from './conversation.ts';

const size = {width: 1, height: 1, bytes: 3};
const image = {hash: 'h', type: 'image/png' as const, ...size, data: 'AAAA'};
const document = {hash: 'd', type: 'application/pdf' as const, ...size, data: 'BBBB'};
const unsent = {hash: 'g', type: 'image/png' as const, ...size};
const messages: readonly Message[] = [{role: 'user', text: 'Look', images: [image, document, unsent]}];

test('Anthropic gets an image and a document before the text', async () => {
	expect(await bodyFor(anthropic, messages)).toMatchObject({
		messages: [
			{
				role: 'user',
				content: [
					{type: 'image', source: {type: 'base64', media_type: 'image/png', data: 'AAAA'}},
					{type: 'document', source: {type: 'base64', media_type: 'application/pdf', data: 'BBBB'}},
					{type: 'text', text: 'Look'},
				],
			},
		],
	});
});

test('Responses get an image and a file with its name', async () => {
	const {input} = await bodyFor(openaiResponses, messages);
	expect(input).toEqual([
		{
			role: 'user',
			content: [
				{type: 'input_text', text: 'Look'},
				{type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto'},
				{type: 'input_file', filename: 'attached.pdf', file_data: 'data:application/pdf;base64,BBBB'},
			],
		},
	]);
});

test('Gemini gets inline data, Chat Completions an image URL', async () => {
	const {contents} = await bodyFor(gemini, messages);
	expect(contents).toEqual([
		{
			role: 'user',
			parts: [
				{inlineData: {mimeType: 'image/png', data: 'AAAA'}},
				{inlineData: {mimeType: 'application/pdf', data: 'BBBB'}},
				{text: 'Look'},
			],
		},
	]);
	const chat = await bodyFor(openaiChat(quirksOf('custom')), [{role: 'user', text: 'Look', images: [image]}]);
	expect(chat['messages']).toEqual([
		{
			role: 'user',
			content: [
				{type: 'text', text: 'Look'},
				{type: 'image_url', image_url: {url: 'data:image/png;base64,AAAA'}},
			],
		},
	]);
});

import {createHash} from 'node:crypto';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {AssistantPart, Message} from '../../core/session/message.ts';
import {acceptedId, acceptedName} from '../calls.ts';
import {createConverter} from '../converter.ts';
import {canReason, openaiEffort} from '../effort.ts';
import {dataUrl, imagesOf, opaqueOf, resultText, type SentImage, withoutTail} from '../history.ts';
import {at, textAt} from '../json-path.ts';
import type {ProviderRequest} from '../provider.ts';

export const responsesFormat = 'openai-responses';

/**
 * Returns the body for OpenAI's Responses API. OpenAI stores nothing: each request has the whole conversation, with
 * encrypted reasoning items.
 */
export function responsesBody({
	model,
	system,
	messages,
	tools,
	maxOutputTokens,
	effort,
	cacheKey,
}: ProviderRequest): JsonObject {
	return {
		model,
		stream: true,
		store: false,
		prompt_cache_key: cacheKey ?? keyOf(system, messages),
		...(system.trim() && {instructions: system}),
		input: toInput(messages),
		...(tools.length > 0 && {
			tools: tools.map(({name, description, parameters}) => ({
				type: 'function',
				name,
				description,
				parameters,
				// Strict mode rejects schemas with optional properties.
				strict: false,
			})),
		}),
		...(maxOutputTokens !== undefined && {max_output_tokens: maxOutputTokens}),
		...(canReason(model) && {
			reasoning: {summary: 'auto', ...(effort && {effort: openaiEffort(model, effort)})},
			include: ['reasoning.encrypted_content'],
		}),
	};
}

/** Returns the same key for a whole conversation: OpenAI routes its requests to where their beginning may be cached. */
function keyOf(system: string, messages: readonly Message[]): string {
	const beginning = JSON.stringify([system, messages[0]]);
	return createHash('sha256').update(beginning).digest('hex').slice(0, 32);
}

const toInput = createConverter(messages => messages.flatMap(toItems));

function toItems(message: Message): readonly JsonObject[] {
	switch (message.role) {
		case 'user':
			return [{role: 'user', content: [{type: 'input_text', text: message.text}, ...imagesOf(message).map(toMedia)]}];
		case 'tool':
			return [{type: 'function_call_output', call_id: toId(message.callId), output: toOutput(message)}];
		case 'assistant':
			return withoutTail(
				message.parts.flatMap(part => toItem(part, message)),
				({type}) => type === 'reasoning',
			);
		default:
			return message satisfies never;
	}
}

/** Returns an image or a PDF as a part of a message. */
function toMedia(image: SentImage): JsonObject {
	return image.type === 'application/pdf'
		? {type: 'input_file', filename: 'attached.pdf', file_data: dataUrl(image)}
		: {type: 'input_image', image_url: dataUrl(image), detail: 'auto'};
}

/** Returns the text of a result, or its text and images as a list. */
function toOutput(message: Extract<Message, {role: 'tool'}>): string | readonly JsonObject[] {
	const images = imagesOf(message).map(toMedia);
	const text = resultText(message);
	return images.length > 0 ? [{type: 'input_text', text}, ...images] : text;
}

/** Omits ids of stored items, because nothing is stored; keeps the phase of a text. */
function toItem(part: AssistantPart, message: Extract<Message, {role: 'assistant'}>): readonly JsonObject[] {
	const opaque = opaqueOf(part, message, responsesFormat, 'openai');
	switch (part.type) {
		case 'text': {
			const phase = textAt(opaque, 'phase');
			const content = [{type: 'output_text', text: part.text}];
			return part.text ? [{type: 'message', role: 'assistant', content, ...(phase && {phase})}] : [];
		}
		case 'reasoning':
			return isJsonObject(opaque) && at(opaque, 'encrypted_content') ? [opaque] : [];
		case 'tool-call':
			return [
				{
					type: 'function_call',
					call_id: toId(part.id),
					name: acceptedName(part.name),
					arguments: JSON.stringify(part.arguments),
				},
			];
		default:
			return part satisfies never;
	}
}

function toId(id: string): string {
	return acceptedId(id, /^[\w-]{1,64}$/);
}

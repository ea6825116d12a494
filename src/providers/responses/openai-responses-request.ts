import {createHash} from 'node:crypto';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {AssistantPart, Message} from '../../core/session/message.ts';
import {acceptedId} from '../calls.ts';
import {opaqueOf, resultText, withoutTail} from '../history.ts';
import {at, textAt} from '../json-path.ts';
import type {ProviderRequest} from '../provider.ts';

export const responsesWire = 'openai-responses';

/**
 * Maps a request to the body of OpenAI's Responses API. Nothing is stored there: the conversation is sent whole each time,
 * with the reasoning items in their encrypted form.
 */
export function responsesBody({model, system, messages, tools, maxOutputTokens}: ProviderRequest): JsonObject {
	return {
		model,
		stream: true,
		store: false,
		prompt_cache_key: cacheKey(system, messages),
		...(system.trim() && {instructions: system}),
		input: messages.flatMap(toItems),
		...(tools.length > 0 && {
			tools: tools.map(({name, description, parameters}) => ({
				type: 'function',
				name,
				description,
				parameters,
				// Strict mode refuses schemas with optional properties.
				strict: false,
			})),
		}),
		...(maxOutputTokens !== undefined && {max_output_tokens: maxOutputTokens}),
		...(canReason(model) && {reasoning: {summary: 'auto'}, include: ['reasoning.encrypted_content']}),
	};
}

/** Requests that begin alike are sent where that beginning may be cached: the same key for a whole conversation. */
function cacheKey(system: string, messages: readonly Message[]): string {
	const beginning = JSON.stringify([system, messages[0]]);
	return createHash('sha256').update(beginning).digest('hex').slice(0, 32);
}

/** Models that do not reason refuse to be asked for it: those before o1 and GPT-5, and the chat variants. */
function canReason(model: string): boolean {
	return /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d)|codex)/.test(model) && !model.includes('-chat');
}

function toItems(message: Message): readonly JsonObject[] {
	switch (message.role) {
		case 'user':
			return [{role: 'user', content: [{type: 'input_text', text: message.text}]}];
		case 'tool':
			return [{type: 'function_call_output', call_id: toId(message.callId), output: resultText(message)}];
		case 'assistant':
			return withoutTail(
				message.parts.flatMap(part => toItem(part, message)),
				({type}) => type === 'reasoning',
			);
		default:
			return message satisfies never;
	}
}

/** Ids of stored items are left out, because nothing is stored; only the phase of a text is kept. */
function toItem(part: AssistantPart, message: Extract<Message, {role: 'assistant'}>): readonly JsonObject[] {
	const opaque = opaqueOf(part, message, responsesWire, 'openai');
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
					name: part.name,
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

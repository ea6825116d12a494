import type {JsonObject} from '../core/json.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import {acceptedId, acceptedName} from './calls.ts';
import {createConverter} from './converter.ts';
import {anthropicEffort, thinksAsNeeded} from './effort.ts';
import {imagesOf, opaqueOf, withoutTail} from './history.ts';
import {textAt} from './json-path.ts';
import type {ProviderRequest} from './provider.ts';

export const anthropicFormat = 'anthropic';

const cached = {cache_control: {type: 'ephemeral'}} as const;

/**
 * Returns the body for Anthropic's Messages API. The prompt is cached up to the tools, the instructions and the last two
 * user turns, so that each request reads what the previous one wrote (the API allows four marks).
 */
export function anthropicBody(request: ProviderRequest): JsonObject {
	const {model, system, messages, tools, maxOutputTokens, effort} = request;
	return {
		model,
		max_tokens: maxOutputTokens ?? defaultMaxTokens(model),
		stream: true,
		...(thinksAsNeeded(model) && {thinking: {type: 'adaptive', display: 'summarized'}}),
		...(effort && (thinksAsNeeded(model) || mayBeginThinking(messages)) && anthropicEffort(model, effort)),
		...(system.trim() && {system: [{type: 'text', text: system, ...cached}]}),
		messages: cacheLastTurns(joinTurns(toTurns(messages))),
		...(tools.length > 0 && {
			tools: tools.map(({name, description, parameters}, index) => ({
				...{name, description, input_schema: parameters},
				...(index === tools.length - 1 && cached),
			})),
		}),
	};
}

/** Returns the limit that the API requires: the maximum of old models, more than an answer needs for newer ones. */
function defaultMaxTokens(model: string): number {
	if (/^claude-3-(?:opus|sonnet|haiku)/.test(model)) {
		return 4096;
	}

	return model.startsWith('claude-3-5') ? 8192 : 32_000;
}

/** False after the result of a call that no thinking came before: a model that thinks by budget must not begin there. */
function mayBeginThinking(messages: readonly Message[]): boolean {
	const last = messages.findLast(({role}) => role === 'assistant');
	return messages.at(-1)?.role !== 'tool' || (last !== undefined && toContent(last)[0]?.['type'] === 'thinking');
}

type Turn = {readonly role: 'user' | 'assistant'; readonly content: readonly JsonObject[]};

const toTurns = createConverter(messages => joinTurns(messages.map(toTurn)));

function toTurn(message: Message): Turn {
	return {role: message.role === 'assistant' ? 'assistant' : 'user', content: toContent(message)};
}

/** Joins consecutive turns of one side, because the results of parallel calls must be in one turn. Leaves out empty ones. */
function joinTurns(given: readonly Turn[]): readonly Turn[] {
	const turns: Turn[] = [];
	for (const turn of given) {
		const {role, content} = turn;
		const last = turns.at(-1);
		if (last?.role === role) {
			turns.splice(-1, 1, {role, content: [...last.content, ...content]});
		} else if (content.length > 0) {
			turns.push(turn);
		}
	}

	return turns;
}

function toContent(message: Message): readonly JsonObject[] {
	switch (message.role) {
		case 'user':
			return [
				...imagesOf(message).map(({type, data}) => ({
					type: type === 'application/pdf' ? 'document' : 'image',
					source: {type: 'base64', media_type: type, data},
				})),
				...text(message.text),
			];
		case 'tool': {
			const {callId, output, failed} = message;
			const images = imagesOf(message).map(({type, data}) => ({
				type: 'image',
				source: {type: 'base64', media_type: type, data},
			}));
			const content = images.length > 0 ? [...text(output), ...images] : output;
			return [{type: 'tool_result', tool_use_id: toId(callId), content, ...(failed && {is_error: true})}];
		}
		case 'assistant':
			return withoutTail(
				message.parts.flatMap(part => toBlock(part, message)),
				({type}) => type === 'thinking' || type === 'redacted_thinking',
			);
		default:
			return message satisfies never;
	}
}

/** Thinking goes back unchanged with its signature, or not at all. */
function toBlock(part: AssistantPart, message: Extract<Message, {role: 'assistant'}>): readonly JsonObject[] {
	switch (part.type) {
		case 'text':
			return text(part.text);
		case 'reasoning': {
			const opaque = opaqueOf(part, message, anthropicFormat, 'anthropic');
			const data = textAt(opaque, 'data');
			const signature = textAt(opaque, 'signature');
			if (data) {
				return [{type: 'redacted_thinking', data}];
			}

			return signature ? [{type: 'thinking', thinking: part.text, signature}] : [];
		}
		case 'tool-call':
			return [{type: 'tool_use', id: toId(part.id), name: acceptedName(part.name), input: part.arguments}];
		default:
			return part satisfies never;
	}
}

/** The API refuses blocks without text. */
function text(value: string): readonly JsonObject[] {
	return value.trim() ? [{type: 'text', text: value}] : [];
}

function toId(id: string): string {
	return acceptedId(id, /^[\w-]{1,64}$/);
}

function cacheLastTurns(turns: readonly Turn[]): readonly Turn[] {
	const marked = turns.flatMap(({role}, index) => (role === 'user' ? [index] : [])).slice(-2);
	return turns.map((turn, index) => {
		const {role, content} = turn;
		const last = content.at(-1);
		return last && marked.includes(index) ? {role, content: [...content.slice(0, -1), {...last, ...cached}]} : turn;
	});
}

import type {Json, JsonObject} from '../core/json.ts';
import type {Message} from '../core/message.ts';
import {callIds, finishWithCalls, toolCall} from './calls.ts';
import {openChunks, untilBreak} from './chunks.ts';
import {endpointUrl} from './history.ts';
import {at, listAt, textAt} from './json-path.ts';
import {addCallDelta, type PartialCall} from './openai-chat-calls.ts';
import type {Quirks} from './openai-chat-quirks.ts';
import {chatBody, chatWire} from './openai-chat-request.ts';
import type {FinishReason, Provider, ProviderEvent} from './provider.ts';
import {openaiUsage} from './token-usage.ts';

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
	['stop', 'stop'],
	['eos', 'stop'],
	['length', 'length'],
	['max_tokens', 'length'],
	['model_length', 'length'],
	['tool_calls', 'tool-calls'],
	['function_call', 'tool-calls'],
	['content_filter', 'content-filter'],
	['error', 'error'],
]);

/**
 * OpenAI's Chat Completions, streamed, as Mistral, Groq and many other hosts speak it too. The end mark is a
 * `finish_reason` or `[DONE]`; some hosts send only one of them, and usage comes between the two or after both.
 */
export function openaiChat(quirks: Quirks): Provider {
	return async function* (request) {
		const chunks = await openChunks(request, quirks, {
			url: endpointUrl(request.baseUrl, '/chat/completions'),
			body: chatBody(request, quirks),
		});

		const speech = speaker();
		const calls: PartialCall[] = [];
		let reason: FinishReason | undefined;
		let refusal = '';

		for await (const chunk of untilBreak(chunks, () => reason !== undefined)) {
			if (chunk === '[DONE]') {
				reason ??= 'stop';
				break;
			}

			const choice = at(chunk, 'choices', 0);
			const delta = at(choice, 'delta');
			yield* speech.say(delta);
			refusal += textAt(delta, 'refusal');
			// Hugging Face's server sends one call as the object itself.
			for (const call of [at(delta, 'tool_calls') ?? []].flat()) {
				addCallDelta(calls, call);
			}

			const word = textAt(choice, 'finish_reason');
			reason = word && word !== 'null' ? (finishReasons.get(word) ?? 'other') : reason;
			const usage = readUsage(chunk, choice);
			if (usage) {
				yield {type: 'usage', usage};
			}
		}

		// Calls are whole when the message is: what a cut stream leaves of them must never run.
		if (reason) {
			yield* speech.end(calls.length > 0);
			yield* wholeCalls(calls, request.messages);
			const finish = refusal ? 'content-filter' : finishWithCalls(reason, calls.length);
			yield {type: 'finish', reason: finish, ...(refusal && {message: refusal})};
		}
	};
}

function wholeCalls(calls: readonly PartialCall[], messages: readonly Message[]): readonly ProviderEvent[] {
	const newId = callIds(messages);
	return calls.map(({id, name, arguments: text}) => toolCall(newId(id), name, text));
}

/** The last one counts, wherever it stands: Groq has a place of its own, Moonshot uses the choice. */
function readUsage(chunk: JsonObject, choice: Json | undefined) {
	return (
		openaiUsage(at(chunk, 'usage')) ?? openaiUsage(at(chunk, 'x_groq', 'usage')) ?? openaiUsage(at(choice, 'usage'))
	);
}

const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/**
 * Turns deltas into text and reasoning. A part gets a new id whenever the kind changes. The first piece of the reasoning
 * carries the name of its field, because some hosts want it back under that name, even if nothing was in it.
 */
function speaker() {
	let kind: 'text' | 'reasoning' = 'text';
	let part = 0;
	let field = '';
	let fieldTold = false;

	const speak = (now: typeof kind, text: string): readonly ProviderEvent[] => {
		if (!text) {
			return [];
		}

		part += now === kind ? 0 : 1;
		kind = now;
		const id = `${kind}-${part}`;
		if (kind === 'text') {
			return [{type: 'text-delta', id, text}];
		}

		const opaque = field && !fieldTold ? {opaque: {wire: chatWire, data: {field}}} : {};
		fieldTold = true;
		return [{type: 'reasoning-delta', id, text, ...opaque}];
	};

	return {
		say(delta: Json | undefined): readonly ProviderEvent[] {
			const present = reasoningFields.filter(name => typeof at(delta, name) === 'string');
			const found = present.find(name => textAt(delta, name)) ?? present[0] ?? '';
			field ||= found;
			return [...speak('reasoning', textAt(delta, found)), ...sayContent(at(delta, 'content'), speak)];
		},
		/** Tells the field of reasoning that stayed empty, where calls follow that it must go back with. */
		end(hasCalls: boolean): readonly ProviderEvent[] {
			const untold = hasCalls && field && !fieldTold;
			return untold
				? [{type: 'reasoning-delta', id: 'reasoning', text: '', opaque: {wire: chatWire, data: {field}}}]
				: [];
		},
	};
}

type Speak = (kind: 'text' | 'reasoning', text: string) => readonly ProviderEvent[];

/** Content is a string, or a list of parts as Mistral's reasoning models send it. */
function sayContent(content: Json | undefined, speak: Speak): readonly ProviderEvent[] {
	if (typeof content === 'string') {
		return speak('text', content);
	}

	return listAt(content).flatMap(part => {
		const pieces = listAt(part, 'thinking').map(piece => textAt(piece, 'text'));
		const thought = textAt(part, 'thinking') || pieces.join('');
		return [...speak('reasoning', thought), ...speak('text', textAt(part, 'text'))];
	});
}

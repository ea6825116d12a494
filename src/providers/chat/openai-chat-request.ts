import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {type ChatQuirks, type ProviderName, providerRows} from '../../core/provider-rows.ts';
import type {Message} from '../../core/session/message.ts';
import {acceptedId, acceptedName} from '../calls.ts';
import {createConverter} from '../converter.ts';
import {optionalEffort} from '../effort.ts';
import type {Vendor} from '../failure.ts';
import {dataUrl, imagesOf, opaqueOf, resultText} from '../history.ts';
import {at, listAt, textAt} from '../json-path.ts';
import type {ProviderRequest} from '../provider.ts';
import {type BodyRepair, withoutField} from '../repairs/repair.ts';
import {alternatingRoles} from '../repairs/turn-order.ts';

/** A host of Chat Completions, and how it differs from others. */
export type Quirks = Vendor & ChatQuirks;

const defaults: ChatQuirks = {
	asksForUsage: false,
	maxTokensField: 'max_tokens',
	// OpenAI's own limit, which Azure and Copilot have too.
	callId: /^.{1,40}$/,
	takesReasoning: false,
	marksCache: false,
	answersBeforeUser: false,
};

const made = new Map<ProviderName, Quirks>();

/** Returns the quirks of a provider: those of its row, and the defaults. They are the same object each time. */
export function quirksOf(name: ProviderName): Quirks {
	const {label, quirks} = providerRows[name];
	const own = made.get(name) ?? {...defaults, ...quirks, name, label};
	made.set(name, own);
	return own;
}

export const chatFormat = 'openai-chat';

/** Returns the body for Chat Completions as this host expects it. */
export function chatBody(
	{model, system, messages, tools, maxOutputTokens, effort}: ProviderRequest,
	quirks: Quirks,
): JsonObject {
	const all = [...(system.trim() ? [{role: 'system', content: system}] : []), ...converterOf(quirks)(messages)];
	return {
		model,
		stream: true,
		...(quirks.asksForUsage && {stream_options: {include_usage: true}}),
		messages: quirks.marksCache && /claude/i.test(model) ? markCached(all) : all,
		...(tools.length > 0 && {
			tools: tools.map(({name, description, parameters}) => ({
				type: 'function',
				function: {name, description, parameters},
			})),
		}),
		...(effort && {reasoning_effort: effort === 'max' ? 'high' : effort}),
		...(maxOutputTokens !== undefined && {[quirks.maxTokensField]: maxOutputTokens}),
	};
}

/** Returns what hosts of Chat Completions may refuse. */
export function chatRepairs({label}: Quirks): readonly BodyRepair[] {
	const uncounted = () => `${label} doesn't count tokens while it streams. Its usage stays unknown.`;
	return [
		withoutField('stream_options', /stream_options|include_usage/i, uncounted),
		...optionalEffort('reasoning_effort'),
		optionalCacheMarks,
		otherTokenLimit,
		emptyReasoning,
		earlierReasoning,
		alternatingRoles,
	];
}

/** OpenAI's newer models and Azure want the limit of tokens under its newer name. */
const otherTokenLimit: BodyRepair = {
	name: 'max_completion_tokens',
	isRefused: refusal => /max_tokens[^\n]{0,80}max_completion_tokens/i.test(refusal),
	mend({max_tokens: limit, ...rest}) {
		return limit === undefined ? {...rest} : {...rest, max_completion_tokens: limit};
	},
};

const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content'];

/** Turns with calls that came without reasoning, as from another model: DeepSeek and Kimi want the field in each of them. */
const emptyReasoning: BodyRepair = {
	name: 'empty reasoning',
	isRefused: refusal =>
		/reasoning_content[^\n]{0,80}(?:must|missing|required)|(?:must|missing|required)[^\n]{0,80}reasoning_content/i.test(
			refusal,
		),
	mend(body) {
		const messages = listAt(body, 'messages');
		const lacks = (message: Json) =>
			isJsonObject(message) && 'tool_calls' in message && !('reasoning_content' in message);
		return messages.some(lacks)
			? {
					...body,
					messages: messages.map(message =>
						isJsonObject(message) && lacks(message) ? {...message, reasoning_content: ''} : message,
					),
				}
			: body;
	},
};

/** Reasoning of earlier answers, which another model behind the same host may not take. */
const earlierReasoning: BodyRepair = {
	name: 'earlier reasoning',
	isRefused: refusal =>
		/reasoning_(?:content|details)|thought_?signature|extra_content|content and thinking/i.test(refusal),
	mend(body) {
		const messages = listAt(body, 'messages');
		const plain = messages.map(message =>
			isJsonObject(message) && reasoningFields.some(field => field in message)
				? Object.fromEntries(Object.entries(message).filter(([field]) => !reasoningFields.includes(field)))
				: message,
		);
		return plain.every((message, index) => message === messages[index]) ? body : {...body, messages: plain};
	},
	notice: model => `${model} rejected its earlier reasoning. Continuing without it.`,
};

type Converter = (messages: readonly Message[]) => readonly JsonObject[];

const converters = new WeakMap<Quirks, Converter>();

/** Returns what converts conversations for hosts with these quirks. */
function converterOf(quirks: Quirks): Converter {
	const converter = converters.get(quirks) ?? createConverter(messages => toChat(messages, quirks));
	converters.set(quirks, converter);
	return converter;
}

function toChat(messages: readonly Message[], quirks: Quirks): readonly JsonObject[] {
	return messages.flatMap((message, index): readonly JsonObject[] => {
		switch (message.role) {
			case 'user': {
				const afterResult =
					quirks.answersBeforeUser && messages[index - 1]?.role === 'tool' && !hasImages(messages, index - 1);
				const user = {role: 'user', content: userContent(message)};
				return afterResult ? [{role: 'assistant', content: 'Noted.'}, user] : [user];
			}
			case 'tool': {
				const id = acceptedId(message.callId, quirks.callId);
				const result = {role: 'tool', tool_call_id: id, name: acceptedName(message.name), content: resultText(message)};
				// Results hold text alone: images follow the last result of a turn, in a message of the user.
				return messages[index + 1]?.role === 'tool' ? [result] : [result, ...toImages(messages, index, quirks)];
			}
			case 'assistant':
				return toAssistant(message, quirks);
			default:
				return message satisfies never;
		}
	});
}

/** Returns a text, or a text with images. */
function userContent(message: Extract<Message, {role: 'user'}>): Json {
	const images = imagesOf(message).map(image => ({type: 'image_url', image_url: {url: dataUrl(image)}}));
	return images.length > 0 ? [{type: 'text', text: message.text}, ...images] : message.text;
}

/** Returns the results of the turn that ends at `index`. */
function resultsUpTo(messages: readonly Message[], index: number) {
	const start = messages.findLastIndex((message, at) => at <= index && message.role !== 'tool') + 1;
	return messages.slice(start, index + 1).flatMap(message => (message.role === 'tool' ? [message] : []));
}

function hasImages(messages: readonly Message[], index: number): boolean {
	return resultsUpTo(messages, index).some(result => imagesOf(result).length > 0);
}

function toImages(messages: readonly Message[], index: number, {answersBeforeUser}: Quirks): readonly JsonObject[] {
	const images = resultsUpTo(messages, index).flatMap(imagesOf);
	if (images.length === 0) {
		return [];
	}

	const content = [
		{type: 'text', text: 'The images of these results:'},
		...images.map(image => ({type: 'image_url', image_url: {url: dataUrl(image)}})),
	];
	return [...(answersBeforeUser ? [{role: 'assistant', content: 'Noted.'}] : []), {role: 'user', content}];
}

function toAssistant(message: Extract<Message, {role: 'assistant'}>, quirks: Quirks): readonly JsonObject[] {
	const calls: JsonObject[] = [];
	let content = '';
	let reasoning = '';
	let field = '';
	let details: readonly Json[] = [];
	let extra: Json | undefined;
	for (const part of message.parts) {
		if (part.type === 'text') {
			content += part.text;
		} else if (part.type === 'reasoning') {
			const opaque = opaqueOf(part, message, chatFormat, quirks.name);
			field = textAt(opaque, 'field') || field;
			details = [...details, ...listAt(opaque, 'details')];
			extra = at(opaque, 'extra') ?? extra;
			reasoning += opaque === undefined ? '' : part.text;
		} else {
			const text = JSON.stringify(part.arguments);
			const id = acceptedId(part.id, quirks.callId);
			const extra = at(opaqueOf(part, message, chatFormat, quirks.name), 'extra');
			const call = {id, type: 'function', function: {name: acceptedName(part.name), arguments: text}};
			calls.push({...call, ...(extra !== undefined && {extra_content: extra})});
		}
	}

	if (!content && calls.length === 0) {
		return [];
	}

	return [
		{
			role: 'assistant',
			content: content || null,
			// Empty reasoning too: DeepSeek requires the field, not the text.
			...(quirks.takesReasoning && field && calls.length > 0 && {[field]: reasoning}),
			...(details.length > 0 && {reasoning_details: details}),
			...(extra !== undefined && {extra_content: extra}),
			...(calls.length > 0 && {tool_calls: calls}),
		},
	];
}

const mark = {cache_control: {type: 'ephemeral'}} as const;

/**
 * Adds Claude's cache marks for hosts of Chat Completions: to the instructions and the last two user turns, so that each
 * request reads what the previous one wrote.
 */
function markCached(messages: readonly JsonObject[]): readonly JsonObject[] {
	const turns = messages.flatMap(({role}, index) => {
		const isAnswer = role === 'tool' && messages[index + 1]?.['role'] !== 'tool';
		return role === 'user' || isAnswer ? [index] : [];
	});
	const marked = new Set(turns.slice(-2));
	return messages.map((message, index) =>
		message['role'] === 'system' || marked.has(index) ? withMark(message) : message,
	);
}

function withMark(message: JsonObject): JsonObject {
	const text = textAt(message, 'content');
	return text.trim() ? {...message, content: [{type: 'text', text, ...mark}]} : message;
}

/** A host may not support the marks, or text in parts. */
const optionalCacheMarks: BodyRepair = {
	name: 'cache_control',
	isRefused: refusal => /cache_control|content[^.\n]{0,60}\bstr(?:ing)?\b/i.test(refusal),
	mend(body) {
		const messages = listAt(body, 'messages');
		const plain = messages.map(withoutMark);
		return plain.every((message, index) => message === messages[index]) ? body : {...body, messages: plain};
	},
};

function withoutMark(message: Json): Json {
	return at(message, 'content', 0, 'cache_control') === undefined
		? message
		: {...(message as JsonObject), content: textAt(message, 'content', 0, 'text')};
}

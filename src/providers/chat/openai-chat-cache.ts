import type {Json, JsonObject} from '../../core/json.ts';
import {at, listAt, textAt} from '../json-path.ts';
import type {BodyRepair} from '../repairs/repair.ts';

const mark = {cache_control: {type: 'ephemeral'}} as const;

/**
 * Adds Claude's cache marks for hosts of Chat Completions: to the instructions and the last two user turns, so that each
 * request reads what the previous one wrote.
 */
export function markCached(messages: readonly JsonObject[]): readonly JsonObject[] {
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
export const optionalCacheMarks: BodyRepair = {
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

import type {Json, JsonObject} from '../../core/json.ts';
import {at, listAt, textAt} from '../json-path.ts';
import type {BodyRepair} from './repair.ts';

const orderRefusals =
	/alternat|consecutive|unexpected role|expected (?:last |first )?role|after (?:role |a )?["'`]?(?:tool|assistant|user|system)|roles? (?:must|should)|multi-?turn|jinja|chat.?template|raise_exception|at row \d+, column \d+|(?:same|two|multiple) .{0,20}roles?|role ["'`]?\w+["'`]? (?:cannot|can't|must|is not expected)/i;

/** True for a refusal of the order in which messages follow each other, as templates of open models have it. */
export function isOrderRefused(refusal: string): boolean {
	return orderRefusals.test(refusal);
}

const noted: JsonObject = {role: 'assistant', content: 'Noted.'};
const begun: JsonObject = {role: 'user', content: 'Continue.'};

/**
 * Joins messages of Chat Completions that follow each other on one side, and parts a message of the user from a result
 * before it, so that user and model alternate.
 */
export const alternatingRoles: BodyRepair = {
	name: 'alternating roles',
	isRefused: isOrderRefused,
	isOrder: true,
	mend(body) {
		const given = listAt(body, 'messages') as readonly JsonObject[];
		const messages: JsonObject[] = [];
		for (const message of given) {
			const last = messages.at(-1);
			const isPlain = message['tool_calls'] === undefined && last?.['tool_calls'] === undefined;
			const role = textAt(message, 'role');
			if (last && isPlain && last['role'] === role && (role === 'user' || role === 'assistant')) {
				messages.splice(-1, 1, joinOnce(last, message, joinMessages));
			} else {
				const isFirst = !last || last['role'] === 'system';
				messages.push(...(role === 'user' && last?.['role'] === 'tool' ? [noted] : []));
				messages.push(...(role === 'assistant' && isFirst ? [begun] : []), message);
			}
		}

		return messages.every((message, index) => message === given[index]) ? body : {...body, messages};
	},
};

/** Joins contents of Gemini's API that follow each other on one side. */
export const alternatingContents: BodyRepair = {
	name: 'alternating contents',
	isRefused: isOrderRefused,
	isOrder: true,
	mend(body) {
		const given = listAt(body, 'contents') as readonly JsonObject[];
		const contents: JsonObject[] = [];
		for (const content of given) {
			const last = contents.at(-1);
			const isSame = last !== undefined && last['role'] === content['role'];
			contents.splice(
				isSame ? -1 : contents.length,
				isSame ? 1 : 0,
				isSame ? joinOnce(last, content, joinParts) : content,
			);
		}

		return contents.length === given.length ? body : {...body, contents};
	},
};

const joinedWith = new WeakMap<JsonObject, WeakMap<JsonObject, JsonObject>>();

/** Joins two messages, and returns the same object each time. */
function joinOnce(
	one: JsonObject,
	other: JsonObject,
	join: (one: JsonObject, other: JsonObject) => JsonObject,
): JsonObject {
	const others = joinedWith.get(one) ?? new WeakMap<JsonObject, JsonObject>();
	joinedWith.set(one, others);
	const joined = others.get(other) ?? join(one, other);
	others.set(other, joined);
	return joined;
}

function joinMessages(one: JsonObject, other: JsonObject): JsonObject {
	const [first, second] = [at(one, 'content') ?? '', at(other, 'content') ?? ''];
	const content =
		typeof first === 'string' && typeof second === 'string'
			? [first, second].filter(Boolean).join('\n\n')
			: [...partsOf(first), ...partsOf(second)];
	return {...one, ...other, content};
}

function partsOf(content: Json): readonly Json[] {
	return Array.isArray(content)
		? content
		: typeof content === 'string' && content
			? [{type: 'text', text: content}]
			: [];
}

function joinParts(one: JsonObject, other: JsonObject): JsonObject {
	return {...one, parts: [...listAt(one, 'parts'), ...listAt(other, 'parts')]};
}

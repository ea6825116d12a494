import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import {listAt, textAt} from './json-path.ts';
import type {BodyRepair} from './repairs/repair.ts';

const notice = (model: string) => `${model} rejected its earlier reasoning. Continuing without it.`;

/**
 * OpenAI's encrypted reasoning of earlier answers: an organization can't read that of another one, so that after a change of
 * the key or the host every request with it is refused.
 */
export const encryptedReasoning: BodyRepair = {
	name: 'encrypted reasoning',
	isRefused: refusal => /encrypted[ _]content/i.test(refusal),
	mend(body) {
		const {include: _, ...rest} = body;
		const input = listAt(body, 'input');
		const kept = input.filter(item => textAt(item, 'type') !== 'reasoning');
		return kept.length === input.length ? body : {...rest, input: kept};
	},
	notice,
};

/**
 * Anthropic's signed thinking of earlier answers, which another host may not verify. A model that thinks by budget then
 * doesn't think: its last turn would have to begin with thinking.
 */
export const signedThinking: BodyRepair = {
	name: 'signed thinking',
	isRefused: refusal => /signature[^.\n]{0,60}thinking|thinking[^.\n]{0,60}signature/i.test(refusal),
	mend(body) {
		const messages = listAt(body, 'messages');
		const kept = messages.map(withoutThinking);
		if (kept.every((message, index) => message === messages[index])) {
			return body;
		}

		const {thinking: _, ...others} = body;
		return {...(textAt(body, 'thinking', 'type') === 'enabled' ? others : body), messages: kept};
	},
	notice,
};

function withoutThinking(message: Json): Json {
	const content = listAt(message, 'content');
	const kept = content.filter(block => !/^(?:redacted_)?thinking$/.test(textAt(block, 'type')));
	return isJsonObject(message) && kept.length < content.length ? ({...message, content: kept} as JsonObject) : message;
}

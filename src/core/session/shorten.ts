import {headAndTail} from '../cut-text.ts';
import {type JsonObject, mapStrings} from '../json.ts';
import type {AssistantPart, Message} from './message.ts';

/** Most characters of the parts of a conversation. Longer ones keep their beginning and their end. */
export type PartLimits = {
	/** Of answers, reasoning, results, and the arguments of calls. Images of results are left out. */
	readonly part: number;
	/** Of what the user wrote and attached, whose images are left out then; without a limit if left out. */
	readonly user?: number | undefined;
};

/**
 * Returns the messages with no part longer than the limits. Every call keeps its result, and what is short enough stays the
 * same object. Data for the vendor goes with the words that it belongs to.
 */
export function shorten(messages: readonly Message[], limits: PartLimits): readonly Message[] {
	return messages.map(message => shortenOne(message, limits));
}

function shortenOne(message: Message, {part, user}: PartLimits): Message {
	switch (message.role) {
		case 'user': {
			if (user === undefined || (message.text.length <= user && !message.images)) {
				return message;
			}

			const note = message.images ? `\n${imagesLeftOut}` : '';
			return {role: 'user', text: headAndTail(message.text, user) + note};
		}
		case 'tool': {
			if (message.output.length <= part && !message.images) {
				return message;
			}

			const {images, ...rest} = message;
			return {...rest, output: headAndTail(message.output, part) + (images ? `\n${imagesLeftOut}` : '')};
		}
		case 'assistant': {
			const parts = message.parts.flatMap(each => shortenPart(each, part));
			const isSame = parts.length === message.parts.length && parts.every((each, at) => each === message.parts[at]);
			return isSame ? message : {...message, parts};
		}
		default:
			return message satisfies never;
	}
}

const imagesLeftOut = '[An image was left out to make room.]';

function shortenPart(part: AssistantPart, limit: number): readonly AssistantPart[] {
	if (part.type === 'tool-call') {
		const size = JSON.stringify(part.arguments).length;
		return [size <= limit ? part : {...part, arguments: shortenArguments(part.arguments, limit)}];
	}

	const hidden = part.opaque === undefined ? 0 : JSON.stringify(part.opaque.data).length;
	if (part.text.length <= limit && hidden <= Math.max(limit, 4 * minHidden)) {
		return [part];
	}

	return part.text ? [{type: part.type, text: headAndTail(part.text, limit)}] : [];
}

/** Signatures are shorter, and are needed as long as their words are. */
const minHidden = 1000;

/** Returns arguments whose JSON has about `limit` characters at most: with shorter texts, or else without the values. */
function shortenArguments(args: JsonObject, limit: number): JsonObject {
	for (let each = limit; each >= 20; each = Math.floor(each / 4)) {
		const length = each;
		const shorter = mapStrings(args, text => headAndTail(text, length));
		if (JSON.stringify(shorter).length <= 2 * limit) {
			return shorter;
		}
	}

	const keys = Object.keys(args).slice(0, 20);
	return Object.fromEntries(keys.map(key => [headAndTail(key, 60), valueLeftOut]));
}

const valueLeftOut = '[left out to make room]';

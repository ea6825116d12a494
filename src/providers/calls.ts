import {createHash, randomUUID} from 'node:crypto';
import {AppError} from '../core/error.ts';
import {formatNumber} from '../core/format.ts';
import {isDeeper, isJsonObject, parseJson} from '../core/json.ts';
import type {Opaque} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {FinishReason, ProviderEvent} from './provider.ts';

const deepest = 64;

/** No model needs as many calls in one message; a host that sends more has lost its way. */
const mostCalls = 1000;

/** Throws `AppError` (`provider`) where one more call than these would be too many (SAFETY 21). */
export function assertRoomForCall(calls: number): void {
	if (calls >= mostCalls) {
		throw new AppError('provider', `The model asked for more than ${formatNumber(mostCalls)} tools at once.`, {
			hint: 'Ask again, or choose another model.',
			permanent: true,
		});
	}
}

type ToolCall = Extract<ProviderEvent, {type: 'tool-call'}>;

/**
 * Names the calls of one answer. A vendor's id is kept; one that is missing, empty, the word "null" (Mistral's default)
 * or taken already, in this answer or in the conversation, is replaced by a new one.
 */
export function callIds(messages: readonly Message[]): (vendorId: string) => string {
	const taken = new Set(messages.flatMap(message => (message.role === 'assistant' ? message.parts : [])).flatMap(idOf));
	return vendorId => {
		const missing = vendorId === '' || vendorId === 'null' || taken.has(vendorId);
		const id = missing ? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}` : vendorId;
		taken.add(id);
		return id;
	};
}

function idOf(part: {readonly type: string; readonly id?: string}): string[] {
	return part.type === 'tool-call' && part.id !== undefined ? [part.id] : [];
}

/**
 * Creates a call from its arguments' text. Nothing at all and `null` mean no arguments; what is no JSON object, or one
 * that is nested beyond reason, stays as `malformed`, so that the model can be told. A name is never empty, because no
 * vendor takes such a call back.
 */
export function toolCall(id: string, name: string, text: string, opaque?: Opaque): ToolCall {
	const call = {type: 'tool-call', id, name: name || 'unnamed', ...(opaque && {opaque})} as const;
	const value = text.trim() === '' ? null : parseJson(text);
	if (value === null) {
		return {...call, arguments: {}};
	}

	const usable = isJsonObject(value) && !isDeeper(value, deepest);
	return usable ? {...call, arguments: value} : {...call, arguments: {}, malformed: text};
}

/** Calls must be answered also where the message simply ended. Those of an end that nobody knows may lack something. */
export function finishWithCalls(reason: FinishReason, calls: number): FinishReason {
	return calls > 0 && reason === 'stop' ? 'tool-calls' : reason;
}

/** The end of an answer. The vendor's word is told where nothing else says why the answer is not a usual one. */
export function finishOf(reason: FinishReason, word: string, message = ''): Extract<ProviderEvent, {type: 'finish'}> {
	const isUsual = reason === 'stop' || reason === 'length' || reason === 'tool-calls';
	return {type: 'finish', reason, ...(message ? {message} : word && !isUsual && word !== reason && {word})};
}

/**
 * The id under which a call is told to a vendor: its own where the vendor takes it, else nine letters and digits that
 * every vendor takes (Mistral no others), the same in each request so that cached prompts stay valid.
 */
export function acceptedId(id: string, accepted: RegExp): string {
	if (accepted.test(id)) {
		return id;
	}

	return createHash('sha256')
		.update(id)
		.digest('base64')
		.replace(/[^a-zA-Z0-9]/g, '')
		.slice(0, 9);
}

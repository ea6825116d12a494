import {createHash, randomUUID} from 'node:crypto';
import {AppError} from '../core/error.ts';
import {formatNumber} from '../core/format.ts';
import {isDeeper, isJsonObject, parseJson} from '../core/json.ts';
import type {Opaque} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {FinishReason, ProviderEvent} from './provider.ts';

const maxDepth = 64;

/** Most calls in one message. No model needs as many; a host that sends more is broken. */
const maxCalls = 1000;

/** Throws `AppError("provider")` if an answer with so many calls can take no further one (SAFETY 21). */
export function assertRoomForCall(calls: number): void {
	if (calls >= maxCalls) {
		throw new AppError('provider', `The model requested more than ${formatNumber(maxCalls)} tool calls at once.`, {
			hint: 'Ask again, or select another model.',
			permanent: true,
		});
	}
}

type ToolCall = Extract<ProviderEvent, {type: 'tool-call'}>;

/**
 * Returns a function that gives each call of an answer a unique id. It keeps the vendor's id, but replaces one that is
 * empty, "null" (Mistral's default) or already used in this answer or in the conversation.
 */
export function callIds(messages: readonly Message[]): (vendorId: string) => string {
	// Most answers have no call.
	let taken: Set<string> | undefined;
	return vendorId => {
		taken ??= new Set(messages.flatMap(message => (message.role === 'assistant' ? message.parts : [])).flatMap(idOf));
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
 * Creates a call from the text of its arguments. An empty text and `null` mean no arguments. Text that isn't a JSON
 * object, or is nested too deeply, stays as `malformed` to show it to the model. The name is never empty, because
 * vendors refuse that.
 */
export function toolCall(id: string, name: string, text: string, opaque?: Opaque): ToolCall {
	const call = {type: 'tool-call', id, name: name || 'unnamed', ...(opaque && {opaque})} as const;
	const value = text.trim() === '' ? null : parseJson(text);
	if (value === null) {
		return {...call, arguments: {}};
	}

	const usable = isJsonObject(value) && !isDeeper(value, maxDepth);
	return usable ? {...call, arguments: value} : {...call, arguments: {}, malformed: text};
}

/**
 * Returns `tool-calls` for a message that stopped with calls: they must be answered. After an unknown end they may be
 * incomplete.
 */
export function finishWithCalls(reason: FinishReason, calls: number): FinishReason {
	return calls > 0 && reason === 'stop' ? 'tool-calls' : reason;
}

/** Returns the end of an answer. It has the vendor's reason if the end is unusual and no message explains it. */
export function finishOf(
	reason: FinishReason,
	vendorReason: string,
	message = '',
): Extract<ProviderEvent, {type: 'finish'}> {
	const isUsual = reason === 'stop' || reason === 'length' || reason === 'tool-calls';
	return {
		type: 'finish',
		reason,
		...(message ? {message} : vendorReason && !isUsual && vendorReason !== reason && {vendorReason}),
	};
}

/**
 * Returns the id of a call for a vendor: its own if the vendor accepts it, else nine letters and digits, which every
 * vendor accepts (Mistral nothing else). It is the same in each request, so that cached prompts stay valid.
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

/**
 * Returns the name of a called tool for a vendor: vendors refuse a conversation with a name that no tool could have, and a
 * model may call a tool by any.
 */
export function acceptedName(name: string): string {
	const plain = name.replace(/[^\w-]/g, '_');
	return (/^[a-z_]/i.test(plain) ? plain : `_${plain}`).slice(0, 64);
}

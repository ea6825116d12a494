import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {assertRoomForCall} from '../calls.ts';
import {at, countAt, textAt} from '../json-path.ts';
import type {ProviderEvent} from '../provider.ts';

/** A call that is being streamed. */
export type PartialCall = {
	readonly index: number | undefined;
	id: string;
	name: string;
	arguments: string;
	/** What the vendor wants back with the call, such as Google's thought signature. */
	extra?: JsonObject | undefined;
};

/**
 * Adds a delta to its call, or begins a new one. The index usually says which; but Mistral sends none, and others send
 * the same one for all calls, or ids that are empty, new in every delta or always the same. So a delta that names a
 * function begins a call if it can't continue the previous one. Returns the piece. Throws like `assertRoomForCall`.
 */
export function addCallDelta(calls: PartialCall[], delta: Json): readonly ProviderEvent[] {
	const index = countAt(delta, 'index');
	const id = textAt(delta, 'id');
	const name = textAt(delta, 'function', 'name');
	const text = argumentsOf(at(delta, 'function', 'arguments'));
	const given = at(delta, 'extra_content');
	const extra = isJsonObject(given) ? given : undefined;
	const found = findCall(calls, index, id);
	if (!found || (name && !continues(found, id, name, text))) {
		if (name || id || text) {
			assertRoomForCall(calls.length);
			calls.push({index, id, name, arguments: text, extra});
			return [{type: 'tool-call-delta', id: `${calls.length - 1}`, name, text}];
		}

		return [];
	}

	found.id ||= id;
	found.name ||= name;
	found.arguments += text;
	found.extra = extra ?? found.extra;
	return text ? [{type: 'tool-call-delta', id: `${calls.indexOf(found)}`, name: found.name, text}] : [];
}

function findCall(calls: readonly PartialCall[], index: number | undefined, id: string): PartialCall | undefined {
	if (index !== undefined) {
		return calls.findLast(call => call.index === index);
	}

	return (id && calls.findLast(call => call.id === id)) || calls.at(-1);
}

/** A name comes once, or with every piece. Another name or id, or a second complete set of arguments, is another call. */
function continues(call: PartialCall, id: string, name: string, text: string): boolean {
	const otherName = call.name !== '' && call.name !== name;
	const otherId = id !== '' && call.id !== '' && call.id !== id;
	const complete = text !== '' && isJsonObject(parseJson(call.arguments));
	return !otherName && !otherId && !complete;
}

/** Some hosts send the arguments as the object itself. */
function argumentsOf(value: Json | undefined): string {
	return isJsonObject(value) ? JSON.stringify(value) : typeof value === 'string' ? value : '';
}

import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {assertRoomForCall} from '../calls.ts';
import {at, countAt, textAt} from '../json-path.ts';

/** A call as it grows from deltas. */
export type PartialCall = {
	readonly index: number | undefined;
	id: string;
	name: string;
	arguments: string;
	/** What the vendor wants back with the call, such as Google's thought signature. */
	extra?: JsonObject | undefined;
};

/**
 * Adds a delta to the call that it belongs to, or begins a new one. The index tells which as a rule; Mistral sends none,
 * others send the same one for all, or ids that are empty, new in every delta or the same for all calls. So a delta that
 * names a function begins a call whenever it cannot continue the one before. Throws as `assertRoomForCall`.
 */
export function addCallDelta(calls: PartialCall[], delta: Json): void {
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
		}

		return;
	}

	found.id ||= id;
	found.name ||= name;
	found.arguments += text;
	found.extra = extra ?? found.extra;
}

function findCall(calls: readonly PartialCall[], index: number | undefined, id: string): PartialCall | undefined {
	if (index !== undefined) {
		return calls.findLast(call => call.index === index);
	}

	return (id && calls.findLast(call => call.id === id)) || calls.at(-1);
}

/** A name is told once, or again with every piece; a second name, id or whole set of arguments is a second call. */
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

import {type Json, type JsonObject, wellFormedJson} from '../core/json.ts';
import {commonStart} from '../core/list/list-start.ts';
import type {Message} from '../core/session/message.ts';

/** The list of the conversation in the last body, without its brackets, and where each item and the comma after it end. */
type Kept = {readonly items: readonly Json[]; readonly bytes: Buffer; readonly ends: readonly number[]};

/** By the first message of the conversation. */
const keptOf = new WeakMap<Message, Kept>();

/** What the wire formats call the conversation. */
const listFields: ReadonlySet<string> = new Set(['messages', 'input', 'contents']);

/**
 * Returns the body of a request in UTF-8, as `wellFormedJson` writes it. Items of the conversation that the last request
 * began with, as the same objects, are copied from there: only new ones are written. They must not change.
 */
export function bodyBytes(body: JsonObject, [first]: readonly Message[]): Buffer {
	const entries = Object.entries(body);
	const at = entries.findIndex(([name, value]) => listFields.has(name) && Array.isArray(value));
	const [name, items] = entries[at] ?? [];
	if (!first || name === undefined || !Array.isArray(items)) {
		return Buffer.from(wellFormedJson(body));
	}

	const list = writeList(items, keptOf.get(first));
	const before = entriesText(entries.slice(0, at));
	const after = entriesText(entries.slice(at + 1));
	const start = Buffer.from(`{${before && `${before},`}${JSON.stringify(name)}:[`);
	const end = Buffer.from(`]${after && `,${after}`}}`);
	const bytes = Buffer.concat([start, ...list.parts, end]);
	const written = bytes.subarray(start.length, bytes.length - end.length);
	keptOf.set(first, {items, bytes: written, ends: list.ends});
	return bytes;
}

function writeList(items: readonly Json[], kept: Kept | undefined) {
	const count = kept ? sameStart(items, kept.items) : 0;
	const texts = items.slice(count).map(item => wellFormedJson(item));
	const ends = kept?.ends.slice(0, count) ?? [];
	let end = ends.at(-1) ?? 0;
	const parts = kept && count > 0 ? [kept.bytes.subarray(0, end)] : [];
	for (const text of texts) {
		end += Buffer.byteLength(text) + (ends.length > 0 ? 1 : 0);
		ends.push(end);
	}

	const comma = count > 0 && texts.length > 0 ? ',' : '';
	return {ends, parts: [...parts, Buffer.from(comma + texts.join(','))]};
}

/** Returns how many items two lists begin with together. Chat Completions make the first one, the instructions, each time. */
function sameStart(items: readonly Json[], others: readonly Json[]): number {
	const [first] = items;
	const [other] = others;
	if (first === undefined || other === undefined) {
		return 0;
	}

	const isSame = first === other || JSON.stringify(first) === JSON.stringify(other);
	return isSame ? commonStart(items, others, 1) : 0;
}

/** Returns the fields of an object without its braces. */
function entriesText(entries: readonly (readonly [string, Json])[]): string {
	return wellFormedJson(Object.fromEntries(entries)).slice(1, -1);
}

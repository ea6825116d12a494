import {type Json, type JsonObject, wellFormedJson} from '../core/json.ts';
import {commonStart} from '../core/list-start.ts';
import type {Message} from '../core/session/message.ts';

/**
 * The list of the conversation in the last body: its items, their bytes without the brackets, with room for more, and where
 * each item ends there.
 */
type Kept = {
	readonly items: readonly Json[];
	readonly bytes: Buffer;
	readonly ends: readonly number[];
	/** Where the next body is written, unless a request still uses it. */
	spare: Buffer | undefined;
};

/** A body, whose memory is used again after `release`: its request must be over. */
export type Body = {readonly bytes: Buffer; readonly release: () => void};

/** By the first message of the conversation. */
const keptOf = new WeakMap<Message, Kept>();

/** What the wire formats call the conversation. */
const listFields: ReadonlySet<string> = new Set(['messages', 'input', 'contents']);

/**
 * Returns the body of a request in UTF-8, as `wellFormedJson` writes it. Items of the conversation that the last request
 * began with, as the same objects, are copied from there: only new ones are written. They must not change.
 */
export function bodyBytes(body: JsonObject, [first]: readonly Message[]): Body {
	const entries = Object.entries(body);
	const place = entries.findIndex(([name, value]) => listFields.has(name) && Array.isArray(value));
	const [name, items] = entries[place] ?? [];
	if (!first || name === undefined || !Array.isArray(items)) {
		return {bytes: Buffer.from(wellFormedJson(body)), release: () => undefined};
	}

	const list = writeList(items, keptOf.get(first));
	keptOf.set(first, list);
	const before = entriesText(entries.slice(0, place));
	const after = entriesText(entries.slice(place + 1));
	const start = Buffer.from(`{${before && `${before},`}${JSON.stringify(name)}:[`);
	const end = Buffer.from(`]${after && `,${after}`}}`);
	const parts = [start, list.bytes.subarray(0, list.ends.at(-1) ?? 0), end];
	const size = parts.reduce((sum, {length}) => sum + length, 0);
	const memory = withRoom(list.spare ?? Buffer.alloc(0), 0, size);
	list.spare = undefined;
	let at = 0;
	for (const part of parts) {
		at += part.copy(memory, at);
	}

	const release = () => {
		const latest = keptOf.get(first);
		if (latest) {
			latest.spare = memory;
		}
	};
	return {bytes: memory.subarray(0, size), release};
}

/** Writes a list over what was kept of the last one, from the first item on that is another one. */
function writeList(items: readonly Json[], kept: Kept | undefined): Kept {
	const count = kept ? sameStart(items, kept.items) : 0;
	const texts = items.slice(count).map(item => wellFormedJson(item));
	const ends = kept?.ends.slice(0, count) ?? [];
	const start = ends.at(-1) ?? 0;
	let end = start;
	for (const text of texts) {
		end += Buffer.byteLength(text) + (ends.length > 0 ? 1 : 0);
		ends.push(end);
	}

	const bytes = withRoom(kept?.bytes ?? Buffer.alloc(0), start, end);
	bytes.write(`${count > 0 && texts.length > 0 ? ',' : ''}${texts.join(',')}`, start);
	return {items, bytes, ends, spare: kept?.spare};
}

/**
 * Returns the bytes, or a larger copy of the first `kept` of them if `size` bytes don't fit. New memory for each turn would
 * wait for the garbage collector, which sees only what V8 itself has: 20 MB more after 200 turns.
 */
function withRoom(bytes: Buffer, kept: number, size: number): Buffer {
	if (size <= bytes.length) {
		return bytes;
	}

	const larger = Buffer.allocUnsafe(Math.ceil(1.5 * size));
	bytes.copy(larger, 0, 0, kept);
	return larger;
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

import {isJsonObject, type Json, parseJson} from '../../core/json.ts';

/** Returns how many spans an OTLP request contains; undefined if it can't be read. */
export function countSpans(bytes: Uint8Array, format: 'json' | 'protobuf'): number | undefined {
	return format === 'json' ? countJson(parseJson(new TextDecoder().decode(bytes))) : countProtobuf(bytes, path);
}

/** The field numbers of `resource_spans`, `scope_spans` and `spans`, each inside the one before. */
const path = [1, 2, 2];

/** Each list inside the one before, by the names that programs have for it. */
const lists: readonly RegExp[] = [/^resource_?spans$/i, /^(?:scope|instrumentation_?library)_?spans$/i, /^spans$/i];

function countJson(request: Json | undefined): number {
	return lists.reduce<readonly Json[]>((around, name) => around.flatMap(each => listAt(each, name)), [request ?? null])
		.length;
}

function listAt(value: Json, name: RegExp): readonly Json[] {
	const [, list] = isJsonObject(value) ? (Object.entries(value).find(([key]) => name.test(key)) ?? []) : [];
	return Array.isArray(list) ? list : [];
}

/** Counts the messages at the end of a path of field numbers, without reading their content. */
function countProtobuf(bytes: Uint8Array, [field, ...deeper]: readonly number[]): number | undefined {
	let count = 0;
	for (let at = 0; at < bytes.length; ) {
		const tag = readVarint(bytes, at);
		const value = tag && tag.value % 8 === lengthDelimited ? readVarint(bytes, tag.next) : undefined;
		const end = value && value.next + value.value;
		if (!tag || !value || end === undefined || end > bytes.length) {
			return undefined;
		}

		if (Math.floor(tag.value / 8) === field) {
			const inner = deeper.length > 0 ? countProtobuf(bytes.subarray(value.next, end), deeper) : 1;
			if (inner === undefined) {
				return undefined;
			}

			count += inner;
		}

		at = end;
	}

	return count;
}

/** The wire type of messages, and of strings. */
const lengthDelimited = 2;

function readVarint(bytes: Uint8Array, from: number): {readonly value: number; readonly next: number} | undefined {
	let value = 0;
	for (let at = from; at < Math.min(bytes.length, from + 8); at += 1) {
		const byte = bytes[at] ?? 0;
		value += (byte % 128) * 128 ** (at - from);
		if (byte < 128) {
			return {value, next: at + 1};
		}
	}

	return undefined;
}

import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {countAt, listAt, textAt} from '../json-path.ts';

/** Fields of a detail that grow from piece to piece; the others come once. */
const growing: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/**
 * Adds OpenRouter's `reasoning_details` of a delta to those of the answer, which must go back complete and in order.
 * Pieces of one detail share type and index, and are consecutive.
 */
export function addReasoningDetails(details: JsonObject[], delta: Json | undefined): void {
	for (const piece of listAt(delta, 'reasoning_details')) {
		if (isJsonObject(piece)) {
			const last = details.at(-1);
			if (last && continues(last, piece)) {
				details.splice(-1, 1, merged(last, piece));
			} else {
				details.push(piece);
			}
		}
	}
}

/** Returns the text of a delta's details. */
export function reasoningText(delta: Json | undefined): string {
	return listAt(delta, 'reasoning_details')
		.map(piece => textAt(piece, 'text') || textAt(piece, 'summary'))
		.join('');
}

function continues(last: JsonObject, piece: JsonObject): boolean {
	const index = countAt(piece, 'index');
	const id = textAt(piece, 'id');
	const otherId = id !== '' && textAt(last, 'id') !== '' && id !== textAt(last, 'id');
	return (
		textAt(last, 'type') === textAt(piece, 'type') &&
		countAt(last, 'index') === index &&
		index !== undefined &&
		!otherId
	);
}

function merged(last: JsonObject, piece: JsonObject): JsonObject {
	const entries = Object.entries(piece).flatMap(([key, value]): [string, Json][] => {
		const before = last[key];
		if (growing.has(key) && typeof value === 'string' && typeof before === 'string') {
			return [[key, before + value]];
		}

		return value === null && before !== undefined ? [] : [[key, value]];
	});
	return {...last, ...Object.fromEntries(entries)};
}

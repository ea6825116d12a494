import {isJsonObject, type Json} from '../../core/json.ts';
import {looseFields} from '../render/loose-table.ts';
import type {Result} from '../result.ts';

/** Returns a workspace or project as the server answers, below a sentence about what was done to it, if anything. */
export function placeResult(data: Json, done?: string): Result {
	const fields = isJsonObject(data) ? looseFields(data) : [];
	const record = {kind: 'record', fields, data} as const;
	if (done === undefined) {
		return record;
	}

	const text = {kind: 'text', text: done} as const;
	return {kind: 'group', parts: fields.length > 0 ? [text, record] : [text], data};
}

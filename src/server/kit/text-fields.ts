import type {Violation} from '../../contract/check.ts';
import {isJsonObject, type Json} from '../../core/json.ts';

/** Lone surrogates, and the zero character: no database stores them as they are. */
const unstorable = /[\0\p{Surrogate}]/u;

/** Returns every text in a JSON body, name or value, that cannot be stored as it was sent. */
export function textViolations(json: Json, path: Violation['path'] = []): readonly Violation[] {
	if (typeof json === 'string') {
		const rule = 'must be Unicode text without zero characters';
		return unstorable.test(json) ? [{path, rule, code: 'invalid_value'}] : [];
	}

	if (Array.isArray(json)) {
		return json.flatMap((item, index) => textViolations(item, [...path, index]));
	}

	return isJsonObject(json)
		? Object.entries(json).flatMap(([name, value]) => [
				...textViolations(name, [...path, name]),
				...textViolations(value, [...path, name]),
			])
		: [];
}

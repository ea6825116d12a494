import type {Violation} from '../../contract/check.ts';
import {isJsonObject, type Json} from '../../core/json.ts';

/** Lone surrogates and NUL, which databases can't store as they are. */
const unstorable = /[\0\p{Surrogate}]/u;

/** Returns a violation for every name or value in a JSON body that can't be stored unchanged. */
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

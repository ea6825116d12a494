import {isJsonObject, type Json} from './json.ts';

/** True if a value has a type that a JSON Schema names; true for an unknown type. */
export function isOfJsonType(value: Json, type: Json): boolean {
	switch (type) {
		case 'null':
			return value === null;
		case 'array':
			return Array.isArray(value);
		case 'object':
			return isJsonObject(value);
		case 'integer':
			return Number.isInteger(value);
		case 'string':
		case 'number':
		case 'boolean':
			return typeof value === type;
		default:
			return true;
	}
}

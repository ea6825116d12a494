import {isJsonObject, type JsonObject} from '../../core/json.ts';

/** Reads what an agent sent. Whatever isn't what it should be counts as missing. */
export function objectIn(object: JsonObject, name: string): JsonObject {
	const value = object[name];
	return isJsonObject(value) ? value : {};
}

export function textIn(object: JsonObject, name: string): string | undefined {
	const value = object[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberIn(object: JsonObject, name: string): number | undefined {
	const value = object[name];
	return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function listIn(object: JsonObject, name: string): readonly JsonObject[] {
	const value = object[name];
	return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A value as JSON carries it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = {readonly [key: string]: Json};

/** Parses JSON text; gives undefined instead of throwing. */
export function parseJson(text: string): Json | undefined {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return undefined;
	}
}

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** True where arrays and objects lie in each other more than `limit` levels deep: whoever walks such a value may crash. */
export function isDeeper(value: Json, limit: number): boolean {
	if (typeof value !== 'object' || value === null) {
		return false;
	}

	return limit === 0 || Object.values(value).some(item => isDeeper(item, limit - 1));
}

/**
 * The value as JSON that every parser takes: half of a surrogate pair, which a model or a tool may leave, is U+FFFD. As an
 * escape, which `JSON.stringify` makes of it, strict parsers refuse the whole text (RFC 8259, section 8.2).
 */
export function wellFormedJson(value: unknown, indent?: number): string {
	const text = JSON.stringify(value, undefined, indent);
	return text.replace(/\\(?:(ud[89a-f][\da-f]{2})|.)/g, (whole, half) => (half ? '\\ufffd' : whole));
}

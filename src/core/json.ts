/** A value as JSON carries it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = {readonly [key: string]: Json};

/** Parses JSON text, which may begin with a byte order mark; returns undefined instead of throwing. */
export function parseJson(text: string): Json | undefined {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
	} catch {
		return undefined;
	}
}

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns JSON in which each text, and with `names` each name of a property, is changed. */
export function mapStrings<Value extends Json>(
	value: Value,
	change: (text: string) => string,
	{names = false}: {readonly names?: boolean} = {},
): Value {
	const visit = (inner: Json): Json => {
		if (typeof inner === 'string') {
			return change(inner);
		}

		if (Array.isArray(inner)) {
			return inner.map(visit);
		}

		return isJsonObject(inner)
			? Object.fromEntries(Object.entries(inner).map(([key, item]) => [names ? change(key) : key, visit(item)]))
			: inner;
	};

	return visit(value) as Value;
}

/** True if arrays and objects are nested more than `limit` levels deep, which may crash recursive code. */
export function isDeeper(value: Json, limit: number): boolean {
	if (typeof value !== 'object' || value === null) {
		return false;
	}

	return limit === 0 || Object.values(value).some(item => isDeeper(item, limit - 1));
}

/** Returns JSON in which what is nested more than `levels` deep is an empty object; itself if nothing is. */
export function limitDepth<Value extends Json>(value: Value, levels: number): Value {
	return isDeeper(value, levels) ? (cutDepth(value, levels) as Value) : value;
}

function cutDepth(value: Json, levels: number): Json {
	if (typeof value !== 'object' || value === null) {
		return value;
	}

	if (levels === 0) {
		return {};
	}

	return Array.isArray(value)
		? value.map(item => cutDepth(item, levels - 1))
		: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDepth(item, levels - 1)]));
}

/**
 * Returns JSON that every parser accepts: half of a surrogate pair, which a model or a tool may write, becomes U+FFFD.
 * `JSON.stringify` would escape it, and strict parsers reject the whole text (RFC 8259, section 8.2).
 */
export function wellFormedJson(value: unknown, indent?: number): string {
	const text = JSON.stringify(value, undefined, indent);
	// Nearly every text has none, and each escape costs a call below.
	if (!text.includes('\\ud')) {
		return text;
	}

	return text.replace(/\\(?:(ud[89a-f][\da-f]{2})|.)/g, (whole, half) => (half ? '\\ufffd' : whole));
}

/** Glyphs that are blank though they are no spaces: Braille, music, Khitan, Egyptian, and what stands for an object. */
export const blankGlyphs = '\\u2800\\uFFFC\\u{13441}\\u{13442}\\u{16FE4}\\u{1D159}';

/**
 * Characters that a reader can't see, or that a terminal obeys, LF, TAB and CR among them. For a class of a regular
 * expression with the flag `u`.
 */
export const unseenCharacters = `\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}${blankGlyphs}`;

import type {Json, JsonObject} from '../../core/json.ts';

export type SpanEvent = {
	readonly name: string;
	/** Microseconds since 1970. */
	readonly at: number;
	readonly attributes: JsonObject;
};

/** A valid span of a request, in our own words. */
export type Span = {
	/** 32 and 16 hex digits in lower case. */
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly name: string;
	/** As OTLP counts: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
	readonly kind: number;
	/** Microseconds since 1970: nanoseconds would not fit a number. */
	readonly startedAt: number;
	readonly endedAt: number;
	/** As OTLP counts: 0 unset, 1 ok, 2 error. */
	readonly statusCode: number;
	readonly statusMessage: string | null;
	/** Bytes are base64; numbers that JSON does not carry exactly are text. */
	readonly attributes: JsonObject;
	/** Attributes of what sent it. */
	readonly resource: JsonObject;
	readonly scope: string;
	readonly events: readonly SpanEvent[];
};

/** What a request held: spans, and why some were not taken. */
export type DecodedSpans = {
	readonly spans: readonly Span[];
	readonly rejected: readonly string[];
};

/** The text of an attribute; undefined where it has none or another type. Empty text says nothing. */
export function textAt(attributes: JsonObject, key: string): string | undefined {
	const value = valueAt(attributes, key);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A finite number of an attribute, also where it came as text. */
export function numberAt(attributes: JsonObject, key: string): number | undefined {
	const value = valueAt(attributes, key);
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A count of an attribute: whole, not negative, and small enough to add up. */
export function countAt(attributes: JsonObject, key: string): number | undefined {
	const number = numberAt(attributes, key);
	return number !== undefined && Number.isInteger(number) && number >= 0 && number <= 1e12 ? number : undefined;
}

export function valueAt(attributes: JsonObject, key: string): Json | undefined {
	return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

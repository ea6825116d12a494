import {createHash} from 'node:crypto';
import {wellFormedJson} from '../core/json.ts';

/** The value of an attribute. A number that is no integer is sent as a double. */
export type AttributeValue = string | number | boolean | readonly string[];

/** A finished span. Times are microseconds since 1970, of which nanoseconds are made: those wouldn't fit a number. */
export type Span = {
	/** 32 hex digits. */
	readonly traceId: string;
	/** 16 hex digits. */
	readonly spanId: string;
	readonly parentSpanId?: string | undefined;
	readonly name: string;
	readonly kind: 'internal' | 'client';
	readonly startUs: number;
	readonly endUs: number;
	/** Undefined ones are left out. */
	readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
	readonly isError: boolean;
	/** The message of an error, '' for none. */
	readonly message?: string | undefined;
};

/** The numbers of OTLP (`SpanKind`, `Status.StatusCode`). */
const kinds = {internal: 1, client: 3} as const;
const errorCode = 2;

/** Returns an id of so many hex digits that is always the same for the same words. */
export function idOf(digits: 16 | 32, ...words: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, digits);
}

/** Returns a span as OTLP/JSON writes it (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export function encodeSpan(span: Span): string {
	const {traceId, spanId, parentSpanId, name, kind, startUs, endUs, attributes, isError, message} = span;
	return wellFormedJson({
		traceId,
		spanId,
		...(parentSpanId !== undefined && {parentSpanId}),
		name,
		kind: kinds[kind],
		startTimeUnixNano: `${startUs}000`,
		endTimeUnixNano: `${endUs}000`,
		attributes: encodeAttributes(attributes),
		...(isError && {status: {code: errorCode, ...(message && {message})}}),
	});
}

/** Returns attributes as OTLP/JSON writes them. */
export function encodeAttributes(attributes: Span['attributes']): readonly object[] {
	return Object.entries(attributes).flatMap(([key, value]) =>
		value === undefined ? [] : [{key, value: encodeValue(value)}],
	);
}

function encodeValue(value: AttributeValue): object {
	switch (typeof value) {
		case 'string':
			return {stringValue: value};
		case 'boolean':
			return {boolValue: value};
		case 'number':
			return Number.isSafeInteger(value) ? {intValue: String(value)} : {doubleValue: value};
		default:
			return {arrayValue: {values: value.map(encodeValue)}};
	}
}

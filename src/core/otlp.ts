import {wellFormedJson} from './json.ts';

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
	/** True for one that its sender says went well; others say nothing of it. */
	readonly isOk?: boolean;
	/** The message of an error, '' for none. */
	readonly message?: string | undefined;
};

/** The numbers of OTLP (`SpanKind`, `Status.StatusCode`). */
const kinds = {internal: 1, client: 3} as const;
const codes = {ok: 1, error: 2} as const;

/** Returns a span as OTLP/JSON writes it (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export function encodeSpan(span: Span): string {
	const {traceId, spanId, parentSpanId, name, kind, startUs, endUs, attributes, isError, isOk, message} = span;
	return wellFormedJson({
		traceId,
		spanId,
		...(parentSpanId !== undefined && {parentSpanId}),
		name,
		kind: kinds[kind],
		startTimeUnixNano: `${startUs}000`,
		endTimeUnixNano: `${endUs}000`,
		attributes: encodeAttributes(attributes),
		...(isOk && {status: {code: codes.ok}}),
		...(isError && {status: {code: codes.error, ...(message && {message})}}),
	});
}

/** Who sends spans, and which of its parts made them. */
export type SpanSource = {
	readonly resource: Span['attributes'];
	readonly scope: {readonly name: string; readonly version?: string};
};

/** Returns an export request of OTLP/JSON with spans that are encoded already. */
export function exportBody(spans: readonly string[], {resource, scope}: SpanSource): string {
	const head = JSON.stringify({attributes: encodeAttributes(resource)});
	const scopeSpans = `{"scope":${JSON.stringify(scope)},"spans":[${spans.join(',')}]}`;
	return `{"resourceSpans":[{"resource":${head},"scopeSpans":[${scopeSpans}]}]}`;
}

/** Returns attributes as OTLP/JSON writes them. */
function encodeAttributes(attributes: Span['attributes']): readonly object[] {
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

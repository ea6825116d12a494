import type {JsonObject} from '../../../core/json.ts';

export type SpanEvent = {
	readonly name: string;
	/** Microseconds since 1970. */
	readonly at: number;
	readonly attributes: JsonObject;
};

/** A valid span of a request. */
export type ReceivedSpan = {
	/** 32 and 16 hex digits in lower case. */
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly name: string;
	/** As in OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
	readonly kind: number;
	/** Microseconds since 1970: nanoseconds wouldn't fit a number. */
	readonly startedAt: number;
	readonly endedAt: number;
	/** As in OTLP: 0 unset, 1 ok, 2 error. */
	readonly statusCode: number;
	readonly statusMessage: string | null;
	/** Bytes are base64; numbers that JSON can't represent exactly are text. */
	readonly attributes: JsonObject;
	/** Attributes of the sender. */
	readonly resource: JsonObject;
	readonly scope: string;
	readonly events: readonly SpanEvent[];
};

/** The spans of a request, and why some were rejected. */
export type DecodedSpans = {
	readonly spans: readonly ReceivedSpan[];
	/** A message for each. */
	readonly rejected: readonly string[];
	/** What else the request had that isn't stored. */
	readonly warning?: string;
};

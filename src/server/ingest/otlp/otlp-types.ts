/** The value of an attribute; at most one of its fields is set. */
export type AnyValue = {
	readonly stringValue?: string;
	readonly boolValue?: boolean;
	readonly intValue?: bigint;
	readonly doubleValue?: number;
	readonly arrayValue?: {readonly values?: readonly AnyValue[]};
	readonly kvlistValue?: {readonly values?: readonly KeyValue[]};
	/** Base64. */
	readonly bytesValue?: string;
};

export type KeyValue = {readonly key?: string; readonly value?: AnyValue};

/** A part of a request that couldn't be read: why, and nothing else. */
type Isolated = {readonly fault?: string};

/** A span as decoded from either encoding with the messages of `otlp-messages.ts`. Ids are in hex in lower case. */
export type OtlpSpan = Isolated & {
	readonly traceId?: string;
	readonly spanId?: string;
	readonly parentSpanId?: string;
	readonly name?: string;
	readonly kind?: number;
	readonly startTimeUnixNano?: bigint;
	readonly endTimeUnixNano?: bigint;
	readonly attributes?: readonly KeyValue[];
	readonly events?: readonly {
		readonly timeUnixNano?: bigint;
		readonly name?: string;
		readonly attributes?: readonly KeyValue[];
	}[];
	readonly status?: {readonly message?: string; readonly code?: number};
};

type ScopeSpans = Isolated & {
	readonly scope?: Isolated & {readonly name?: string};
	readonly spans?: readonly OtlpSpan[];
};

type ResourceSpans = Isolated & {
	readonly resource?: Isolated & {readonly attributes?: readonly KeyValue[]};
	readonly scopeSpans?: readonly ScopeSpans[];
};

export type ExportRequest = {readonly resourceSpans?: readonly ResourceSpans[]};

/** How a field is encoded: in protobuf by its type, in JSON as OTLP/HTTP requires. */
export type FieldType = 'text' | 'id' | 'base64' | 'bool' | 'double' | 'int64' | 'fixed64' | 'number';

export type Field = {
	/** The field number in protobuf. */
	readonly id: number;
	readonly type: FieldType | (() => MessageSchema);
	readonly repeated?: true;
	/** An unreadable value becomes `{fault}`, so that it spoils nothing but itself. */
	readonly isolated?: true;
	/** The names of an enum's values, by number. */
	readonly values?: readonly string[];
};

/** The fields of a message by their JSON names. Other fields are skipped. */
export type MessageSchema = Readonly<Record<string, Field>>;

/** The value of an attribute. */
export const anyValue: MessageSchema = {
	stringValue: {id: 1, type: 'text'},
	boolValue: {id: 2, type: 'bool'},
	intValue: {id: 3, type: 'int64'},
	doubleValue: {id: 4, type: 'double'},
	arrayValue: {id: 5, type: () => arrayValue},
	kvlistValue: {id: 6, type: () => keyValueList},
	bytesValue: {id: 7, type: 'base64'},
};

const arrayValue: MessageSchema = {values: {id: 1, type: () => anyValue, repeated: true}};

/** An attribute. */
export const keyValue: MessageSchema = {
	key: {id: 1, type: 'text'},
	value: {id: 2, type: () => anyValue},
};

const keyValueList: MessageSchema = {values: {id: 1, type: () => keyValue, repeated: true}};

const resource: MessageSchema = {attributes: {id: 1, type: () => keyValue, repeated: true}};

const scope: MessageSchema = {name: {id: 1, type: 'text'}};

const event: MessageSchema = {
	timeUnixNano: {id: 1, type: 'fixed64'},
	name: {id: 2, type: 'text'},
	attributes: {id: 3, type: () => keyValue, repeated: true},
};

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map(name => `SPAN_KIND_${name}`);

const statusCodes = ['UNSET', 'OK', 'ERROR'].map(name => `STATUS_CODE_${name}`);

const status: MessageSchema = {
	message: {id: 2, type: 'text'},
	code: {id: 3, type: 'number', values: statusCodes},
};

/** A span. Its number in a request is limited. */
export const spanMessage: MessageSchema = {
	traceId: {id: 1, type: 'id'},
	spanId: {id: 2, type: 'id'},
	parentSpanId: {id: 4, type: 'id'},
	name: {id: 5, type: 'text'},
	kind: {id: 6, type: 'number', values: kinds},
	startTimeUnixNano: {id: 7, type: 'fixed64'},
	endTimeUnixNano: {id: 8, type: 'fixed64'},
	attributes: {id: 9, type: () => keyValue, repeated: true},
	events: {id: 11, type: () => event, repeated: true},
	status: {id: 15, type: () => status},
};

const scopeSpans: MessageSchema = {
	scope: {id: 1, type: () => scope, isolated: true},
	spans: {id: 2, type: () => spanMessage, repeated: true, isolated: true},
};

const resourceSpans: MessageSchema = {
	resource: {id: 1, type: () => resource, isolated: true},
	scopeSpans: {id: 2, type: () => scopeSpans, repeated: true, isolated: true},
};

/** The part of `ExportTraceServiceRequest` (opentelemetry-proto 1.x) that this server reads. */
export const exportRequest: MessageSchema = {
	resourceSpans: {id: 1, type: () => resourceSpans, repeated: true, isolated: true},
};

/** The messages around spans, without which a request has none. */
export const envelopes: readonly MessageSchema[] = [exportRequest, resourceSpans, scopeSpans];

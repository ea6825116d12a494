/** How a field is encoded: in protobuf by its type, in JSON as OTLP/HTTP requires. */
export type FieldType = 'text' | 'hex' | 'base64' | 'bool' | 'double' | 'int64' | 'fixed64' | 'number';

export type Field = {
	/** The field number in protobuf. */
	readonly id: number;
	readonly type: FieldType | (() => Message);
	readonly repeated?: true;
};

/** The fields of a message by their JSON names. Other fields are skipped. */
export type Message = Readonly<Record<string, Field>>;

const anyValue: Message = {
	stringValue: {id: 1, type: 'text'},
	boolValue: {id: 2, type: 'bool'},
	intValue: {id: 3, type: 'int64'},
	doubleValue: {id: 4, type: 'double'},
	arrayValue: {id: 5, type: () => arrayValue},
	kvlistValue: {id: 6, type: () => keyValueList},
	bytesValue: {id: 7, type: 'base64'},
};

const arrayValue: Message = {values: {id: 1, type: () => anyValue, repeated: true}};

const keyValue: Message = {
	key: {id: 1, type: 'text'},
	value: {id: 2, type: () => anyValue},
};

const keyValueList: Message = {values: {id: 1, type: () => keyValue, repeated: true}};

const resource: Message = {attributes: {id: 1, type: () => keyValue, repeated: true}};

const scope: Message = {name: {id: 1, type: 'text'}};

const event: Message = {
	timeUnixNano: {id: 1, type: 'fixed64'},
	name: {id: 2, type: 'text'},
	attributes: {id: 3, type: () => keyValue, repeated: true},
};

const status: Message = {
	message: {id: 2, type: 'text'},
	code: {id: 3, type: 'number'},
};

/** A span. Its number in a request is limited. */
export const spanMessage: Message = {
	traceId: {id: 1, type: 'hex'},
	spanId: {id: 2, type: 'hex'},
	parentSpanId: {id: 4, type: 'hex'},
	name: {id: 5, type: 'text'},
	kind: {id: 6, type: 'number'},
	startTimeUnixNano: {id: 7, type: 'fixed64'},
	endTimeUnixNano: {id: 8, type: 'fixed64'},
	attributes: {id: 9, type: () => keyValue, repeated: true},
	events: {id: 11, type: () => event, repeated: true},
	status: {id: 15, type: () => status},
};

const scopeSpans: Message = {
	scope: {id: 1, type: () => scope},
	spans: {id: 2, type: () => spanMessage, repeated: true},
};

const resourceSpans: Message = {
	resource: {id: 1, type: () => resource},
	scopeSpans: {id: 2, type: () => scopeSpans, repeated: true},
};

/** The part of `ExportTraceServiceRequest` (opentelemetry-proto 1.x) that this server reads. */
export const exportRequest: Message = {resourceSpans: {id: 1, type: () => resourceSpans, repeated: true}};

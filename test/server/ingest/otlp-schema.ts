import {gzipSync} from 'node:zlib';
import protobuf from 'protobufjs/light.js';

const repeated = (id: number, type: string) => ({id, type, rule: 'repeated'});

/** The schema of opentelemetry-proto for protobufjs' own encoder, written independently of ours. */
const root = protobuf.Root.fromJSON({
	nested: {
		ExportTraceServiceRequest: {fields: {resourceSpans: repeated(1, 'ResourceSpans')}},
		ExportTraceServiceResponse: {fields: {partialSuccess: {id: 1, type: 'PartialSuccess'}}},
		PartialSuccess: {fields: {rejectedSpans: {id: 1, type: 'int64'}, errorMessage: {id: 2, type: 'string'}}},
		ResourceSpans: {
			fields: {
				resource: {id: 1, type: 'Resource'},
				scopeSpans: repeated(2, 'ScopeSpans'),
				schemaUrl: {id: 3, type: 'string'},
			},
		},
		Resource: {
			fields: {attributes: repeated(1, 'KeyValue'), droppedAttributesCount: {id: 2, type: 'uint32'}},
		},
		ScopeSpans: {
			fields: {scope: {id: 1, type: 'Scope'}, spans: repeated(2, 'Span'), schemaUrl: {id: 3, type: 'string'}},
		},
		Scope: {fields: {name: {id: 1, type: 'string'}, version: {id: 2, type: 'string'}}},
		Span: {
			fields: {
				traceId: {id: 1, type: 'bytes'},
				spanId: {id: 2, type: 'bytes'},
				traceState: {id: 3, type: 'string'},
				parentSpanId: {id: 4, type: 'bytes'},
				name: {id: 5, type: 'string'},
				kind: {id: 6, type: 'int32'},
				startTimeUnixNano: {id: 7, type: 'fixed64'},
				endTimeUnixNano: {id: 8, type: 'fixed64'},
				attributes: repeated(9, 'KeyValue'),
				droppedAttributesCount: {id: 10, type: 'uint32'},
				events: repeated(11, 'Event'),
				status: {id: 15, type: 'Status'},
				flags: {id: 16, type: 'fixed32'},
			},
		},
		Event: {
			fields: {
				timeUnixNano: {id: 1, type: 'fixed64'},
				name: {id: 2, type: 'string'},
				attributes: repeated(3, 'KeyValue'),
			},
		},
		Status: {fields: {message: {id: 2, type: 'string'}, code: {id: 3, type: 'int32'}}},
		KeyValue: {fields: {key: {id: 1, type: 'string'}, value: {id: 2, type: 'AnyValue'}}},
		AnyValue: {
			fields: {
				stringValue: {id: 1, type: 'string'},
				boolValue: {id: 2, type: 'bool'},
				intValue: {id: 3, type: 'int64'},
				doubleValue: {id: 4, type: 'double'},
				arrayValue: {id: 5, type: 'ArrayValue'},
				kvlistValue: {id: 6, type: 'KeyValueList'},
				bytesValue: {id: 7, type: 'bytes'},
			},
			oneofs: {
				value: {
					oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue', 'bytesValue'],
				},
			},
		},
		ArrayValue: {fields: {values: repeated(1, 'AnyValue')}},
		KeyValueList: {fields: {values: repeated(1, 'KeyValue')}},
	},
});

/** Encodes a request with additional fields that only others send and the server ignores. */
export function encodeRequest(request: object): Uint8Array {
	const type = root.lookupType('ExportTraceServiceRequest');
	return type.encode(type.fromObject(request)).finish();
}

/** Decodes the server's protobuf response. */
export function decodeResponse(bytes: Uint8Array): object {
	const type = root.lookupType('ExportTraceServiceResponse');
	return type.toObject(type.decode(bytes), {longs: String});
}

export const gzip = (bytes: Uint8Array | string) => new Uint8Array(gzipSync(bytes));

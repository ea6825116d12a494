import protobuf from 'protobufjs/minimal.js';
import type {OtlpEncoding} from './decode.ts';

/** Longest `error_message`, in sentences. */
const mostFaults = 5;

/**
 * The answer of OTLP/HTTP in the encoding that was asked in: `ExportTraceServiceResponse`, empty where every span was
 * taken, else with how many were not and why.
 */
export function exportResponse(encoding: OtlpEncoding, rejected: readonly string[]): Response {
	const faults = [...new Set(rejected)];
	const message = [...faults.slice(0, mostFaults), ...(faults.length > mostFaults ? ['And more.'] : [])].join(' ');
	if (encoding === 'json') {
		const partialSuccess = {rejectedSpans: String(rejected.length), errorMessage: message};
		return Response.json(rejected.length > 0 ? {partialSuccess} : {});
	}

	return new Response(rejected.length > 0 ? inProtobuf(rejected.length, message) : new Uint8Array(), {
		headers: {'content-type': 'application/x-protobuf'},
	});
}

/** Field 1, `partial_success`, with its fields 1, `rejected_spans`, and 2, `error_message`. */
function inProtobuf(rejected: number, message: string): Uint8Array<ArrayBuffer> {
	const writer = protobuf.Writer.create().uint32(0x0a).fork().uint32(0x08).int64(rejected).uint32(0x12).string(message);
	return new Uint8Array(writer.ldelim().finish());
}

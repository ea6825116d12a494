import protobuf from 'protobufjs/minimal.js';
import type {OtlpEncoding} from './decode.ts';

/** How many different messages `error_message` contains. */
const maxMessages = 5;

/**
 * Returns the response of OTLP/HTTP in the encoding of the request: an `ExportTraceServiceResponse`, which is empty if
 * everything was accepted, and otherwise says how many spans were rejected and why. A warning stands there with 0 (OTLP,
 * “Partial Success”).
 */
export function exportResponse(encoding: OtlpEncoding, rejected: readonly string[], warning?: string): Response {
	const messages = [...(warning === undefined ? [] : [warning]), ...new Set(rejected)];
	const message = [...messages.slice(0, maxMessages), ...(messages.length > maxMessages ? ['And more.'] : [])].join(
		' ',
	);
	if (encoding === 'json') {
		const partialSuccess = {rejectedSpans: String(rejected.length), errorMessage: message};
		return Response.json(messages.length > 0 ? {partialSuccess} : {});
	}

	return new Response(messages.length > 0 ? inProtobuf(rejected.length, message) : new Uint8Array(), {
		headers: {'content-type': 'application/x-protobuf'},
	});
}

/** Encodes field 1, `partial_success`, with its fields 1, `rejected_spans`, and 2, `error_message`. */
function inProtobuf(rejected: number, message: string): Uint8Array<ArrayBuffer> {
	const writer = protobuf.Writer.create().uint32(0x0a).fork().uint32(0x08).int64(rejected).uint32(0x12).string(message);
	return new Uint8Array(writer.ldelim().finish());
}

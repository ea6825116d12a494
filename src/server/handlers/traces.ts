import protobuf from 'protobufjs/minimal.js';
import {ingest} from '../ingest/ingest.ts';
import {decodeTraces, encodingOf, type OtlpEncoding} from '../ingest/otlp/decode.ts';
import type {Handlers} from './handler.ts';

export const traceHandlers = {
	/**
	 * Responds as OTLP/HTTP requires, in the encoding of the request. Invalid spans are counted; the others are stored.
	 */
	async pushTraces({body, contentType, contentEncoding}, {principal, scope, services}) {
		const bytes = typeof body === 'string' ? Buffer.from(body) : body;
		const {spans, rejected, warning} = await decodeTraces(bytes, {contentType, contentEncoding});
		const {database, storageLimit} = services;
		const sender = {organizationId: scope.organization.id, userId: principal.userId, now: services.now(), storageLimit};
		const refused = spans.length > 0 ? await ingest(database, sender, spans) : [];
		if (services.counters) {
			services.counters.spans += spans.length - refused.length;
			services.counters.spanBytes += bytes.length;
		}

		return exportResponse(encodingOf(contentType), [...rejected, ...refused], warning);
	},
} satisfies Partial<Handlers>;

/** How many different messages `error_message` contains. */
const maxMessages = 5;

/**
 * Returns the response of OTLP/HTTP in the encoding of the request: an `ExportTraceServiceResponse`, which is empty if
 * everything was accepted, and otherwise says how many spans were rejected and why. A warning stands there with 0 (OTLP,
 * “Partial Success”).
 */
function exportResponse(encoding: OtlpEncoding, rejected: readonly string[], warning?: string): Response {
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

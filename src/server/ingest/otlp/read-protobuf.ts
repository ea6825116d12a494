import protobuf from 'protobufjs/minimal.js';
import {HttpError, reject} from '../../kit/http-error.ts';
import {createBudget, type DecodeBudget, limits} from './budget.ts';
import {exportRequest, type Field, type FieldType, type MessageSchema} from './otlp-messages.ts';
import type {ExportRequest, OtlpSpan} from './otlp-types.ts';
import {onlyTraces} from './read-spans.ts';

type Reader = protobuf.Reader;

/**
 * Reads an `ExportTraceServiceRequest` in protobuf. An unreadable span becomes `{fault}`. Rejects with 400 a request that is
 * invalid as a whole, too large, or not of spans. It uses the reader of protobufjs with our own table, because its decoders
 * build all objects before they can be counted.
 */
export function readProtobuf(bytes: Uint8Array): ExportRequest {
	const request = readWhole(bytes);
	const spans =
		request.resourceSpans?.flatMap(({scopeSpans = []}) => scopeSpans.flatMap(({spans = []}) => spans)) ?? [];
	if (spans.length > 0 && !spans.some(isSpan)) {
		reject(400, `The body holds no spans; maybe logs or metrics. ${onlyTraces}`);
	}

	return request;
}

/** Logs and metrics have the same field numbers around them as spans, but no start there, and no ids of these lengths. */
function isSpan({startTimeUnixNano, traceId, spanId}: OtlpSpan): boolean {
	return startTimeUnixNano !== undefined || (traceId?.length === 32 && spanId?.length === 16);
}

function readWhole(bytes: Uint8Array): ExportRequest {
	try {
		return readMessage(protobuf.Reader.create(bytes), exportRequest, createBudget(), 0) as ExportRequest;
	} catch (error) {
		throw isUnreadable(error)
			? reject(400, 'The body is not an ExportTraceServiceRequest in protobuf, or it was cut off.')
			: error;
	}
}

/** Returns whether the reader of protobufjs threw it for its bytes. */
const isUnreadable = (error: unknown) => !(error instanceof HttpError || error instanceof TypeError);

function readMessage(
	reader: Reader,
	message: MessageSchema,
	budget: DecodeBudget,
	depth: number,
): Record<string, unknown> {
	if (depth > limits.depth) {
		reject(400, `The message is nested deeper than ${limits.depth} levels.`);
	}

	budget.spend(message);
	const names = namesOf(message);
	const found: Record<string, unknown> = {};
	while (reader.pos < reader.len) {
		const tag = reader.tag();
		const name = names.get(tag >>> 3);
		const field = name === undefined ? undefined : message[name];
		if (name === undefined || !field || (tag & 7) !== wireTypeOf(field)) {
			budget.spend();
			reader.skipType(tag & 7, 0, tag >>> 3);
			continue;
		}

		const value = readField(reader, field, budget, depth);
		const list = found[name];
		if (field.repeated && Array.isArray(list)) {
			list.push(value);
		} else {
			found[name] = field.repeated ? [value] : value;
		}
	}

	return found;
}

function readField(reader: Reader, {type, isolated}: Field, budget: DecodeBudget, depth: number): unknown {
	if (typeof type !== 'function') {
		return readScalar[type](reader);
	}

	// A reader of its own ends where the message ends, whatever lengths it contains.
	const inner = protobuf.Reader.create(reader.bytes());
	try {
		return readMessage(inner, type(), budget, depth + 1);
	} catch (error) {
		if (isolated && isUnreadable(error)) {
			return {fault: 'A part of the request is damaged.'};
		}

		throw error;
	}
}

const readScalar: Readonly<Record<FieldType, (reader: Reader) => unknown>> = {
	text: reader => reader.string(),
	id: reader => Buffer.from(reader.bytes()).toString('hex'),
	base64: reader => Buffer.from(reader.bytes()).toString('base64'),
	bool: reader => reader.bool(),
	double: reader => reader.double(),
	number: reader => reader.int32(),
	int64: reader => BigInt(String(reader.int64())),
	fixed64(reader) {
		const low = BigInt(reader.fixed32());
		return (BigInt(reader.fixed32()) << 32n) | low;
	},
};

/** Returns the wire type in protobuf: 0 for varints, 1 for 64 bits, 2 for length-delimited. */
function wireTypeOf({type}: Field): number {
	switch (type) {
		case 'bool':
		case 'int64':
		case 'number':
			return 0;
		case 'double':
		case 'fixed64':
			return 1;
		default:
			return 2;
	}
}

const namesOfMessages = new Map<MessageSchema, ReadonlyMap<number, string>>();

function namesOf(message: MessageSchema): ReadonlyMap<number, string> {
	const known = namesOfMessages.get(message);
	if (known) {
		return known;
	}

	const names = new Map(Object.entries(message).map(([name, {id}]) => [id, name]));
	namesOfMessages.set(message, names);
	return names;
}

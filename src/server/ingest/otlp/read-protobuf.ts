import protobuf from 'protobufjs/minimal.js';
import {HttpError, reject} from '../../kit/http-error.ts';
import {type Budget, createBudget, limits} from './budget.ts';
import {exportRequest, type Field, type FieldType, type Message} from './otlp-messages.ts';
import type {ExportRequest} from './otlp-types.ts';

type Reader = protobuf.Reader;

/**
 * Reads an `ExportTraceServiceRequest` in protobuf. Rejects with 400 an invalid or too large one. It uses the reader of
 * protobufjs with our own table, because its decoders build all objects before they can be counted.
 */
export function readProtobuf(bytes: Uint8Array): ExportRequest {
	try {
		return readMessage(protobuf.Reader.create(bytes), exportRequest, createBudget(), 0) as ExportRequest;
	} catch (error) {
		if (error instanceof HttpError || error instanceof TypeError) {
			throw error;
		}

		return reject(400, 'The body is not an ExportTraceServiceRequest in protobuf, or it was cut off.');
	}
}

function readMessage(reader: Reader, message: Message, budget: Budget, depth: number): Record<string, unknown> {
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

function readField(reader: Reader, {type}: Field, budget: Budget, depth: number): unknown {
	if (typeof type === 'function') {
		// A reader of its own ends where the message ends, whatever lengths it contains.
		return readMessage(protobuf.Reader.create(reader.bytes()), type(), budget, depth + 1);
	}

	return readScalar[type](reader);
}

const readScalar: Readonly<Record<FieldType, (reader: Reader) => unknown>> = {
	text: reader => reader.string(),
	hex: reader => Buffer.from(reader.bytes()).toString('hex'),
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

const namesOfMessages = new Map<Message, ReadonlyMap<number, string>>();

function namesOf(message: Message): ReadonlyMap<number, string> {
	const known = namesOfMessages.get(message);
	if (known) {
		return known;
	}

	const names = new Map(Object.entries(message).map(([name, {id}]) => [id, name]));
	namesOfMessages.set(message, names);
	return names;
}

import {entryOf} from '../../../core/entry-of.ts';
import {isDeeper, isJsonObject, type Json, parseJson} from '../../../core/json.ts';
import {textOf} from '../../kit/body.ts';
import {reject} from '../../kit/http-error.ts';
import {type Budget, createBudget, limits} from './budget.ts';
import {exportRequest, type Field, type FieldType, type Message} from './otlp-messages.ts';
import type {ExportRequest} from './otlp-types.ts';

/**
 * Reads an `ExportTraceServiceRequest` in the JSON of OTLP/HTTP: names in lowerCamelCase, ids in hex, 64-bit numbers as
 * text or number, enums as numbers, unknown fields ignored. Rejects with 400 an invalid or too large one.
 */
export function readJson(bytes: Uint8Array): ExportRequest {
	rejectTooMany(bytes);
	const json = parseJson(textOf(bytes) ?? '');
	if (json === undefined) {
		return reject(400, 'The body is not JSON, or it was cut off.');
	}

	// An object and the list that contains it are two levels of JSON.
	if (isDeeper(json, limits.depth * 2)) {
		return reject(400, `The body is nested deeper than ${limits.depth * 2} levels.`);
	}

	return readMessage(json, exportRequest, 'body', createBudget()) as ExportRequest;
}

/**
 * Counts values before the parser creates objects for them: outside of strings, each value follows one of these
 * characters.
 */
function rejectTooMany(bytes: Uint8Array): void {
	let count = 0;
	let inText = false;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === 0x22) {
			inText = !inText;
		} else if (inText) {
			at += byte === 0x5c ? 1 : 0;
		} else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) {
			count++;
		}
	}

	if (count > limits.values) {
		reject(400, `A request may hold ${limits.values} values. Send smaller batches.`);
	}
}

function readMessage(json: Json, message: Message, path: string, budget: Budget): Record<string, unknown> {
	if (!isJsonObject(json)) {
		return reject(400, `${path} must be an object.`);
	}

	budget.spend(message);
	const found: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(message)) {
		const value = entryOf(json, name);
		if (value !== undefined && value !== null) {
			found[name] = field.repeated
				? readList(value, field, `${path}.${name}`, budget)
				: readField(value, field, `${path}.${name}`, budget);
		}
	}

	return found;
}

function readList(json: Json, field: Field, path: string, budget: Budget): readonly unknown[] {
	return Array.isArray(json)
		? json.map((item, index) => readField(item, field, `${path}[${index}]`, budget))
		: reject(400, `${path} must be a list.`);
}

function readField(json: Json, {type}: Field, path: string, budget: Budget): unknown {
	if (typeof type === 'function') {
		return readMessage(json, type(), path, budget);
	}

	const value = readScalar[type](json);
	return value === undefined ? reject(400, `${path} must be ${nouns[type]}.`) : value;
}

const text = (json: Json) => (typeof json === 'string' ? json : undefined);

const readScalar: Readonly<Record<FieldType, (json: Json) => unknown>> = {
	text,
	hex: json => text(json)?.toLowerCase(),
	base64: text,
	bool: json => (typeof json === 'boolean' ? json : undefined),
	double: readDouble,
	number: json => (Number.isInteger(json) && Number(json) === (Number(json) | 0) ? json : undefined),
	int64: json => readInteger(json, -(2n ** 63n), 2n ** 63n),
	fixed64: json => readInteger(json, 0n, 2n ** 64n),
};

const nouns: Readonly<Record<FieldType, string>> = {
	text: 'text',
	hex: 'text',
	base64: 'text',
	bool: 'true or false',
	double: 'a number',
	number: 'a whole number of 32 bits',
	int64: 'a whole number of 64 bits',
	fixed64: 'a whole number of 64 bits without a sign',
};

function readDouble(json: Json): number | undefined {
	if (json === 'NaN') {
		return Number.NaN;
	}

	const number = typeof json === 'string' && json.trim() !== '' ? Number(json) : json;
	return typeof number === 'number' && !Number.isNaN(number) ? number : undefined;
}

function readInteger(json: Json, min: bigint, end: bigint): bigint | undefined {
	const isInteger = typeof json === 'string' ? /^-?\d{1,20}$/.test(json) : Number.isInteger(json);
	const integer = isInteger ? BigInt(json as string | number) : undefined;
	return integer !== undefined && integer >= min && integer < end ? integer : undefined;
}

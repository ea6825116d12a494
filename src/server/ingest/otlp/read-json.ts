import {isDeeper, isJsonObject, type Json, type JsonObject, parseJson} from '../../../core/json.ts';
import {isAnyUuid} from '../../../core/uuid.ts';
import {reject} from '../../kit/http-error.ts';
import {createBudget, type DecodeBudget, limits} from './budget.ts';
import {
	anyValue,
	envelopes,
	exportRequest,
	type Field,
	type FieldType,
	keyValue,
	type MessageSchema,
} from './otlp-messages.ts';
import type {ExportRequest} from './otlp-types.ts';

type JsonRequest = {
	readonly request: ExportRequest;
	/** The names around spans, such as `resourceLogs`, that say nothing here. */
	readonly unknown: readonly string[];
};

/**
 * Reads an `ExportTraceServiceRequest` in JSON: that of OTLP/HTTP (names in lowerCamelCase, ids in hex, enums as numbers),
 * that of protobuf (names as in the .proto file, ids in base64, enums by name), and what programs make of both by hand.
 * 64-bit numbers are text or numbers, unknown fields are ignored. An unreadable span becomes `{fault}`. Rejects with 400 a
 * request that is invalid as a whole, or too large.
 */
export function readJson(bytes: Uint8Array): JsonRequest {
	rejectTooMany(bytes);
	// Programs cut texts inside a character; the reader of protobuf replaces such bytes, too.
	const json = parseJson(new TextDecoder().decode(bytes));
	if (json === undefined) {
		return reject(400, 'The body is not JSON, or it was cut off.');
	}

	// An object and the list that contains it are two levels of JSON.
	if (isDeeper(json, limits.depth * 2)) {
		return reject(400, `The body is nested deeper than ${limits.depth * 2} levels.`);
	}

	const reading: Reading = {budget: createBudget(), unknown: new Set()};
	try {
		const request = readMessage(json, exportRequest, 'body', reading) as ExportRequest;
		return {request, unknown: [...reading.unknown]};
	} catch (error) {
		throw error instanceof Unreadable ? reject(400, error.message) : error;
	}
}

/**
 * Counts values before the parser creates objects for them: outside of strings, each value follows one of these
 * characters.
 */
function rejectTooMany(bytes: Uint8Array): void {
	let count = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at];
		if (byte === 0x22) {
			at = endOfText(bytes, at);
		} else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) {
			count++;
		}
	}

	if (count > limits.values) {
		reject(400, `A request may hold ${limits.values} values. Send smaller batches.`);
	}
}

/** Returns where the text that begins at a quotation mark ends. Most of a request is long texts, which native code skips. */
function endOfText(bytes: Uint8Array, start: number): number {
	for (let end = bytes.indexOf(0x22, start + 1); end !== -1; end = bytes.indexOf(0x22, end + 1)) {
		let backslashes = 0;
		while (bytes[end - 1 - backslashes] === 0x5c) {
			backslashes++;
		}

		if (backslashes % 2 === 0) {
			return end;
		}
	}

	return bytes.length;
}

/** A value that doesn't fit its field. Its message names both. */
class Unreadable extends Error {
	override readonly name = 'Unreadable';
}

type Reading = {readonly budget: DecodeBudget; readonly unknown: Set<string>};

function readMessage(json: Json, message: MessageSchema, path: string, reading: Reading): Record<string, unknown> {
	const given = message === anyValue ? toAnyValue(json) : json;
	if (!isJsonObject(given)) {
		throw new Unreadable(`${path} must be an object.`);
	}

	reading.budget.spend(message);
	const found: Record<string, unknown> = {};
	const read = (name: string, value: Json | undefined) => {
		const field = message[name];
		if (field && value !== null && value !== undefined) {
			found[name] = field.repeated
				? readList(value, field, `${path}.${name}`, reading)
				: readField(value, field, `${path}.${name}`, reading);
		}
	};
	if (areOwn(given, message)) {
		// Nearly every message: no list of its entries is made.
		for (const name in given) {
			read(name, given[name]);
		}
	} else {
		for (const [name, value] of fieldsOf(given, message, reading)) {
			read(name, value);
		}
	}

	return found;
}

/** Returns whether a message has the names of OTLP alone, as nearly every one does. */
function areOwn(json: JsonObject, message: MessageSchema): boolean {
	for (const name in json) {
		if (!Object.hasOwn(message, name)) {
			return false;
		}
	}

	return true;
}

/** Returns the values of a message's fields. If a field is there by several names, that of OTLP counts. */
function fieldsOf(json: JsonObject, message: MessageSchema, {unknown}: Reading): ReadonlyMap<string, Json> {
	const values = new Map<string, Json>();
	for (const [key, value] of Object.entries(json)) {
		const name = Object.hasOwn(message, key) ? key : namesOf(message).get(folded(key));
		if (name === undefined) {
			if (envelopes.includes(message) && folded(key) !== 'schemaurl') {
				unknown.add(key);
			}
		} else if (value !== null && (key === name || !values.has(name))) {
			values.set(name, value);
		}
	}

	return values;
}

/** Returns a name as it is compared: `trace_id`, `TraceId` and `traceID` are one. */
const folded = (name: string) => name.replaceAll('_', '').toLowerCase();

const namesOfMessages = new Map<MessageSchema, ReadonlyMap<string, string>>();

/** Before OTLP 0.15 a scope was an instrumentation library. */
const earlierNames: readonly (readonly [string, string])[] = [
	['instrumentationLibrary', 'scope'],
	['instrumentationLibrarySpans', 'scopeSpans'],
];

function namesOf(message: MessageSchema): ReadonlyMap<string, string> {
	const known = namesOfMessages.get(message);
	if (known) {
		return known;
	}

	const names = new Map(Object.keys(message).map(name => [folded(name), name]));
	for (const [earlier, name] of earlierNames) {
		if (Object.hasOwn(message, name)) {
			names.set(folded(earlier), name);
		}
	}

	namesOfMessages.set(message, names);
	return names;
}

/** Returns a value without the field that says its type, or inside Go's wrapper `Value`, as OTLP has it. */
function toAnyValue(json: Json): Json {
	if (Array.isArray(json)) {
		return {arrayValue: {values: json}};
	}

	if (isJsonObject(json)) {
		if (areOwn(json, anyValue)) {
			return json;
		}

		const [[name = '', inner] = [], ...others] = Object.entries(json);
		return folded(name) === 'value' && isJsonObject(inner) && others.length === 0 ? inner : json;
	}

	switch (typeof json) {
		case 'string':
			return {stringValue: json};
		case 'boolean':
			return {boolValue: json};
		case 'number':
			return Number.isSafeInteger(json) ? {intValue: json} : {doubleValue: json};
		default:
			return {};
	}
}

function readList(json: Json, field: Field, path: string, reading: Reading): readonly unknown[] {
	// Attributes written as an object.
	const isMap = isJsonObject(json) && typeof field.type === 'function' && field.type() === keyValue;
	const list = isMap ? Object.entries(json).map(([key, value]) => ({key, value})) : json;
	if (!Array.isArray(list)) {
		throw new Unreadable(`${path} must be a list.`);
	}

	return list.map((item: Json, index) => readField(item, field, `${path}[${index}]`, reading));
}

function readField(json: Json, field: Field, path: string, reading: Reading): unknown {
	const {type, isolated, values} = field;
	if (typeof type === 'function') {
		try {
			return readMessage(json, type(), path, reading);
		} catch (error) {
			if (isolated && error instanceof Unreadable) {
				return {fault: error.message};
			}

			throw error;
		}
	}

	const number = values && typeof json === 'string' ? values.indexOf(json.trim().toUpperCase()) : -1;
	const value = number < 0 ? readScalar[type](json) : number;
	if (value === undefined) {
		throw new Unreadable(`${path} must be ${nouns[type]}${values ? ` or a name such as ${values.at(-1)}` : ''}.`);
	}

	return value;
}

/** A text that came as a number or as true or false still says what was meant. */
const text = (json: Json) => (typeof json === 'object' ? undefined : String(json));

const readScalar: Readonly<Record<FieldType, (json: Json) => unknown>> = {
	text,
	id: json => (typeof json === 'string' ? idInHex(json.trim()) : undefined),
	base64: json => (typeof json === 'string' ? json : undefined),
	bool: json => (typeof json === 'boolean' ? json : json === 'true' || (json === 'false' ? false : undefined)),
	double: readDouble,
	number(json) {
		const integer = readInteger(json, -(2n ** 31n), 2n ** 31n);
		return integer === undefined ? undefined : Number(integer);
	},
	int64: json => readInteger(json, -(2n ** 63n), 2n ** 63n),
	fixed64: json => readInteger(json, 0n, 2n ** 64n),
};

const nouns: Readonly<Record<FieldType, string>> = {
	text: 'text',
	id: 'an id in hex or base64',
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

/** Reads `3`, `"3"`, and what is the same in another notation, such as `"3.0"` and `"3e2"`. */
function readInteger(json: Json, min: bigint, end: bigint): bigint | undefined {
	const isPlain = typeof json === 'string' && /^-?\d{1,20}$/.test(json);
	const number = isPlain ? json : readDouble(json);
	const integer = isPlain || Number.isInteger(number) ? BigInt(number ?? 0) : undefined;
	return integer !== undefined && integer >= min && integer < end ? integer : undefined;
}

/** How many bytes the ids of spans and traces have. */
const idBytes: readonly number[] = [8, 16];

const isHex = (text: string) => /^[\da-f]*$/i.test(text);

/**
 * Returns an id of a span or trace in hex in lower case: from hex, as OTLP has it in JSON, or from base64, as protobuf has
 * bytes in JSON, also if those are the digits of the hex. Any other text is returned as it is.
 */
export function idInHex(given: string): string {
	// A trace id may be written as a UUID.
	const text = isAnyUuid(given) ? given.replaceAll('-', '') : given;
	if (isHex(text) && idBytes.some(bytes => text.length === bytes * 2)) {
		return text.toLowerCase();
	}

	const bytes = /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
	if (idBytes.includes(bytes.length)) {
		const digits = bytes.toString('latin1');
		// Eight bytes of digits could be either; a trace id of eight bytes doesn't exist.
		return bytes.length === 16 && isHex(digits) ? digits.toLowerCase() : bytes.toString('hex');
	}

	return bytes.length === 32 && isHex(bytes.toString('latin1')) ? bytes.toString('latin1').toLowerCase() : text;
}

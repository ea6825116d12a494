import fc from 'fast-check';
import {expect, test} from 'vitest';
import {decodeTraces} from '../../../../src/server/ingest/otlp/decode.ts';
import {HttpError} from '../../../../src/server/kit/http-error.ts';
import {encodeRequest} from '../otlp-schema.ts';

const protobuf = {contentType: 'application/x-protobuf'};
const json = {contentType: 'application/json'};

/** An attribute value and what the server should read. */
const value = fc.letrec<{value: readonly [object, unknown]}>(tie => ({
	value: fc.oneof(
		{maxDepth: 3, withCrossShrink: true},
		fc.string({unit: 'grapheme'}).map(text => [{stringValue: text}, text.replaceAll('\0', '\uFFFD')] as const),
		fc.boolean().map(flag => [{boolValue: flag}, flag] as const),
		fc.maxSafeInteger().map(number => [{intValue: String(number)}, number] as const),
		fc.double({noNaN: true, noDefaultInfinity: true}).map(number => [{doubleValue: number}, number] as const),
		fc.array(tie('value'), {maxLength: 3}).map(pairs => {
			const values = pairs.map(([given]) => given);
			return [{arrayValue: {values}}, pairs.map(([, read]) => read)] as const;
		}),
	),
})).value;

const span = fc.record({
	traceId: fc.uint8Array({minLength: 16, maxLength: 16}).filter(bytes => bytes.some(byte => byte > 0)),
	spanId: fc.uint8Array({minLength: 8, maxLength: 8}).filter(bytes => bytes.some(byte => byte > 0)),
	name: fc.string({minLength: 1}).filter(name => name.trim() !== ''),
	start: fc.bigInt({min: 1n, max: 2n ** 60n}),
	length: fc.bigInt({min: 0n, max: 2n ** 50n}),
	attributes: fc.dictionary(fc.string({unit: 'grapheme-ascii'}), value, {maxKeys: 4}),
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

type Given = typeof span extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the span as OTLP encodes it, with ids as bytes or hex. */
function toOtlp({traceId, spanId, name, start, length, attributes}: Given, id: (bytes: Uint8Array) => unknown) {
	return {
		traceId: id(traceId),
		spanId: id(spanId),
		name,
		startTimeUnixNano: String(start),
		endTimeUnixNano: String(start + length),
		attributes: Object.entries(attributes).map(([key, [given]]) => ({key, value: given})),
	};
}

function toRead({traceId, spanId, name, start, length, attributes}: Given) {
	return {
		traceId: hex(traceId),
		spanId: hex(spanId),
		parentSpanId: null,
		name,
		kind: 0,
		startedAt: Number(start / 1000n),
		endedAt: Number((start + length) / 1000n),
		statusCode: 0,
		statusMessage: null,
		attributes: Object.fromEntries(Object.entries(attributes).map(([key, [, read]]) => [key, read])),
		resource: {},
		scope: '',
		events: [],
	};
}

const request = (spans: readonly object[]) => ({resourceSpans: [{scopeSpans: [{spans}]}]});
const inProtobuf = (spans: readonly Given[]) => encodeRequest(request(spans.map(given => toOtlp(given, Buffer.from))));

test('any spans are decoded unchanged from protobuf and JSON', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(span, {maxLength: 4}), async given => {
			const expected = {spans: given.map(toRead), rejected: []};
			const text = JSON.stringify(request(given.map(each => toOtlp(each, hex))));
			expect(await decodeTraces(inProtobuf(given), protobuf)).toEqual(expected);
			// JSON has no negative zero.
			expect(JSON.stringify(await decodeTraces(new TextEncoder().encode(text), json))).toBe(JSON.stringify(expected));
		}),
		{numRuns: 200},
	);
});

/** Returns whether the bytes were read or rejected with 400; any other error fails the test. */
async function isReadOrRefused(bytes: Uint8Array): Promise<boolean> {
	try {
		await decodeTraces(bytes, protobuf);
		return true;
	} catch (error) {
		return error instanceof HttpError && error.status === 400;
	}
}

test('every prefix of a protobuf request is read or rejected with 400', async () => {
	await fc.assert(
		fc.asyncProperty(span, async given => {
			const bytes = inProtobuf([given]);
			for (let end = 0; end <= bytes.length; end++) {
				expect(await isReadOrRefused(bytes.subarray(0, end))).toBe(true);
			}
		}),
		{numRuns: 30},
	);
});

test('any bytes, and a request with any byte changed, are read or rejected with 400', async () => {
	await fc.assert(
		fc.asyncProperty(span, fc.nat(), fc.uint8Array({maxLength: 40}), async (given, at, noise) => {
			expect(await isReadOrRefused(noise)).toBe(true);
			const bytes = Uint8Array.from(inProtobuf([given]));
			bytes.set(noise.subarray(0, 3), at % Math.max(1, bytes.length - 3));
			expect(await isReadOrRefused(bytes)).toBe(true);
		}),
		{numRuns: 300},
	);
});

/** What makes a span unreadable or invalid, in JSON. */
const spoiled: readonly ((good: object) => unknown)[] = [
	() => null,
	() => 'span',
	() => [],
	good => ({...good, name: ' '}),
	good => ({...good, name: []}),
	good => ({...good, traceId: 'nothing'}),
	good => ({...good, spanId: '0'.repeat(16)}),
	good => ({...good, kind: 'SERVER?'}),
	good => ({...good, startTimeUnixNano: 'yesterday'}),
	good => ({...good, startTimeUnixNano: '2', endTimeUnixNano: '1'}),
	good => ({...good, attributes: [{key: 'a', value: {intValue: 'many'}}]}),
	good => ({...good, attributes: [null]}),
	good => ({...good, events: {}}),
	good => ({...good, status: 2}),
];

/** Names in snake_case, at every depth but that of attributes’ values. */
function toSnakeCase(json: unknown): unknown {
	if (Array.isArray(json)) {
		return json.map(toSnakeCase);
	}

	return typeof json === 'object' && json !== null
		? Object.fromEntries(
				Object.entries(json).map(([name, inner]) => [
					name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
					toSnakeCase(inner),
				]),
			)
		: json;
}

const one = fc.oneof(
	span.map(given => ({given, spoil: undefined})),
	fc.record({given: span, spoil: fc.constantFrom(...spoiled)}),
);

test('of any batch the good spans are read and the bad ones rejected, each alone, in either case of names', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.array(one, {maxLength: 4}), {maxLength: 3}),
			fc.boolean(),
			fc.constantFrom('hex' as const, 'HEX' as const, 'base64' as const),
			async (batches, isSnakeCase, ids) => {
				const id = (bytes: Uint8Array) =>
					ids === 'base64'
						? Buffer.from(bytes).toString('base64')
						: ids === 'HEX'
							? hex(bytes).toUpperCase()
							: hex(bytes);
				const resourceSpans = batches.map(batch => ({
					scopeSpans: [{spans: batch.map(({given, spoil}) => (spoil ? spoil(toOtlp(given, id)) : toOtlp(given, id)))}],
				}));
				const body = isSnakeCase ? toSnakeCase({resourceSpans}) : {resourceSpans};
				const {spans, rejected} = await decodeTraces(new TextEncoder().encode(JSON.stringify(body)), json);
				const all = batches.flat();
				expect(JSON.stringify(spans)).toBe(
					JSON.stringify(all.flatMap(({given, spoil}) => (spoil ? [] : [toRead(given)]))),
				);
				expect(rejected).toHaveLength(all.filter(({spoil}) => spoil).length);
			},
		),
		{numRuns: 300},
	);
});

import {brotliCompressSync} from 'node:zlib';
import protobufjs from 'protobufjs/minimal.js';
import {describe, expect, test} from 'vitest';
import {decodeTraces} from '../../../../src/server/ingest/otlp/decode.ts';
import {HttpError} from '../../../../src/server/kit/http-error.ts';
import {encodeRequest, gzip} from '../otlp-schema.ts';

const json = {contentType: 'application/json'};
const protobuf = {contentType: 'application/x-protobuf'};
const streamBody = (value: unknown) =>
	new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

const ids = {traceId: '0102030405060708090a0b0c0d0e0f10', spanId: '0102030405060708'};
const span = {...ids, name: 'chat', startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000500000000'};
const request = (...spans: readonly object[]) => ({resourceSpans: [{scopeSpans: [{spans}]}]});

/** Returns status and detail of the error that `promise` rejects with; any other error fails the test. */
async function refusalOf(promise: Promise<unknown>): Promise<readonly [number, string]> {
	try {
		await promise;
	} catch (error) {
		if (error instanceof HttpError) {
			return [error.status, error.message];
		}

		throw error;
	}

	return [200, ''];
}

const decoded = {
	...ids,
	parentSpanId: null,
	name: 'chat',
	kind: 0,
	startedAt: 1_700_000_000_000_000,
	endedAt: 1_700_000_000_500_000,
	statusCode: 0,
	statusMessage: null,
	attributes: {},
	resource: {},
	scope: '',
	events: [],
};

const attributes = [
	{key: 'text', value: {stringValue: 'a\0b'}},
	{key: 'flag', value: {boolValue: false}},
	{key: 'small', value: {intValue: '-5'}},
	{key: 'large', value: {intValue: '9007199254740993'}},
	{key: 'half', value: {doubleValue: 0.5}},
	{key: 'list', value: {arrayValue: {values: [{stringValue: ''}, {intValue: 1}]}}},
	{key: 'map', value: {kvlistValue: {values: [{key: '__proto__', value: {boolValue: true}}]}}},
	{key: 'bytes', value: {bytesValue: 'AQID'}},
	{key: 'nothing', value: {}},
];

const attributesRead = {
	text: 'a\uFFFDb',
	flag: false,
	small: -5,
	large: '9007199254740993',
	half: 0.5,
	list: ['', 1],
	map: Object.fromEntries([['__proto__', true]]),
	bytes: 'AQID',
	nothing: null,
};

test('a JSON request is read with every kind of attribute, and unknown fields are ignored', async () => {
	const body = {
		resourceSpans: [
			{
				resource: {attributes: [{key: 'service.name', value: {stringValue: 'agent'}}]},
				scopeSpans: [
					{
						scope: {name: 'tracer', version: '1'},
						spans: [
							{
								...span,
								traceId: ids.traceId.toUpperCase(),
								parentSpanId: '',
								kind: 3,
								attributes,
								events: [{timeUnixNano: 1_000_000, name: 'exception', attributes: [attributes[1]]}],
								status: {code: 2, message: 'no'},
								links: 'whatever',
								span_id: 'not read',
							},
						],
					},
				],
			},
		],
		later: {},
	};
	expect(await decodeTraces(streamBody(body), json)).toEqual({
		spans: [
			{
				...decoded,
				kind: 3,
				statusCode: 2,
				statusMessage: 'no',
				attributes: attributesRead,
				resource: {'service.name': 'agent'},
				scope: 'tracer',
				events: [{name: 'exception', at: 1000, attributes: {flag: false}}],
			},
		],
		rejected: [],
	});
});

test.each([
	['gzip', gzip, 'GZIP'],
	['nothing', (bytes: Uint8Array) => bytes, undefined],
])('a protobuf request compressed with %s gives the same result', async (_, compress, contentEncoding) => {
	const binary = {
		...span,
		traceId: Buffer.from(ids.traceId, 'hex'),
		spanId: Buffer.from(ids.spanId, 'hex'),
		traceState: 'a=b',
		attributes,
		flags: 1,
	};
	const body = compress(encodeRequest(request(binary)));
	expect(await decodeTraces(body, {contentType: 'Application/X-Protobuf; a=b', contentEncoding})).toEqual({
		spans: [{...decoded, attributes: attributesRead}],
		rejected: [],
	});
});

test.each([
	['A trace id is not 16 bytes with a bit set.', {traceId: '0'.repeat(32)}],
	['A trace id is not 16 bytes with a bit set.', {traceId: 'zz'.repeat(16)}],
	['A span id is not 8 bytes with a bit set.', {spanId: '0'.repeat(16)}],
	['A span id is not 8 bytes with a bit set.', {spanId: ids.traceId}],
	['A parent span id is not 8 bytes.', {parentSpanId: '01'}],
	['A span has no name.', {name: ' '}],
	['A span has no start.', {startTimeUnixNano: undefined}],
	['A span ends before it starts.', {endTimeUnixNano: '1699999999999999999'}],
	['A span ends too far in the future.', {endTimeUnixNano: '18446744073709551615'}],
])('one invalid span is rejected and the others are kept: %s', async (fault, change) => {
	const body = streamBody(request({...span, ...change}, span));
	expect(await decodeTraces(body, json)).toEqual({spans: [decoded], rejected: [fault]});
});

describe('an unreadable request is rejected with 400 and the reason [24]', () => {
	test.each<[string, unknown]>([
		['The body is not JSON, or it was cut off.', '{"resourceSpans":['],
		['The body is not JSON, or it was cut off.', ''],
		['body must be an object.', []],
		['body.resourceSpans must be a list.', {resourceSpans: {}}],
		['body.resourceSpans[0].scopeSpans[0].spans[0] must be an object.', request([])],
		['body.resourceSpans[0].scopeSpans[0].spans[0].name must be text.', request({...span, name: 1})],
		[
			'body.resourceSpans[0].scopeSpans[0].spans[0].startTimeUnixNano must be a whole number of 64 bits without a sign.',
			request({...span, startTimeUnixNano: '-1'}),
		],
		[
			'body.resourceSpans[0].scopeSpans[0].spans[0].kind must be a whole number of 32 bits.',
			request({...span, kind: 2 ** 31}),
		],
		['The body is nested deeper than 200 levels.', `${'['.repeat(5000)}${']'.repeat(5000)}`],
	])('%s', async (detail, body) => {
		expect(await refusalOf(decodeTraces(streamBody(body), json))).toEqual([400, detail]);
	});

	test('JSON sent as protobuf', async () => {
		expect(await refusalOf(decodeTraces(streamBody(request(span)), protobuf))).toEqual([
			400,
			'The body is not an ExportTraceServiceRequest in protobuf, or it was cut off.',
		]);
	});

	test('endlessly nested protobuf', async () => {
		// Each level is a list value (5) with a list (1) that contains the next one; the outermost belong to an
		// attribute.
		const within = (id: number, bytes: Uint8Array) =>
			protobufjs.Writer.create()
				.uint32(id * 8 + 2)
				.bytes(bytes)
				.finish();
		let value: Uint8Array = new Uint8Array();
		for (let level = 0; level < 5000; level++) {
			value = within(5, within(1, value));
		}

		const body = [2, 9, 2, 2, 1].reduce((inner, id) => within(id, inner), value);
		expect(await refusalOf(decodeTraces(body, protobuf))).toEqual([
			400,
			'The message is nested deeper than 100 levels.',
		]);
	});

	test.each([
		['not gzip at all', streamBody('plain')],
		['gzip that was cut off', gzip('{}').subarray(0, 12)],
		['gzip whose sum is wrong', gzip('{}').fill(0, -8)],
	])('%s', async (_, body) => {
		expect(await refusalOf(decodeTraces(body, {...json, contentEncoding: 'gzip'}))).toEqual([
			400,
			'The body is not gzip, or it was cut off.',
		]);
	});
});

describe('a request that is too large is rejected before it fills the memory [21]', () => {
	test.each<[string, Uint8Array, {contentType: string; contentEncoding?: string}]>([
		['33 MiB of zeros in 33 KiB of gzip', gzip(new Uint8Array(33 * 1024 * 1024)), {...json, contentEncoding: 'gzip'}],
		['17 MiB without compression', new Uint8Array(17 * 1024 * 1024), json],
		['2.1 million empty lists', streamBody(`{"x":[${'[],'.repeat(2_100_000)}[]]}`), json],
		['50,001 spans', encodeRequest(request(...Array.from({length: 50_001}, () => ({})))), protobuf],
		['3 million fields that nobody knows', new Uint8Array(6_000_000).fill(0x10), protobuf],
	])('%s', async (_, body, headers) => {
		const [status, detail] = await refusalOf(decodeTraces(body, headers));
		expect([status, detail]).toEqual([400, expect.stringMatching(/may hold|larger than/)]);
	});
});

test.each([
	['text/plain', undefined],
	['', undefined],
	['application/json', 'br'],
])('the type “%s” with the compression “%s” is rejected', async (contentType, contentEncoding) => {
	const body = new Uint8Array(brotliCompressSync('{}'));
	expect((await refusalOf(decodeTraces(body, {contentType, contentEncoding})))[0]).toBe(400);
});

test('an empty request contains no spans, in either encoding', async () => {
	const nothing = {spans: [], rejected: []};
	expect(await decodeTraces(new Uint8Array(), protobuf)).toEqual(nothing);
	expect(await decodeTraces(streamBody({}), json)).toEqual(nothing);
});

import {brotliCompressSync, deflateRawSync, deflateSync} from 'node:zlib';
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
/** The span as protobuf has it. */
const spanBytes = {...span, traceId: Buffer.from(ids.traceId, 'hex'), spanId: Buffer.from(ids.spanId, 'hex')};
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
		...spanBytes,
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

const first = 'body.resourceSpans[0].scopeSpans[0].spans[0]';

test.each<[string, unknown]>([
	[`${first} must be an object.`, []],
	[`${first} must be an object.`, null],
	[`${first}.name must be text.`, {...span, name: {}}],
	[`${first}.traceId must be an id in hex or base64.`, {...span, traceId: 1}],
	[`${first}.startTimeUnixNano must be a whole number of 64 bits without a sign.`, {...span, startTimeUnixNano: '-1'}],
	[`${first}.kind must be a whole number of 32 bits or a name such as SPAN_KIND_CONSUMER.`, {...span, kind: 2 ** 31}],
	[
		`${first}.kind must be a whole number of 32 bits or a name such as SPAN_KIND_CONSUMER.`,
		{...span, kind: 'SPAN_KIND_FRIEND'},
	],
	[`${first}.attributes must be a list.`, {...span, attributes: 'a=b'}],
	[
		`${first}.attributes[0].value.intValue must be a whole number of 64 bits.`,
		{...span, attributes: [{key: 'a', value: {intValue: '3.5'}}]},
	],
	[`${first}.events[1] must be an object.`, {...span, events: [{}, 1]}],
])('one unreadable span in JSON is rejected and the others are kept: %s', async (fault, given) => {
	const body = {resourceSpans: [{scopeSpans: [{spans: [given, span]}]}]};
	expect(await decodeTraces(streamBody(body), json)).toEqual({spans: [decoded], rejected: [fault]});
});

test('one unreadable span in protobuf is rejected and the others are kept', async () => {
	const within = (id: number, bytes: Uint8Array) =>
		protobufjs.Writer.create()
			.uint32(id * 8 + 2)
			.bytes(bytes)
			.finish();
	const good = encodeRequest(request(spanBytes));
	// A name of 100 bytes, of which one is there; the lengths around it are right.
	const bad = within(1, within(2, within(2, Uint8Array.from([5 * 8 + 2, 100, 65]))));
	expect(await decodeTraces(Buffer.concat([bad, good]), protobuf)).toEqual({
		spans: [decoded],
		rejected: ['A part of the request is damaged.'],
	});
});

test.each<[string, object, number]>([
	['resource must be an object.', {resource: [], scopeSpans: [{spans: [span, span]}]}, 2],
	['scopeSpans[0].scope.name must be text.', {scopeSpans: [{scope: {name: []}, spans: [span, span]}]}, 2],
	['scopeSpans must be a list.', {scopeSpans: {}}, 1],
	['scopeSpans[0].spans must be a list.', {scopeSpans: [{spans: {}}]}, 1],
])('what is unreadable around spans spoils those alone: %s', async (fault, bad, count) => {
	const {resourceSpans} = request(span);
	expect(await decodeTraces(streamBody({resourceSpans: [bad, ...resourceSpans]}), json)).toEqual({
		spans: [decoded],
		rejected: Array(count).fill(`body.resourceSpans[0].${fault}`),
	});
});

const full = {
	...decoded,
	parentSpanId: 'f1f2f3f4f5f6f7f8',
	kind: 2,
	statusCode: 2,
	statusMessage: 'no',
	attributes: {count: 3, big: 5, on: true, half: 0.5, text: '7'},
	resource: {'service.name': 'agent'},
	scope: 'tracer',
	events: [{name: 'exception', at: 1000, attributes: {}}],
};

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

/** The same span in JSON of strangers. */
const dialects: Readonly<Record<string, object>> = {
	'protobuf’s own JSON in snake_case, with base64 and names of enums': {
		resource_spans: [
			{
				resource: {attributes: [{key: 'service.name', value: {string_value: 'agent'}}], dropped_attributes_count: 0},
				scope_spans: [
					{
						scope: {name: 'tracer'},
						spans: [
							{
								trace_id: base64(ids.traceId),
								span_id: base64(ids.spanId),
								parent_span_id: base64('f1f2f3f4f5f6f7f8'),
								trace_state: '',
								name: 'chat',
								kind: 'SPAN_KIND_SERVER',
								start_time_unix_nano: '1700000000000000000',
								end_time_unix_nano: '1700000000500000000',
								attributes: [
									{key: 'count', value: {int_value: '3.0'}},
									{key: 'big', value: {int_value: 5}},
									{key: 'on', value: {bool_value: 'true'}},
									{key: 'half', value: {double_value: '0.5'}},
									{key: 'text', value: {string_value: 7}},
								],
								events: [{time_unix_nano: '1e6', name: 'exception', dropped_attributes_count: 1}],
								status: {code: 'STATUS_CODE_ERROR', message: 'no'},
							},
						],
						schema_url: 'https://example.com/1.21.0',
					},
				],
				schema_url: 'https://example.com/1.21.0',
			},
		],
	},
	'Go’s JSON of its structs, with numbers for times': {
		resource_spans: [
			{
				resource: {attributes: [{key: 'service.name', value: {Value: {StringValue: 'agent'}}}]},
				scope_spans: [
					{
						scope: {Name: 'tracer'},
						spans: [
							{
								TraceID: base64(ids.traceId),
								SpanID: base64(ids.spanId),
								ParentSpanID: Buffer.from('f1f2f3f4f5f6f7f8').toString('base64'),
								Name: 'chat',
								Kind: 2,
								StartTimeUnixNano: 1_700_000_000_000_000_000,
								EndTimeUnixNano: 1_700_000_000_500_000_000,
								Attributes: [
									{Key: 'count', Value: {Value: {IntValue: 3}}},
									{Key: 'big', Value: {Value: {IntValue: '5'}}},
									{Key: 'on', Value: {Value: {BoolValue: true}}},
									{Key: 'half', Value: {Value: {DoubleValue: 0.5}}},
									{Key: 'text', Value: {Value: {StringValue: '7'}}},
								],
								Events: [{TimeUnixNano: 1_000_000, Name: 'exception'}],
								Status: {Code: 2, Message: 'no'},
							},
						],
					},
				],
			},
		],
	},
	'by hand, with plain values and the names before OTLP 0.15': {
		resourceSpans: [
			{
				resource: {attributes: {'service.name': 'agent'}},
				instrumentationLibrarySpans: [
					{
						instrumentationLibrary: {name: 'tracer'},
						spans: [
							{
								traceId: ` ${ids.traceId.toUpperCase()} `,
								spanId: base64(ids.spanId).replace('=', ''),
								parentSpanId: 'F1F2F3F4F5F6F7F8',
								name: 'chat',
								kind: '2',
								startTimeUnixNano: '1700000000000000000',
								endTimeUnixNano: '1.7000000005e18',
								attributes: {count: 3, big: 5, on: true, half: 0.5, text: '7'},
								events: [{timeUnixNano: '1000000.0', name: 'exception', attributes: null}],
								status: {code: 'status_code_error', message: 'no'},
								links: [],
							},
						],
					},
				],
			},
		],
	},
};

test.each(Object.entries(dialects))('a span is read from %s', async (_, body) => {
	expect(await decodeTraces(streamBody(body), json)).toEqual({spans: [full], rejected: []});
});

test('a name of OTLP counts before another form of it', async () => {
	const both = {...span, Name: 'other', name: 'chat', span_id: 'f1f2f3f4f5f6f7f8'};
	expect(await decodeTraces(streamBody(request(both)), json)).toEqual({spans: [decoded], rejected: []});
});

const elsewhere = 'This address stores traces only.';

test.each<[string, object]>([
	[`The body holds logs. ${elsewhere}`, {resourceLogs: []}],
	[`The body holds logs. ${elsewhere}`, {resource_logs: [{}], resourceSpans: []}],
	[`The body holds logs and metrics. ${elsewhere}`, {resourceMetrics: [], resourceLogs: []}],
	[`The body holds no resourceSpans with spans, but “events”. ${elsewhere}`, {events: [span]}],
	[
		`The body holds no resourceSpans with spans, but “scopes”. ${elsewhere}`,
		{resourceSpans: [{resource: {}, scopes: [{spans: [span]}], schemaUrl: ''}]},
	],
	['body.resourceSpans[0].scopeSpans must be a list.', {resourceSpans: [{scopeSpans: {spans: [span]}}]}],
])('a body of JSON without spans is rejected with 400: %s', async (detail, body) => {
	expect(await refusalOf(decodeTraces(streamBody(body), json))).toEqual([400, detail]);
});

test('logs beside spans are reported, and the spans are kept', async () => {
	expect(await decodeTraces(streamBody({...request(span), resourceLogs: [{}]}), json)).toEqual({
		spans: [decoded],
		rejected: [],
		warning: `The body holds logs. ${elsewhere}`,
	});
});

const field = (id: number, type: number) => (id << 3) | type;

/** A log record and a metric as protobuf has them, with the field numbers of a span around them. */
const strangers: Readonly<Record<string, (writer: protobufjs.Writer) => protobufjs.Writer>> = {
	'a log record': writer =>
		writer
			.uint32(field(1, 1))
			.fixed64('1700000000000000000')
			.uint32(field(2, 0))
			.int32(9)
			.uint32(field(3, 2))
			.string('INFO')
			.uint32(field(5, 2))
			.fork()
			.uint32(field(1, 2))
			.string('started')
			.ldelim()
			.uint32(field(9, 2))
			.bytes(Buffer.from(ids.traceId, 'hex'))
			.uint32(field(10, 2))
			.bytes(Buffer.from(ids.spanId, 'hex')),
	'a log record without a time': writer => writer.uint32(field(3, 2)).string('INFO'),
	'a metric whose name has the length of a trace id': writer =>
		writer
			.uint32(field(1, 2))
			.string('http.server.time')
			.uint32(field(2, 2))
			.string('How long requests take')
			.uint32(field(7, 2))
			.fork()
			.uint32(field(2, 0))
			.int32(2)
			.ldelim(),
};

test.each(Object.entries(strangers))('%s in protobuf is not taken for a span: 400', async (_, write) => {
	const record = write(protobufjs.Writer.create()).finish();
	const body = [2, 2, 1].reduce(
		(inner, id) => protobufjs.Writer.create().uint32(field(id, 2)).bytes(inner).finish(),
		record,
	);
	expect(await refusalOf(decodeTraces(body, protobuf))).toEqual([
		400,
		`The body holds no spans; maybe logs or metrics. ${elsewhere}`,
	]);
});

test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
	['deflate', deflateSync],
	['deflate', deflateRawSync],
	['Deflate', deflateSync],
	['x-gzip', gzip],
	['identity', bytes => bytes],
])('a body in %s is read', async (contentEncoding, compress) => {
	const body = compress(streamBody(request(span)));
	expect(await decodeTraces(body, {contentType: 'application/json; charset=utf-8', contentEncoding})).toEqual({
		spans: [decoded],
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
	['A span has no end.', {endTimeUnixNano: undefined}],
	['A span has no end.', {endTimeUnixNano: '0'}],
	['A span ends before it starts.', {endTimeUnixNano: '1699999999999999999'}],
	['A span ends too far in the future.', {endTimeUnixNano: '18446744073709551615'}],
])('one invalid span is rejected and the others are kept: %s', async (fault, change) => {
	const body = streamBody(request({...span, ...change}, span));
	expect(await decodeTraces(body, json)).toEqual({spans: [decoded], rejected: [fault]});
});

test.each([
	['JSON', json, streamBody(request({...span, name: 'cut XX'}, span))],
	['protobuf', protobuf, encodeRequest(request({...spanBytes, name: 'cut XX'}, spanBytes))],
])('bytes of %s that are not UTF-8, as of a text cut inside a character, are replaced', async (_, headers, body) => {
	const at = Buffer.from(body).indexOf('XX');
	const damaged = Uint8Array.from(body);
	damaged.set([0xff, 0xe2], at);
	expect(await decodeTraces(damaged, headers)).toEqual({
		spans: [{...decoded, name: 'cut \uFFFD\uFFFD'}, decoded],
		rejected: [],
	});
	expect(await decodeTraces(gzip(damaged), {...headers, contentEncoding: 'gzip'})).toMatchObject({rejected: []});
});

describe('an unreadable request is rejected with 400 and the reason [24]', () => {
	test.each<[string, unknown]>([
		['The body is not JSON, or it was cut off.', '{"resourceSpans":['],
		['The body is not JSON, or it was cut off.', ''],
		['body must be an object.', []],
		['body.resourceSpans must be a list.', {resourceSpans: {}}],
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
		[
			'33 MiB of zeros in 33 KiB of deflate',
			deflateSync(new Uint8Array(33 * 1024 * 1024)),
			{...json, contentEncoding: 'deflate'},
		],
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

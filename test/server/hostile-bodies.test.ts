import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {type Endpoint, mayLackBody} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {contentsOf} from './contents.ts';
import {createTestServer, origin, type TestServer} from './harness.ts';
import {sendRaw} from './hostile-answers.ts';
import {callOf, type Parameters, populate} from './populated.ts';

const mebibyte = 1024 * 1024;
const cap = 8 * mebibyte;

/** The operations with a body, JSON or raw. */
const writes = (Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>).filter(
	([, {body, raw}]) => body !== undefined || raw !== undefined,
);

/** Returns JSON of a size that no operation accepts. */
const jsonOf = (bytes: number) => `{"more": "${'x'.repeat(bytes - 12)}"}`;

type Bad = readonly [name: string, body: string | Uint8Array<ArrayBuffer>, headers?: Readonly<Record<string, string>>];

const bytes = (values: readonly number[]) => Uint8Array.from(values);
const gzip = (text: string) => Uint8Array.from(gzipSync(text));

const bodies: readonly Bad[] = [
	['nothing', ''],
	['white space', ' \n'],
	['half an object', '{"code": "1'],
	['two values', '{}{}'],
	['a comment', '{} // all'],
	['NaN', 'NaN'],
	['a NUL', '\0'],
	['no UTF-8', Uint8Array.from(Buffer.from('{"name": "\xff\xfe"}', 'latin1'))],
	['UTF-16', bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
	['JSON a hundred thousand levels deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
	['objects ten thousand levels deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
	['JSON in gzip that is not announced', gzip('{}')],
	['JSON in gzip that is announced twice', gzip('{}'), {'content-encoding': 'gzip, gzip'}],
	['JSON in an encoding that nobody has', '{}', {'content-encoding': 'br'}],
	['a form', 'code=1', {'content-type': 'application/x-www-form-urlencoded'}],
	['plain text', '{}', {'content-type': 'text/plain'}],
	['a page', '<a>', {'content-type': 'text/html; charset=utf-8'}],
	['no type', '{}', {'content-type': ''}],
	['two types', '{}', {'content-type': 'application/json, text/plain'}],
	['a type that is longer', '{}', {'content-type': 'application/json-patch+json'}],
	['files', '--x--', {'content-type': 'multipart/form-data; boundary=x'}],
];

describe.each(writes)('%s', (id, row) => {
	const {method} = row;
	const invalid = bodies.filter(([name]) => name !== 'nothing' || !mayLackBody(row));

	test('[21] [24] rejects an invalid body with 400, and changes nothing', async () => {
		const server = await createTestServer();
		const {path} = callOf(id, await populate(server));
		const before = await contentsOf(server.database);
		const seen: Record<string, unknown> = {};
		for (const [name, body, headers = {}] of invalid) {
			const {status, json} = await sendRaw(server, path, {method, body, headers});
			seen[name] = [status, json];
		}

		const refused = {code: 400, detail: expect.stringMatching(/^[A-Zb].*\.$/), type: 'invalid_error'};
		expect(seen).toEqual(Object.fromEntries(invalid.map(([name]) => [name, [400, refused]])));
		expect(await contentsOf(server.database)).toEqual(before);
		expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
	});
});

/** An endless body, and how much of it was read. */
function endless() {
	const seen = {bytes: 0};
	const chunk = new Uint8Array(mebibyte).fill(0x20);
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			seen.bytes += chunk.length;
			controller.enqueue(chunk);
		},
	});
	return {seen, body};
}

async function sendStream(server: TestServer, path: string, method: string, body: ReadableStream<Uint8Array>) {
	const init = {
		method,
		body,
		duplex: 'half',
		headers: {
			host: new URL(origin).host,
			authorization: `Bearer ${server.owner.key}`,
			'content-type': 'application/json',
		},
	};
	const response = await server.app(new Request(`${origin}${path}`, init));
	return {status: response.status, json: await response.json()};
}

describe('[21] a body has a maximum size', () => {
	test('the maximum is accepted and one more byte is rejected, announced or not', async () => {
		const server = await createTestServer();
		const path = '/api/v1/user/api-keys';
		const answerTo = async (size: number, headers: Readonly<Record<string, string>> = {}) =>
			(await sendRaw(server, path, {method: 'POST', body: jsonOf(size), headers})).json;
		const tooLarge = {code: 400, detail: 'The body is larger than 8388608 bytes.', type: 'invalid_error'};
		expect(await answerTo(cap)).toMatchObject({code: 422, detail: 'body.more is not known here.'});
		expect(await answerTo(cap + 1)).toEqual(tooLarge);
		expect(await answerTo(20, {'content-length': String(cap + 1)})).toEqual(tooLarge);
	});

	test.each(writes)('%s does not read an endless body to its end', async (id, {method, raw}) => {
		const server = await createTestServer();
		const {path} = callOf(id, await populate(server));
		const {seen, body} = endless();
		const {status, json} = await sendStream(server, path, method, body);
		const most = raw ? 16 * mebibyte : cap;
		expect([status, json.detail]).toEqual([400, `The body is larger than ${most} bytes.`]);
		expect(seen.bytes).toBeLessThan(most + 4 * mebibyte);
	});
});

/** Trace bombs: small bodies that expand to huge ones. */
const bombs: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, Readonly<Record<string, string>>])[] = [
	['gzip of 1 GiB of nothing', bomb(), {'content-encoding': 'gzip'}],
	['gzip that is cut off', gzip(jsonOf(10_000)).slice(0, 30), {'content-encoding': 'gzip'}],
	['gzip in gzip', Uint8Array.from(gzipSync(gzipSync('{}'))), {'content-encoding': 'gzip'}],
	['protobuf of one byte', bytes([0x0a]), {'content-type': 'application/x-protobuf'}],
	['a length of 2^63', bytes([0x0a, ...Array(9).fill(0xff), 0x7f]), {'content-type': 'application/x-protobuf'}],
	['a varint without end', new Uint8Array(1000).fill(0x80), {'content-type': 'application/x-protobuf'}],
	['a group that nobody ends', new Uint8Array(100_000).fill(0x0b), {'content-type': 'application/x-protobuf'}],
	['three million values', `{"resourceSpans": [${'1,'.repeat(3_000_000)}1]}`, {}],
	['spans that are lists', '{"resourceSpans": [[]]}', {}],
];

/** Enough gzip members to decompress to 1 GiB. */
function bomb(): Uint8Array<ArrayBuffer> {
	const one = gzipSync(new Uint8Array(16 * mebibyte));
	return Uint8Array.from(Buffer.concat(Array.from({length: 64}, () => one)));
}

test.each(bombs)('[21] [24] %s is rejected as traces, and stores nothing', async (_, body, headers) => {
	const server = await createTestServer();
	const {method, path} = callOf('pushTraces', {org: 'acme', workspace: 'main'} as Parameters);
	const {status, json} = await sendRaw(server, path, {method, body, headers});
	expect([status, json]).toEqual([400, {code: 400, detail: expect.any(String), type: 'invalid_error'}]);
	expect(await server.database.selectFrom('spans').selectAll().execute()).toEqual([]);
});

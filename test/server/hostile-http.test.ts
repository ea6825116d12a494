import {once} from 'node:events';
import {connect} from 'node:net';
import {expect, test} from 'vitest';
import {problemSchema} from '../../src/contract/problem.ts';
import {parseJson} from '../../src/core/json.ts';
import {contentsOf} from './contents.ts';
import {serve, token} from './serve.ts';

/** Sends bytes to a server, and returns the status and the body of the response until the connection ends. */
async function speak(url: string, text: string) {
	const socket = connect({host: '127.0.0.1', port: Number(new URL(url).port)});
	socket.setEncoding('latin1');
	let answer = '';
	socket.on('data', chunk => {
		answer += chunk;
	});
	socket.on('error', () => undefined);
	socket.write(text, 'latin1');
	await once(socket, 'close');
	const [head = '', body = ''] = answer.split('\r\n\r\n');
	// The body may be chunked.
	const problem = problemSchema.safeParse(parseJson(/\{.*\}/s.exec(body)?.[0] ?? ''));
	return {status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1] ?? 0), head, body, problem: problem.data};
}

/** Returns a request as bytes: its request line and the missing headers. */
const request = (line: string, headers: readonly string[] = ['Host: 127.0.0.1']) =>
	[`${line} HTTP/1.1`, ...headers, `Authorization: Bearer ${token}`, 'Connection: close', '', ''].join('\r\n');

const preferences = '/api/v1/user/preferences';

test.each<[string, number]>([
	[`GET ${preferences}`, 200],
	[`GET ${preferences}/`, 404],
	[`GET /${preferences}`, 404],
	['GET /api/v1//user/preferences', 404],
	['GET /api/v1/user/../user/preferences', 200],
	['GET /api/v1/user/%2e%2e/user/preferences', 200],
	['GET /api/v1/user%2Fpreferences', 404],
	['GET /../../../../etc/passwd', 404],
	['GET /%2e%2e/%2e%2e/etc/passwd', 404],
	['GET /%00', 404],
	[`GET ${preferences}%00`, 404],
	[`GET ${preferences}?%00`, 422],
	['GET /%', 404],
	['GET /%ff%fe', 404],
	['GET /\xff\xfe', 400],
	['GET \\\\evil\\share', 400],
	['GET //evil.example/', 404],
	['GET /;/', 404],
	['GET http://127.0.0.1/healthz', 200],
	['GET http://127.0.0.1/../healthz?a#b', 200],
	['GET http://evil.example/healthz', 403],
	['GET ftp://evil.example/healthz', 403],
	['GET http://[/healthz', 400],
	['GET healthz', 400],
	['OPTIONS *', 405],
	[`OPTIONS ${preferences}`, 405],
	[`TRACE ${preferences}`, 405],
	['CONNECT evil.example:443', 405],
	[`PROPFIND ${preferences}`, 405],
	[`DELETE ${preferences}`, 405],
	['PUT /healthz', 405],
	[`get ${preferences}`, 400],
	['BREW /pot', 400],
	[`GET /${'x'.repeat(20_000)}`, 400],
])('%j gets %d and the specified body', async (line, status) => {
	const {url, bugs} = await serve();
	const answer = await speak(url, request(line));
	expect([answer.status, bugs]).toEqual([status, []]);
	expect(answer.problem?.code).toBe(status === 200 ? undefined : status);
});

test.each([
	[`HEAD ${preferences}`, 200],
	['HEAD /healthz', 200],
	['HEAD /sign-in', 200],
	['HEAD /nothing', 404],
	['HEAD /api/v1/org/acme/otel/traces', 405],
	['HEAD /sign-out', 303],
])('%j has the status and headers of GET, and no body', async (line, status) => {
	const {url} = await serve();
	const [head, get] = await Promise.all([line, line.replace('HEAD', 'GET')].map(each => speak(url, request(each))));
	expect(head).toMatchObject({status, body: ''});
	const lengthOf = (text = '') => /^content-length: \d+/im.exec(text)?.[0];
	expect(lengthOf(head?.head)).toBe(lengthOf(get?.head));
});

test.each<[string, readonly string[], number]>([
	['no Host', [], 403],
	['two Hosts', ['Host: 127.0.0.1', 'Host: evil.example'], 400],
	['a Host of others', ['Host: evil.example'], 403],
	['an Expect that nobody knows', ['Host: 127.0.0.1', 'Expect: miracles'], 200],
	['an upgrade', ['Host: 127.0.0.1', 'Upgrade: websocket', 'Connection: Upgrade'], 200],
	['a header without a name', ['Host: 127.0.0.1', ': x'], 400],
	['a NUL', ['Host: 127.0.0.1', 'X-A: a\0b'], 400],
	['a line of its own', ['Host: 127.0.0.1', 'X-A: a\rX-B: b'], 400],
	['bytes that are no ASCII', ['Host: 127.0.0.1', 'X-A: \xff\xfe'], 200],
	['the name of a prototype', ['Host: 127.0.0.1', '__proto__: x', 'constructor: x'], 200],
	['too many headers', ['Host: 127.0.0.1', `X-A: ${'x'.repeat(20_000)}`], 400],
	['two lengths', ['Host: 127.0.0.1', 'Content-Length: 1', 'Content-Length: 2'], 400],
	['a length and chunks', ['Host: 127.0.0.1', 'Content-Length: 5', 'Transfer-Encoding: chunked'], 400],
	['a length that is none', ['Host: 127.0.0.1', 'Content-Length: -1'], 400],
	['an encoding of transfer that nobody knows', ['Host: 127.0.0.1', 'Transfer-Encoding: magic'], 400],
])('a request with %s gets the specified error', async (_, headers, status) => {
	const {url, bugs} = await serve();
	const answer = await speak(url, request(`GET ${preferences}`, headers));
	expect([answer.status, bugs]).toEqual([status, []]);
	expect(answer.problem?.code).toBe(status === 200 ? undefined : status);
});

const post = (headers: readonly string[], body: string) =>
	`POST /api/v1/user/api-keys HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n${headers.join('\r\n')}\r\n\r\n${body}`;

test.each<[string, string, number]>([
	['in chunks', post(['Transfer-Encoding: chunked'], 'd\r\n{"name":"CI"}\r\n0\r\n\r\n'), 200],
	['in chunks without a length', post(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'), 400],
	['in a chunk that is longer', post(['Transfer-Encoding: chunked'], '1\r\n{}\r\n0\r\n\r\n'), 400],
	['that is announced as too large', post([`Content-Length: ${9 * 1024 * 1024}`], '{}'), 400],
	['of no length', post([], ''), 200],
	['of no length, but white space', post(['Content-Length: 1'], ' '), 400],
])('a body %s gets %d', async (_, text, status) => {
	const {url, bugs} = await serve();
	const answer = await speak(url, text);
	expect([answer.status, answer.problem?.code]).toEqual([status, status === 200 ? undefined : status]);
	expect(bugs).toEqual([]);
});

test.each<[string, string]>([
	['a length', post(['Content-Length: 100'], '{"name": "C')],
	['chunks', post(['Transfer-Encoding: chunked'], 'd\r\n{"name')],
])('a client that disconnects during a body with %s is not an error, and creates nothing', async (_, text) => {
	const {url, bugs, database} = await serve();
	const before = await contentsOf(database);
	const socket = connect({host: '127.0.0.1', port: Number(new URL(url).port)});
	await new Promise(done => socket.write(text, done));
	await new Promise(resolve => setTimeout(resolve, 30));
	socket.destroy();
	await once(socket, 'close');
	await new Promise(resolve => setTimeout(resolve, 30));
	expect([bugs, await contentsOf(database)]).toEqual([[], before]);
});

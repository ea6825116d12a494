import {createServer, type Socket} from 'node:net';
import {gzipSync} from 'node:zlib';
import {atEnd} from '../net/servers.ts';

/** Answers one request on its connection, from the first byte. Most answers are the same for every body. */
export type Answer = (socket: Socket, body: string) => void;

/** A host below HTTP, with an address for each case. */
export type FaultHost = {
	readonly port: number;
	/** Returns an address below which each request gets this answer, and the bodies of those requests. */
	readonly at: (answer: Answer) => {readonly url: string; readonly bodies: readonly string[]};
	/** Returns the heads of requests to no case. */
	readonly strays: () => readonly string[];
};

/** Starts a host whose answers are the bytes that cases say. Closed after the test. */
export async function startFaultHost(): Promise<FaultHost> {
	const cases = new Map<string, {readonly answer: Answer; readonly bodies: string[]}>();
	const strays: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer({allowHalfOpen: true}, socket => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
		let received = Buffer.alloc(0);
		socket.on('data', bytes => {
			received = Buffer.concat([received, bytes]);
			const end = received.indexOf('\r\n\r\n');
			const head = received.subarray(0, end < 0 ? 0 : end).toString('latin1');
			const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
			if (end < 0 || received.length < end + 4 + length) {
				return;
			}

			const body = received.subarray(end + 4, end + 4 + length).toString('utf8');
			received = received.subarray(end + 4 + length);
			const found = cases.get(/^\S+ \/(case\d+)\b/.exec(head)?.[1] ?? '');
			if (found) {
				found.bodies.push(body);
				found.answer(socket, body);
			} else {
				strays.push(head);
				socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
			}
		});
		socket.on('end', () => socket.end());
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	atEnd(() => {
		server.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	const address = server.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	return {
		port,
		at(answer) {
			const name = `case${cases.size}`;
			const bodies: string[] = [];
			cases.set(name, {answer, bodies});
			return {url: `http://127.0.0.1:${port}/${name}`, bodies};
		},
		strays: () => strays,
	};
}

/** Returns the head of a response. */
export const head = (status: string, headers: Readonly<Record<string, string>>) =>
	`HTTP/1.1 ${status}\r\n${Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join('')}\r\n`;

function whole(status: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Answer {
	return socket => {
		socket.write(head(status, {'content-length': String(Buffer.byteLength(body)), connection: 'close', ...headers}));
		socket.end(body);
	};
}

const json = {'content-type': 'application/json'};
const problem = (code: number) =>
	JSON.stringify({code, message: `refused with ${code}`, error: {message: `refused with ${code}`}});
const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, 'a'));

/** An answer that is no answer: its name, the bytes, and how many requests a client may make for it. */
export type Refusal = {
	readonly name: string;
	readonly answer: (evil: string) => Answer;
	/** The most requests with one body for it. */
	readonly tries: number;
};

/** What servers, and what stands before them, say instead of an answer. `evil` is the address of another origin. */
export const refusals: readonly Refusal[] = [
	...[400, 401, 402, 403, 404, 409, 422, 426].map(code => ({
		name: `status ${code}`,
		answer: () => whole(`${code} No`, problem(code), json),
		tries: 1,
	})),
	...[429, 500, 502, 503, 529].flatMap(code => [
		{name: `status ${code}`, answer: () => whole(`${code} No`, problem(code), json), tries: 3},
		{
			name: `status ${code}, Retry-After 0`,
			answer: () => whole(`${code} No`, problem(code), {...json, 'retry-after': '0'}),
			tries: 3,
		},
		{
			name: `status ${code}, Retry-After 1 day`,
			answer: () => whole(`${code} No`, problem(code), {...json, 'retry-after': '86400'}),
			tries: 1,
		},
		{
			name: `a web page with status ${code}`,
			answer: () =>
				whole(`${code} No`, '<!doctype html><html><body>Gateway</body></html>', {'content-type': 'text/html'}),
			tries: 3,
		},
	]),
	...[301, 302, 303, 307, 308].map(code => ({
		name: `redirect ${code} to another origin`,
		answer: (evil: string) => whole(`${code} Moved`, '', {location: `${evil}/stolen`}),
		tries: 1,
	})),
	{name: 'no HTTP', answer: () => socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), tries: 4},
	{name: 'a reset', answer: () => socket => socket.resetAndDestroy(), tries: 4},
	{name: 'a closed connection', answer: () => socket => socket.destroy(), tries: 4},
	{name: 'a half of a head', answer: () => socket => socket.end('HTTP/1.1 200 OK\r\ncontent-ty'), tries: 4},
	{
		name: 'a head of 200 kB',
		answer: () => whole('200 OK', '{}', {...json, 'x-large': 'x'.repeat(200_000)}),
		tries: 4,
	},
	{
		name: 'a web page',
		answer: () => whole('200 OK', '<html>Log in to Wi-Fi</html>', {'content-type': 'text/html'}),
		tries: 3,
	},
	{name: 'an empty body', answer: () => whole('200 OK', '', json), tries: 3},
	{name: 'a half of an object', answer: () => whole('200 OK', '{"id": "a', json), tries: 3},
	{
		name: 'a body that is too short',
		answer: () => whole('200 OK', '{"id"', {...json, 'content-length': '500'}),
		tries: 4,
	},
	{
		name: 'gzip that is none',
		answer: () => whole('200 OK', 'not compressed at all', {...json, 'content-encoding': 'gzip'}),
		tries: 4,
	},
	{name: 'a gzip bomb', answer: () => whole('200 OK', bomb, {...json, 'content-encoding': 'gzip'}), tries: 4},
	{name: 'JSON that is 50,000 levels deep', answer: () => whole('200 OK', '['.repeat(50_000), json), tries: 3},
];

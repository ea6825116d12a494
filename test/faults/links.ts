import {createHash} from 'node:crypto';
import {createServer} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {atEnd, httpServer} from '../net/servers.ts';
import {createRandom, createTally, eachOf, type Fault} from './fault.ts';
import {refusals, startFaultHost} from './fault-host.ts';
import {canary, hasFault, shuffled, throwIfWrong} from './network.ts';
import {connectByWeb} from './web-link.ts';

/** Returns the head of a frame (RFC 6455, section 5.2) from a server: flags with an opcode, and a length that need not be true. */
function frameHead(flags: number, length: number): Buffer {
	if (length < 126) {
		return Buffer.from([flags, length]);
	}

	const long = Buffer.alloc(10);
	long[0] = flags;
	long[1] = 127;
	long.writeBigUInt64BE(BigInt(length), 2);
	return long;
}

const textFrame = 0x81;
const frame = (text: string, flags = textFrame) =>
	Buffer.concat([frameHead(flags, Buffer.byteLength(text)), Buffer.from(text)]);

/** The answer of another program to the greeting, as a line. */
const answer = (result: unknown) => frame(`${JSON.stringify({jsonrpc: '2.0', id: 1, result})}\n`);

/** What comes over a WebSocket that was accepted, in place of a host's greeting. */
const afterHandshake: Readonly<Record<string, (socket: Socket) => void>> = {
	'a reset': socket => socket.resetAndDestroy(),
	'an end': socket => socket.end(),
	'a closing frame': socket => socket.write(frame('\x03\xea', 0x88)),
	'no frame at all': socket => socket.write('HTTP/1.1 504 Gateway Timeout\r\n\r\n<html>'),
	'half of a frame, then an end': socket => socket.end(frame('{"jsonrpc":"2.0"').subarray(0, 9)),
	'a frame of a terabyte': socket => socket.write(frameHead(textFrame, 2 ** 40)),
	'a compressed frame': socket => socket.write(frame('compressed', 0xc1)),
	'a frame with reserved bits': socket => socket.write(frame('reserved', 0xb1)),
	'text that is no UTF-8': socket => socket.write(Buffer.concat([frameHead(textFrame, 2), Buffer.from([0xff, 0xfe])])),
	'lines that are no JSON, then an end': socket => socket.end(frame('<html>\nLog in to Wi-Fi\n</html>\n')),
	'JSON that is 50,000 levels deep, then an end': socket => socket.end(frame(`${'['.repeat(50_000)}\n`)),
	'an error without words': socket => socket.write(frame('{"jsonrpc":"2.0","id":1,"error":{}}\n')),
	'a greeting of another kind': socket => socket.write(answer({hello: 'world'})),
	'a greeting that is null': socket => socket.write(answer(null)),
	'a greeting of a version that nobody knows': socket =>
		socket.write(answer({protocol: 4711, version: '99.0.0', folders: [], rank: 'owner'})),
	silence: () => undefined,
	'lines without an end': socket =>
		void setInterval(() => socket.destroyed || socket.write(frame('x'.repeat(1000))), 50).unref(),
	'answers to pings alone': socket =>
		void setInterval(() => socket.destroyed || socket.write(frame('', 0x8a)), 50).unref(),
};

/** Starts a host that accepts every WebSocket and then does this. */
async function startHost(act: (socket: Socket) => void): Promise<string> {
	const sockets = new Set<Socket>();
	const server = createServer().on('upgrade', ({headers}, stream) => {
		const socket = stream as Socket;
		sockets.add(socket);
		socket.on('error', () => undefined);
		const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
		const accept = createHash('sha1').update(key).digest('base64');
		socket.write(
			`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
		);
		// Behind the terminal's greeting.
		socket.once('data', () => act(socket));
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	atEnd(() => {
		server.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const links: Fault = {
	name: 'a host of sessions refuses, redirects, is no host, or breaks a WebSocket: a sentence, a status, one request, and nothing to another origin',
	rules: [7, 21, 24, 34],
	amounts: {test: 12, full: 400},
	async run({seed, amount}) {
		const tally = createTally();
		const faults = await startFaultHost();
		const evil = await httpServer((_, response) => void response.end('{}'));
		const cases = [
			...refusals.map(({name, answer: refuse}) => ({
				name,
				async open() {
					const {url, bodies} = faults.at(refuse(evil.origin));
					return {url, count: () => bodies.length};
				},
			})),
			...Object.entries(afterHandshake).map(([name, act]) => ({
				name: `after the handshake, ${name}`,
				async open() {
					let count = 0;
					const url = await startHost(socket => {
						count += 1;
						act(socket);
					});
					return {url, count: () => count};
				},
			})),
		];
		await eachOf(shuffled(cases, createRandom(seed), amount), 24, async ({name, open}) => {
			await tally.attempt(name, async () => {
				const {url, count} = await open();
				const {status, stdout, stderr} = await connectByWeb(url, {pass: canary});
				const said = `${stdout}\n${stderr}`;
				throwIfWrong([
					[status !== 0, `status ${status}: ${said}`],
					[/^service: \S[^\n]+[.?`]/m.test(said), `no sentence: ${said}`],
					[count() === 1, `${count()} requests`],
					[!hasFault(said), `a fault of ours: ${said}`],
					[!said.includes(canary), 'the pass was printed'],
					[said.length < 2000, `${said.length} characters`],
				]);
			});
		});
		tally.add(
			1,
			evil.seen.map(({method, url}) => `another origin got ${method} ${url}`),
		);
		return tally.figure();
	},
};

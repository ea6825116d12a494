import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http';
import {connect, type Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {messageOf} from '../../core/error.ts';
import {groupBy} from '../../core/group-by.ts';
import {endToEnd, headersOf} from '../kit/hop-by-hop.ts';
import {formatDestination, isAllowed, parseDestination} from './destination.ts';
import {isOpenAddress} from './open-ranges.ts';
import {createRefusalNotes, type NoteRefusal} from './refusal-notes.ts';
import {resolveName} from './resolve-name.ts';
import {matchServerName} from './server-name.ts';

/** What a sandbox may reach. */
export type EgressPolicy = {
	/** Hosts that its task allows, as `isAllowed` reads them. */
	readonly allow: readonly string[];
	/** Private ranges that the operator opens. */
	readonly openRanges: readonly string[];
};

/** The way out of a sandbox. */
export type EgressProxy = {
	/** Serves a connection from inside. */
	readonly serve: (socket: Duplex) => void;
	/** Ends all connections. */
	readonly close: () => void;
};

type Options = EgressPolicy & {
	/** Adds a line to the log of the sandbox. What is refused is answered afterwards. */
	readonly write: (line: string) => void;
	/** Returns the addresses of a name. */
	readonly resolve?: (name: string) => Promise<readonly string[]>;
	readonly connect?: (address: string, port: number) => Socket;
	readonly requestTimeoutMs?: number;
};

/** Connections of a sandbox at once. */
const maxConnections = 64;

const maxHeaderBytes = 16 * 1024;

/** How long the head of a request may take, a connection to an address, and both directions may be silent. */
const headTimeoutMs = 15_000;
const connectTimeoutMs = 10_000;
const idleTimeoutMs = 600_000;

/** Addresses of a name that are tried. */
const maxAddresses = 4;

/** Why a request gets no connection: a status, and a sentence for the program that asked. */
type Refusal = {readonly status: number; readonly why: string};

/** Connects to an authority, `host:port`, or says why not. */
type Reach = (authority: string) => Promise<Socket | Refusal>;

/**
 * Creates an HTTP proxy for one sandbox: CONNECT, and requests with a whole URL. It looks names up itself, checks what they
 * lead to, and connects to an address that it has checked, so that a name can't lead elsewhere a moment later (SAFETY 15).
 */
export function createEgressProxy(options: Options): EgressProxy {
	const {requestTimeoutMs = headTimeoutMs} = options;
	/** Each connection from inside, with what ends it if the head of a request takes too long. */
	const connections = new Map<Duplex, NodeJS.Timeout>();
	const note = createRefusalNotes(options.write);
	const reach = createReach(options, note);
	const server = createServer({maxHeaderSize: maxHeaderBytes});
	// The server's own timeouts are for connections that it accepts itself.
	const limit = (socket: Duplex) => {
		clearTimeout(connections.get(socket));
		connections.set(
			socket,
			setTimeout(() => socket.destroy(), requestTimeoutMs),
		);
	};
	server.on('request', (incoming, response) => {
		clearTimeout(connections.get(incoming.socket));
		// Its end, after an answer that nobody reads.
		response.once('close', () => connections.has(incoming.socket) && limit(incoming.socket));
		forward(incoming, response, reach).catch(() => incoming.socket.destroy());
	});
	server.on('connect', (incoming, socket, head) => {
		clearTimeout(connections.get(socket));
		tunnel(incoming.url ?? '', socket, {head, reach, note}).catch(() => socket.destroy());
	});
	server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
		endWith(socket, {status: error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400, why: 'The proxy can’t read this.'});
	});
	return {
		serve(socket) {
			socket.on('error', () => socket.destroy());
			if (connections.size >= maxConnections) {
				socket.destroy();
				return;
			}

			limit(socket);
			socket.once('close', () => {
				clearTimeout(connections.get(socket));
				connections.delete(socket);
			});
			server.emit('connection', socket);
		},
		close() {
			for (const socket of connections.keys()) {
				socket.destroy();
			}
		},
	};
}

function createReach(
	{allow, openRanges, resolve = resolveName, connect: open = connectTo}: Options,
	note: NoteRefusal,
): Reach {
	const refuse = (shown: string, why: string): Refusal => {
		note(shown, why);
		return {status: 403, why: `Refused: ${why}.`};
	};
	return async authority => {
		const destination = parseDestination(authority);
		if (!destination) {
			// What is before the host may be a password.
			return refuse(authority.replace(/^.*@/, '…@'), 'no host and port');
		}

		const {host, port} = destination;
		const shown = formatDestination(destination);
		if (!isAllowed(destination, allow)) {
			return refuse(shown, 'not in `allow` of the task');
		}

		const found = await resolve(host);
		const addresses = found.filter(address => isOpenAddress(address, openRanges)).slice(0, maxAddresses);
		if (found.length > 0 && addresses.length === 0) {
			return refuse(shown, 'its address is private');
		}

		let fault = 'it has no address';
		for (const address of addresses) {
			try {
				return await untilConnected(open(address, port));
			} catch (error) {
				fault = messageOf(error);
			}
		}

		return {status: 502, why: `Couldn’t reach ${shown}: ${fault}.`};
	};
}

const connectTo = (host: string, port: number): Socket => connect({host, port, allowHalfOpen: true});

/** Resolves when a socket is connected. Rejects if it can't be in time. */
function untilConnected(socket: Socket): Promise<Socket> {
	return new Promise((resolve, reject) => {
		socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error('no answer')));
		socket.once('connect', () => {
			socket.removeAllListeners('timeout');
			socket.off('error', reject);
			socket.on('error', () => socket.destroy());
			socket.setTimeout(idleTimeoutMs, () => socket.destroy());
			resolve(socket);
		});
		socket.once('error', reject);
	});
}

type Tunnel = {readonly head: Buffer; readonly reach: Reach; readonly note: NoteRefusal};

/**
 * Answers CONNECT: passes bytes in both directions until both have ended. TLS for another name than that of the host is refused:
 * many hosts are behind one address, and only the name says which of them answers.
 */
async function tunnel(authority: string, inside: Duplex, {head, reach, note}: Tunnel): Promise<void> {
	const outside = await reach(authority);
	if ('why' in outside) {
		endWith(inside, outside);
		return;
	}

	inside.once('close', () => outside.destroy());
	if (inside.destroyed) {
		outside.destroy();
		return;
	}

	inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
	const {host = '', port = 0} = parseDestination(authority) ?? {};
	const checked = matchServerName(host, name => {
		const asked = formatDestination({host, port});
		note(
			name === undefined ? asked : `${name}:${port}`,
			name === undefined ? 'its TLS can’t be read' : `asked for as ${asked}`,
		);
	});
	if (head.length > 0) {
		checked.write(head);
	}

	try {
		await Promise.all([pipeline(inside, checked, outside), pipeline(outside, inside)]);
	} finally {
		outside.destroy();
		inside.destroy();
	}
}

/** Answers a request with a whole URL: sends it on, as a request to the server that the URL names and no other one. */
async function forward(incoming: IncomingMessage, response: ServerResponse, reach: Reach): Promise<void> {
	const [, written, rest = ''] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(incoming.url ?? '') ?? [];
	if (written === undefined) {
		answer(response, {status: 400, why: 'This is a proxy: it takes CONNECT, and requests with an http:// URL.'});
		return;
	}

	const authority = /:\d+$/.test(written) ? written : `${written}:80`;
	const outside = await reach(authority);
	if ('why' in outside) {
		answer(response, outside);
		return;
	}

	const destination = parseDestination(authority) ?? {host: '', port: 0};
	const path = rest.startsWith('/') ? rest : `/${rest}`;
	const sent = request({
		method: incoming.method,
		path,
		headers: {
			...passedOn(incoming),
			host: formatDestination(destination).replace(/:80$/, ''),
			...('transfer-encoding' in incoming.headers && {'transfer-encoding': 'chunked'}),
			connection: 'close',
		},
		createConnection: () => outside,
	});
	response.once('close', () => outside.destroy());
	const received = new Promise<IncomingMessage>((resolve, reject) => {
		sent.once('response', resolve).once('error', reject);
	});
	const sending = pipeline(incoming, sent).catch(() => undefined);
	const got = await received.catch(() => undefined);
	if (!got) {
		answer(response, {status: 502, why: `${formatDestination(destination)} answers with something else than HTTP.`});
		return;
	}

	// A connection is for one request, so that its time limit is simple.
	response.writeHead(got.statusCode ?? 502, got.statusMessage, {...passedOn(got), connection: 'close'});
	await Promise.all([pipeline(got, response), sending]);
}

/** Returns the headers of a message that aren't for its connection, with the length of its body. */
function passedOn({rawHeaders}: IncomingMessage): Record<string, readonly string[]> {
	const headers = headersOf(rawHeaders);
	const length = headers.filter(([name]) => name.toLowerCase() === 'content-length');
	const named = groupBy([...endToEnd(headers), ...length], ([name]) => name.toLowerCase());
	return Object.fromEntries([...named].map(([name, same]) => [name, same.map(([, value]) => value)]));
}

function answer(response: ServerResponse, {status, why}: Refusal): void {
	response.writeHead(status, {'content-type': 'text/plain; charset=utf-8', connection: 'close'});
	response.end(`${why}\n`);
}

const reasons: Readonly<Record<number, string>> = {
	400: 'Bad Request',
	403: 'Forbidden',
	431: 'Request Header Fields Too Large',
};

function endWith(socket: Duplex, {status, why}: Refusal): void {
	const body = Buffer.from(`${why}\n`);
	const head = `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Gateway'}`;
	socket.end(
		Buffer.concat([
			Buffer.from(
				`${head}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
			),
			body,
		]),
	);
}

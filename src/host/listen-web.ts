import {once} from 'node:events';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {invalidCode, invalidPass, joinPath, linkPath} from '../contract/hosting.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {isLoopback, originOf} from '../core/origin.ts';
import {acceptSocket} from '../net/web-socket/accept-socket.ts';

type Options = {
	/** `host:port`; port 0 for a free one. */
	readonly address: string;
	/** Where clients reach it through a proxy with TLS; where it listens by default. */
	readonly publicUrl: string | undefined;
	/** Exchanges a code for a pass; undefined for any other text. */
	readonly join: (code: string) => {readonly pass: string} | undefined;
	/** Returns what serves whoever has a pass; undefined for any other text. */
	readonly admit: (pass: string) => ((stream: Duplex) => void) | undefined;
};

export type WebListener = {
	/** Where clients reach it, without a slash at the end. */
	readonly url: string;
	readonly close: () => Promise<void>;
};

/** Most connections at the same time: nothing of them waits for a login. */
const maxConnections = 256;

/** Most bytes of a request for a pass. */
const maxBodyBytes = 4096;

const requestMs = 10_000;

/**
 * Listens for WebSocket on this machine alone: a proxy with TLS carries it further. Throws AppError("usage") for an address that
 * other machines reach, and AppError("failed") if the port is in use.
 */
export async function listenWeb({address, publicUrl, join, admit}: Options): Promise<WebListener> {
	const {host, port} = readAddress(address);
	const given = publicUrl === undefined ? undefined : readPublicUrl(publicUrl);
	let url = given ?? '';
	const streams = new Set<Duplex>();
	const server = createServer(
		{headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 10},
		(incoming, outgoing) => {
			respond(incoming, outgoing, url, join).catch(() => outgoing.destroy());
		},
	);
	server.maxConnections = maxConnections;
	server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
		socket.on('error', () => socket.destroy());
		const refuse = (status: number, detail: string) => {
			const body = JSON.stringify({code: status, detail});
			const lines = [`HTTP/1.1 ${status} Refused`, 'connection: close', 'content-type: application/json'];
			socket.end(`${[...lines, `content-length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
		};
		const {refusal, path} = check(incoming, url);
		const [, pass = ''] = /^Bearer +(\S+)$/i.exec(incoming.headers.authorization ?? '') ?? [];
		const serve = refusal === undefined && path === linkPath ? admit(pass) : undefined;
		if (refusal !== undefined || path !== linkPath) {
			refuse(refusal === undefined ? 404 : 403, refusal ?? 'Nothing is here.');
			return;
		}

		if (!serve) {
			refuse(401, invalidPass);
			return;
		}

		acceptSocket(incoming, socket, head).then(
			stream => {
				streams.add(stream);
				stream.once('close', () => streams.delete(stream));
				serve(stream);
			},
			() => refuse(400, 'This is not a handshake of WebSocket version 13.'),
		);
	});
	await start(server, host, port);
	const bound = server.address();
	url ||= `http://${host.includes(':') ? `[${host}]` : host}:${typeof bound === 'object' && bound ? bound.port : port}`;
	return {
		url,
		async close() {
			const closed = once(server, 'close');
			server.close();
			for (const stream of streams) {
				stream.destroy();
			}

			server.closeAllConnections();
			await closed;
		},
	};
}

async function start(server: Server, host: string, port: number): Promise<void> {
	server.listen({host, port});
	await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
		const reason = error.code === 'EADDRINUSE' ? 'another program listens there' : (error.code ?? error.message);
		throw new AppError('failed', `Can't listen on ${host}:${port}: ${reason}.`, {
			hint: 'Choose another port with --listen.',
			cause: error,
		});
	});
}

/** Reads `host:port`. Throws AppError("usage") for another text, and for an address beyond this machine (SAFETY 34). */
function readAddress(address: string): {readonly host: string; readonly port: number} {
	const url = /^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(address) && URL.canParse(`http://${address}`);
	if (!url) {
		throw new AppError('usage', `Invalid address “${address}”.`, {hint: 'Use --listen 127.0.0.1:8720, or unix.'});
	}

	const {hostname} = new URL(`http://${address}`);
	if (!isLoopback(new URL(`http://${address}`))) {
		throw new AppError('usage', `Refusing to listen on ${address}: anyone on the network could read plain HTTP.`, {
			hint: 'Listen on 127.0.0.1, put a proxy with TLS in front, and name it with --public-url.',
		});
	}

	return {host: hostname.replace(/^\[|\]$/g, ''), port: Number(/\d+$/.exec(address)?.[0])};
}

/** Reads where a proxy is. Throws AppError("usage") for one without TLS beyond this machine. */
function readPublicUrl(text: string): string {
	const origin = originOf(text);
	if (!origin.startsWith('https:') && !isLoopback(new URL(origin))) {
		throw new AppError('usage', `--public-url ${origin} has no TLS.`, {hint: 'Use the https URL of the proxy.'});
	}

	return origin;
}

type Checked = {readonly refusal: string | undefined; readonly path: string};

/** Refuses pages of browsers, which send their Origin, and names that a page may have rebound to this machine (SAFETY 25). */
function check({headers, url: target = ''}: IncomingMessage, url: string): Checked {
	const {host, pathname} = new URL(url);
	const name = headers.host ?? '';
	const isOwn = name === host || (URL.canParse(`http://${name}`) && isLoopback(new URL(`http://${name}`)));
	const base = pathname.replace(/\/+$/, '');
	const [asked = ''] = target.split('?');
	return {
		path: base !== '' && asked.startsWith(`${base}/`) ? asked.slice(base.length) : asked,
		refusal:
			headers.origin !== undefined
				? 'Pages of browsers may not use this host.'
				: isOwn
					? undefined
					: `This host does not answer to the name “${name.slice(0, 100)}”. Name its proxy with --public-url.`,
	};
}

async function respond(
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	url: string,
	join: Options['join'],
): Promise<void> {
	const answer = (status: number, body: object) => {
		const text = JSON.stringify(body);
		outgoing.writeHead(status, {
			'content-type': 'application/json',
			'content-length': Buffer.byteLength(text),
			'cache-control': 'no-store',
			'x-content-type-options': 'nosniff',
			connection: 'close',
		});
		outgoing.end(text);
	};
	const refuse = (status: number, detail: string) => answer(status, {code: status, detail});
	const {refusal, path} = check(incoming, url);
	if (refusal !== undefined) {
		refuse(403, refusal);
		return;
	}

	if (incoming.method !== 'POST' || path !== joinPath) {
		refuse(404, 'Sessions are hosted here. Attach with the link that you got.');
		return;
	}

	const code = incoming.headers['content-type'] === 'application/json' ? await readCode(incoming) : undefined;
	const joined = code === undefined ? undefined : join(code);
	if (joined) {
		answer(200, joined);
		return;
	}

	refuse(401, invalidCode);
}

async function readCode(incoming: IncomingMessage): Promise<string | undefined> {
	let text = '';
	incoming.setEncoding('utf8');
	for await (const piece of incoming) {
		text += piece;
		if (text.length > maxBodyBytes) {
			return undefined;
		}
	}

	const body = parseJson(text);
	return isJsonObject(body) && typeof body['code'] === 'string' ? body['code'] : undefined;
}

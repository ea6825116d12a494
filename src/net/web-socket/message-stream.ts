import {Duplex} from 'node:stream';
import type {RawData, WebSocket} from 'ws';

/** Most bytes of a message on a WebSocket, in both directions: more is sent as several, and refused from the other side. */
export const maxMessageBytes = 256 * 1024;

/** What both ends create WebSockets with: no compression, whose memory another side could exhaust. */
export const socketOptions = {maxPayload: maxMessageBytes, perMessageDeflate: false} as const;

/** Shorter than proxies keep a silent connection, such as the 60 s of nginx. */
const pingMs = 20_000;

/** How long the end of a connection may take. */
const endMs = 2000;

/**
 * Returns the bytes that pass over an open WebSocket as a stream. Where messages end has no meaning. A side that answers no ping
 * between two of them is cut.
 */
export function messageStream(socket: WebSocket): Duplex {
	let hasAnswered = true;
	const timer = setInterval(() => {
		if (!hasAnswered) {
			socket.terminate();
			return;
		}

		hasAnswered = false;
		socket.ping();
	}, pingMs);
	timer.unref();
	const stream = new Duplex({
		allowHalfOpen: false,
		read: () => socket.resume(),
		write: (chunk: Buffer, _encoding, done) => sendPieces(socket, chunk, done),
		destroy(error, done) {
			clearInterval(timer);
			// What was written before is sent first.
			socket.close(1000);
			setTimeout(() => socket.terminate(), endMs).unref();
			done(error);
		},
	});
	socket.on('message', data => {
		hasAnswered = true;
		if (!stream.destroyed && !stream.push(bytesOf(data))) {
			socket.pause();
		}
	});
	socket.on('pong', () => {
		hasAnswered = true;
	});
	// A message that is too long, or no message at all: the socket closes itself, with the status that says so.
	socket.on('error', () => stream.destroy());
	socket.on('close', () => {
		stream.push(null);
		stream.destroy();
	});
	return stream;
}

function sendPieces(socket: WebSocket, chunk: Buffer, done: (error?: Error | null) => void): void {
	let from = 0;
	for (; chunk.length - from > maxMessageBytes; from += maxMessageBytes) {
		socket.send(chunk.subarray(from, from + maxMessageBytes));
	}

	socket.send(chunk.subarray(from), error => done(error));
}

function bytesOf(data: RawData): Buffer {
	return Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
}

import {Duplex, type Writable} from 'node:stream';
import {AppError} from '../../core/error.ts';
import {frameHeaderBytes, frameKinds, maxPayloadBytes, windowBytes} from './relay-script.ts';

/** Connections from inside that are open at once. What is beyond is broken. */
const maxOpen = 128;

/** Bytes that may wait for a program that doesn't read: all windows, and as much again. */
const maxQueuedBytes = 2 * maxOpen * (windowBytes + maxPayloadBytes);

/** A connection from inside. */
type Connection = {
	readonly stream: Duplex;
	/** Bytes that the sandbox has sent and nobody has read, and those that it hasn't passed on. */
	unread: number;
	unpassed: number;
	/** Writes more, once the sandbox has passed on what it got. */
	proceed: (() => void) | undefined;
	/** Whether each direction has ended as it should. */
	hasEnded: {readonly input: boolean; readonly output: boolean};
};

/** How a link ended: by its program, or because another one has the port. */
export type LinkEnd = 'closed' | 'busy';

export type Link = {
	/** Writes a line to the log of the sandbox. */
	readonly write: (line: string) => void;
	/** Resolves when it has ended. Rejects for anything but frames, and frames that break the rules. */
	readonly ended: Promise<LinkEnd>;
	readonly close: () => void;
};

/**
 * Accepts the connections that `relayCommand` passes on. Whatever the program inside sends, a connection keeps no more than its
 * window in memory.
 */
export function acceptConnections(
	input: Writable,
	output: AsyncIterable<Buffer>,
	onConnection: (stream: Duplex) => void,
): Link {
	const connections = new Map<number, Connection>();
	let lastNumber = 0;
	const send = (kind: number, number: number, payload: Buffer = Buffer.alloc(0)) => {
		const header = Buffer.alloc(frameHeaderBytes);
		header[0] = kind;
		header.writeUInt32BE(number, 1);
		header.writeUInt32BE(payload.length, 5);
		if (!input.destroyed && !input.writableEnded) {
			input.write(Buffer.concat([header, payload]));
		}

		if (input.writableLength > maxQueuedBytes) {
			input.destroy();
		}
	};
	const create = (number: number): Connection => {
		let waiting: Buffer[] = [];
		const connection: Connection = {
			unread: 0,
			unpassed: 0,
			proceed: undefined,
			hasEnded: {input: false, output: false},
			stream: new Duplex({
				allowHalfOpen: true,
				readableHighWaterMark: 0,
				read() {
					const {unread} = connection;
					connection.unread = 0;
					if (unread > 0) {
						send(frameKinds.passed, number, bytesOf(unread));
					}
				},
				write(data: Buffer, _encoding, done) {
					waiting = piecesOf(data);
					const proceed = () => {
						while (connection.unpassed < windowBytes && waiting.length > 0) {
							const piece = waiting.shift() ?? Buffer.alloc(0);
							connection.unpassed += piece.length;
							send(frameKinds.data, number, piece);
						}

						connection.proceed = waiting.length > 0 ? proceed : undefined;
						if (waiting.length === 0) {
							done();
						}
					};
					proceed();
				},
				final(done) {
					connection.hasEnded = {...connection.hasEnded, output: true};
					send(frameKinds.end, number);
					done();
				},
				destroy(error, done) {
					const {input: hasInputEnded, output: hasOutputEnded} = connection.hasEnded;
					if (connections.delete(number) && !(hasInputEnded && hasOutputEnded)) {
						send(frameKinds.break, number);
					}

					done(error);
				},
			}),
		};
		return connection;
	};
	/** Does what a frame says. Returns false for one that nobody may send. */
	const take = (kind: number, number: number, payload: Buffer): boolean => {
		if (kind === frameKinds.open) {
			if (number !== lastNumber + 1) {
				return false;
			}

			lastNumber = number;
			if (connections.size >= maxOpen) {
				send(frameKinds.break, number);
				return true;
			}

			const connection = create(number);
			connections.set(number, connection);
			onConnection(connection.stream);
			return true;
		}

		const connection = connections.get(number);
		if (!connection) {
			return number <= lastNumber;
		}

		const {stream} = connection;
		switch (kind) {
			case frameKinds.data:
				connection.unread += payload.length;
				stream.push(payload);
				return connection.unread <= windowBytes + maxPayloadBytes;
			case frameKinds.end:
				connection.hasEnded = {...connection.hasEnded, input: true};
				stream.push(null);
				return true;
			case frameKinds.break:
				connections.delete(number);
				stream.destroy();
				return true;
			case frameKinds.passed:
				connection.unpassed -= payload.length === 4 ? payload.readUInt32BE() : Number.POSITIVE_INFINITY;
				connection.proceed?.();
				return connection.unpassed >= 0;
			default:
				return false;
		}
	};
	const follow = async (): Promise<LinkEnd> => {
		try {
			for await (const {kind, number, payload} of readFrames(output)) {
				if (kind === frameKinds.busy) {
					return 'busy';
				}

				if (!take(kind, number, payload)) {
					throw new AppError('network', 'The relay of a sandbox sent what it may not.');
				}
			}

			return 'closed';
		} finally {
			for (const {stream} of [...connections.values()]) {
				stream.destroy();
			}

			input.destroy();
		}
	};
	input.on('error', () => input.destroy());
	return {
		write: line => send(frameKinds.note, 0, Buffer.from(`${line}\n`)),
		ended: follow(),
		close: () => input.destroy(),
	};
}

type Frame = {readonly kind: number; readonly number: number; readonly payload: Buffer};

async function* readFrames(output: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
	let rest = Buffer.alloc(0);
	for await (const part of output) {
		rest = Buffer.concat([rest, part]);
		for (let length = lengthOf(rest); rest.length >= length; length = lengthOf(rest)) {
			yield {kind: rest[0] ?? 0, number: rest.readUInt32BE(1), payload: rest.subarray(frameHeaderBytes, length)};
			rest = rest.subarray(length);
		}
	}
}

/** Returns the length of the first frame, as far as it is known. */
function lengthOf(bytes: Buffer): number {
	const payload = bytes.length < frameHeaderBytes ? 0 : bytes.readUInt32BE(5);
	if (payload > maxPayloadBytes) {
		throw new AppError('network', 'The relay of a sandbox sent too long a frame.');
	}

	return frameHeaderBytes + payload;
}

function bytesOf(count: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(count);
	return bytes;
}

function piecesOf(data: Buffer): Buffer[] {
	const count = Math.ceil(data.length / maxPayloadBytes);
	return Array.from({length: count}, (_, index) =>
		data.subarray(index * maxPayloadBytes, (index + 1) * maxPayloadBytes),
	);
}

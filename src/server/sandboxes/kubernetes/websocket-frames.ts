import {randomBytes} from 'node:crypto';
import {AppError} from '../../../core/error.ts';

/** RFC 6455, section 5.2. */
export const opcodes = {continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10} as const;

/** The longest message that is read; a cluster sends 32 KB. */
const maxMessageBytes = 4 * 1024 * 1024;

/** Returns a frame of a client, which is always masked. */
export function encodeFrame(opcode: number, parts: readonly Buffer[]): Buffer {
	const payload = Buffer.concat(parts);
	const {length} = payload;
	const mask = randomBytes(4);
	const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
	head[0] = 0x80 | opcode;
	if (head.length === 2) {
		head[1] = 0x80 | length;
	} else if (head.length === 4) {
		head[1] = 0x80 | 126;
		head.writeUInt16BE(length, 2);
	} else {
		head[1] = 0x80 | 127;
		head.writeBigUInt64BE(BigInt(length), 2);
	}

	for (let at = 0; at < length; at += 1) {
		payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
	}

	return Buffer.concat([head, mask, payload]);
}

export type SocketMessage = {readonly opcode: number; readonly payload: Buffer};

/**
 * Returns a function that takes what a server sent and returns the messages that it completes. Throws AppError("network")
 * for anything but frames, and for a message that is too long.
 */
export function createFrameReader(): (part: Buffer) => readonly SocketMessage[] {
	let rest = Buffer.alloc(0);
	let pieces: Buffer[] = [];
	let opcodeOfPieces = 0;
	let pieceBytes = 0;
	return part => {
		rest = rest.length === 0 ? Buffer.from(part) : Buffer.concat([rest, part]);
		const messages: SocketMessage[] = [];
		for (let frame = frameIn(rest); frame; frame = frameIn(rest)) {
			const {isLast, opcode, payload, end} = frame;
			rest = rest.subarray(end);
			if (opcode >= opcodes.close) {
				messages.push({opcode, payload});
				continue;
			}

			opcodeOfPieces = opcode === opcodes.continuation ? opcodeOfPieces : opcode;
			pieces.push(payload);
			pieceBytes += payload.length;
			if (pieceBytes > maxMessageBytes) {
				throw garbage();
			}

			if (isLast) {
				messages.push({opcode: opcodeOfPieces, payload: Buffer.concat(pieces)});
				pieces = [];
				pieceBytes = 0;
			}
		}

		return messages;
	};
}

function frameIn(bytes: Buffer) {
	if (bytes.length < 2) {
		return undefined;
	}

	const [first = 0, second = 0] = bytes;
	const short = second & 0x7f;
	const head = short < 126 ? 2 : short === 126 ? 4 : 10;
	// No extension was agreed on, and a server doesn't mask.
	if ((first & 0x70) !== 0 || (second & 0x80) !== 0) {
		throw garbage();
	}

	if (bytes.length < head) {
		return undefined;
	}

	const length = head === 2 ? short : head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
	if (length > maxMessageBytes) {
		throw garbage();
	}

	const end = head + length;
	return bytes.length < end
		? undefined
		: {isLast: (first & 0x80) !== 0, opcode: first & 0x0f, payload: Buffer.from(bytes.subarray(head, end)), end};
}

function garbage(): AppError {
	return new AppError('network', 'Kubernetes sent something else than the output of a program.');
}

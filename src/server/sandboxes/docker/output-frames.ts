import {AppError} from '../../../core/error.ts';

/** Bytes of a frame's header: its stream, three zeros, and the length of what follows. */
const headerBytes = 8;

/** The longest frame that an engine sends; a longer one is garbage. */
const maxFrameBytes = 16 * 1024 * 1024;

/**
 * Returns the bytes that a program wrote to its outputs, in order, without the frames that Docker's API puts around them
 * (0 is standard input, 1 output, 2 errors). Holds no frame as a whole. Throws AppError("network") for
 * anything but frames.
 */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	for await (const {piece} of readPieces(stream)) {
		yield piece;
	}
}

/** Returns the contents of frames, each as a whole: an engine puts one around each message of a log. Throws as `readFrames` does. */
export async function* readMessages(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let pieces: Buffer[] = [];
	for await (const {piece, isLast} of readPieces(stream)) {
		pieces.push(piece);
		if (isLast) {
			yield Buffer.concat(pieces);
			pieces = [];
		}
	}

	if (pieces.length > 0) {
		yield Buffer.concat(pieces);
	}
}

type Piece = {readonly piece: Buffer; readonly isLast: boolean};

/** Returns the pieces of frames as they come, and whether each is the last one of its frame. */
async function* readPieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
	let header = Buffer.alloc(0);
	let left = 0;
	for await (const part of stream) {
		for (let rest = part; rest.length > 0; ) {
			if (left > 0) {
				const piece = rest.subarray(0, left);
				left -= piece.length;
				rest = rest.subarray(piece.length);
				yield {piece, isLast: left === 0};
				continue;
			}

			const missing = headerBytes - header.length;
			header = Buffer.concat([header, rest.subarray(0, missing)]);
			rest = rest.subarray(missing);
			if (header.length === headerBytes) {
				left = frameLength(header);
				header = Buffer.alloc(0);
			}
		}
	}
}

function frameLength(header: Buffer): number {
	const length = header.readUInt32BE(4);
	if ((header[0] ?? 3) > 2 || header.readUIntBE(1, 3) !== 0 || length > maxFrameBytes) {
		throw new AppError('network', 'Docker’s API sent something else than the output of a program.');
	}

	return length;
}

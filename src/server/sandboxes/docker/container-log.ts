import {formatMegabytes} from '../../../containment/containment.ts';
import {lineBreak, maxWindowBytes, windowOf} from '../log-window.ts';
import type {LogWindow} from '../provider.ts';

/** Where the log of a container ends: a sandbox that goes on writing is ended. */
export const maxLogBytes = 256 * 1024 ** 2;

/** Bytes at the end of a log that a window may come from, and before its offset. */
const tailBytes = maxWindowBytes;
const marginBytes = 4;

/** A window of a log, and whether the log is longer than may be. */
export type ContainerLog = {readonly window: LogWindow; readonly isFull: boolean};

/**
 * Reads a log from its first byte, and returns the window that `windowOf` returns for one that begins at 0. Keeps only what
 * the window may need, and ends reading after it.
 */
export async function readContainerLog(
	log: AsyncIterable<Buffer>,
	after: number | undefined,
	maxBytes = maxLogBytes,
): Promise<ContainerLog> {
	const from = Math.max(0, (after ?? 0) - marginBytes);
	const to = after === undefined ? 0 : after + maxWindowBytes;
	const middle: Buffer[] = [];
	let tail = Buffer.alloc(0);
	let end = 0;
	for await (const part of endAtLimit(log, maxBytes)) {
		if (end < to && end + part.length > from) {
			middle.push(part.subarray(Math.max(0, from - end), to - end));
		}

		tail = lastBytes(tail, part);
		end += part.length;
		if (after !== undefined && end >= to) {
			break;
		}
	}

	const kept = after !== undefined && after <= end ? {start: from, bytes: Buffer.concat(middle)} : undefined;
	const {start, bytes} = kept ?? {start: end - tail.length, bytes: tail};
	const read = async (first: number, last: number) => bytes.subarray(first - start, last - start);
	return {window: await windowOf({start: 0, end}, read, after), isFull: end > maxBytes};
}

/** Returns a log from an offset up to its limit, with a line that says so. */
export async function* endAtLimit(log: AsyncIterable<Buffer>, maxBytes: number, start = 0): AsyncGenerator<Buffer> {
	let bytes = start;
	for await (const part of log) {
		const piece = part.subarray(0, maxBytes - bytes);
		bytes += piece.length;
		yield piece;
		if (piece.length < part.length) {
			yield Buffer.from(`\n[server] its log is longer than ${formatMegabytes(maxBytes)}, so the sandbox was ended\n`);
			return;
		}
	}
}

/** Copies only when twice the tail is there. */
function lastBytes(tail: Buffer<ArrayBuffer>, piece: Buffer): Buffer<ArrayBuffer> {
	const all = Buffer.concat([tail, piece.subarray(-tailBytes)]);
	return all.length > 2 * tailBytes ? Buffer.from(all.subarray(-tailBytes)) : all;
}

/** Returns the last lines of a log, without their line breaks. */
export function linesOf(bytes: Buffer): readonly string[] {
	return bytes.at(-1) === lineBreak
		? bytes.toString('utf8').slice(0, -1).split('\n')
		: bytes.toString('utf8').split('\n');
}

import {formatMegabytes} from '../../../containment/containment.ts';
import {formatNumber} from '../../../core/format.ts';
import {lineBreak, maxWindowBytes, windowOf} from '../log-window.ts';
import type {LogWindow} from '../provider.ts';

/** Where the log of a container ends: a sandbox that goes on writing is ended. */
export type LogLimits = {
	readonly bytes: number;
	/** Engines keep each line with its time, and start a log of many empty ones over before it is long. */
	readonly lines: number;
};

export const maxLogBytes = 256 * 1024 ** 2;
export const logLimits: LogLimits = {bytes: maxLogBytes, lines: 5_000_000};

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
	limits: LogLimits = logLimits,
): Promise<ContainerLog> {
	const from = Math.max(0, (after ?? 0) - marginBytes);
	const to = after === undefined ? 0 : after + maxWindowBytes;
	const middle = createLogBytes(from);
	const tail = createLogBytes(0);
	const limited = endAtLimit(log, limits);
	for await (const part of limited.parts) {
		const start = tail.end();
		tail.append(part);
		tail.dropBefore(tail.end() - tailBytes);
		middle.append(part.subarray(Math.max(0, from - start), Math.max(0, to - start)));
		if (after !== undefined && tail.end() >= to) {
			break;
		}
	}

	const end = tail.end();
	const kept = after !== undefined && after <= end ? middle : tail;
	return {window: await windowOf({start: 0, end}, kept.read, after), isFull: limited.isFull()};
}

/** Returns the parts of a log from a place on, up to its limit, with a line that says so, and whether it was reached. */
export function endAtLimit(log: AsyncIterable<Buffer>, limits: LogLimits, {start = 0, lines = 0} = {}) {
	let bytes = start;
	let read = lines;
	let isFull = false;
	async function* parts(): AsyncGenerator<Buffer> {
		for await (const part of log) {
			read += 1;
			const piece = part.subarray(0, read > limits.lines ? 0 : limits.bytes - bytes);
			bytes += piece.length;
			yield piece;
			if (piece.length < part.length) {
				isFull = true;
				const length =
					read > limits.lines
						? `has more than ${formatNumber(limits.lines)} lines`
						: `is longer than ${formatMegabytes(limits.bytes)}`;
				yield Buffer.from(`\n[server] its log ${length}, so the sandbox was ended\n`);
				return;
			}
		}
	}

	return {parts: parts(), isFull: () => isFull};
}

/** Bytes of a log from an offset on. */
export type LogBytes = {
	readonly start: () => number;
	readonly end: () => number;
	/** Copies a part: there may be millions, each of one byte. */
	readonly append: (part: Buffer) => void;
	/** Drops what is before an offset, in blocks. */
	readonly dropBefore: (offset: number) => void;
	readonly read: (from: number, to: number) => Promise<Buffer>;
};

const blockBytes = 64 * 1024;

export function createLogBytes(first: number): LogBytes {
	const blocks: Buffer[] = [];
	let start = first;
	let end = first;
	return {
		start: () => start,
		end: () => end,
		append(part) {
			for (let rest = part; rest.length > 0; ) {
				const used = (end - start) % blockBytes;
				const block = (used > 0 ? blocks.at(-1) : undefined) ?? Buffer.alloc(blockBytes);
				if (used === 0) {
					blocks.push(block);
				}

				const copied = rest.copy(block, used);
				end += copied;
				rest = rest.subarray(copied);
			}
		},
		dropBefore(offset) {
			for (; start + blockBytes <= Math.min(offset, end); start += blockBytes) {
				blocks.shift();
			}
		},
		async read(from, to) {
			const index = Math.floor((from - start) / blockBytes);
			const skipped = start + index * blockBytes;
			const needed = blocks.slice(index, Math.ceil((to - start) / blockBytes));
			return Buffer.concat(needed).subarray(from - skipped, to - skipped);
		},
	};
}

/** Returns the last lines of a log, without their line breaks. */
export function linesOf(bytes: Buffer): readonly string[] {
	return bytes.at(-1) === lineBreak
		? bytes.toString('utf8').slice(0, -1).split('\n')
		: bytes.toString('utf8').split('\n');
}

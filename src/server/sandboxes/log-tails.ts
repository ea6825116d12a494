import type {LogExtent} from './log-window.ts';

/** The most bytes that are kept of the end of a log, and of how many logs. */
const tailBytes = 256 * 1024;
const maxTails = 64;

/** Returns the bytes of a log between two offsets; fewer if some are gone. */
type ReadBytes = (range: LogExtent) => Promise<Buffer>;

/**
 * The ends of logs that are read from a store. Bytes at an offset never change, so that what is appended is read once, whoever
 * follows the log, from whatever offset. Who may read it, and how far it goes, the reader has found out before.
 */
export type LogTails = {
	/** Reads a part of a log whose extent is known. */
	readonly read: (id: string, extent: LogExtent, range: LogExtent, read: ReadBytes) => Promise<Buffer>;
};

type Tail = {readonly start: number; readonly bytes: Buffer};

const endOf = ({start, bytes}: Tail) => start + bytes.length;

export function createLogTails(): LogTails {
	/** The last read of each log, after which the next one begins. */
	const tails = new Map<string, Promise<Tail | undefined>>();

	/** Returns a tail that has a range, too; undefined if a part of it is gone. */
	const extend = async (tail: Tail | undefined, range: LogExtent, read: ReadBytes): Promise<Tail | undefined> => {
		const known = tail && range.start <= endOf(tail) && range.end >= tail.start ? tail : undefined;
		const {start, bytes} = known ?? {start: range.start, bytes: Buffer.alloc(0)};
		const end = start + bytes.length;
		const [before, after] = [
			range.start < start ? await read({start: range.start, end: start}) : Buffer.alloc(0),
			range.end > end ? await read({start: end, end: range.end}) : Buffer.alloc(0),
		];
		const isWhole = before.length === Math.max(0, start - range.start) && after.length === Math.max(0, range.end - end);
		return isWhole ? {start: start - before.length, bytes: Buffer.concat([before, bytes, after])} : undefined;
	};
	const trim = (tail: Tail | undefined): Tail | undefined =>
		tail && tail.bytes.length > 2 * tailBytes
			? {start: endOf(tail) - tailBytes, bytes: Buffer.from(tail.bytes.subarray(-tailBytes))}
			: tail;

	return {
		async read(id, extent, range, read) {
			if (range.start < extent.end - tailBytes || range.start >= range.end) {
				return await read(range);
			}

			const before = tails.get(id) ?? Promise.resolve(undefined);
			const next = before.catch(() => undefined).then(tail => extend(tail, range, read));
			tails.delete(id);
			tails.set(id, next.then(trim));
			next.catch(() => undefined);
			tails.get(id)?.catch(() => undefined);
			if (tails.size > maxTails) {
				// The one that was read least recently is first.
				tails.delete(tails.keys().next().value ?? '');
			}

			const tail = await next;
			return tail ? tail.bytes.subarray(range.start - tail.start, range.end - tail.start) : await read(range);
		},
	};
}

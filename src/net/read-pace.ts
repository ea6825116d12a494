/** How often a body of small pieces is read: as often as the screen draws. */
const intervalMs = 33;
/** A body that has more for a read comes in pieces of at least this, which wait for nothing; zlib's are never larger. */
const largeBytes = 16 * 1024;
/** A short answer is over before its pace is known. */
const minQuickReads = 8;

/**
 * Returns a function that gets the bytes of each read when it has come, and returns how many milliseconds to wait before the
 * next read. A body that comes in many small pieces is read at intervals: each read, with all that follows from it, costs the
 * same for one token as for those of a whole interval.
 */
export function createReadPace(now: () => number = () => performance.now()): (bytes: number) => number {
	let quick = 0;
	let askedAt = now();
	return bytes => {
		const at = now();
		quick = bytes < largeBytes && at - askedAt < intervalMs ? quick + 1 : 0;
		const waitMs = quick < minQuickReads ? 0 : intervalMs;
		askedAt = at + waitMs;
		return waitMs;
	};
}

/** What a server may send at once, and after that in each second. */
const burstBytes = 64 * 1024 * 1024;
const bytesPerSecond = 4 * 1024 * 1024;

/**
 * Creates what tells a server that has much to say from one that never stops. `now` returns a time in milliseconds.
 */
export function createFloodGuard(now: () => number = performance.now.bind(performance)) {
	let left = burstBytes;
	let at = now();
	return {
		/** Counts bytes. Returns false once there are too many. */
		allows(bytes: number): boolean {
			const time = now();
			left = Math.min(burstBytes, left + ((time - at) / 1000) * bytesPerSecond) - bytes;
			at = time;
			return left >= 0;
		},
	};
}

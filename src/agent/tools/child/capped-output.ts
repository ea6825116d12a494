/** Creates a buffer that keeps the head and the tail of an output, and drops and counts the bytes in between. */
export function createCappedOutput(maxBytes: number) {
	const half = Math.ceil(maxBytes / 2);
	const head: Buffer[] = [];
	const tail: Buffer[] = [];
	let headSize = 0;
	let tailSize = 0;
	let dropped = 0;

	return {
		add(chunk: Buffer): void {
			const room = Math.max(0, half - headSize);
			if (room > 0) {
				head.push(chunk.subarray(0, room));
				headSize += Math.min(room, chunk.length);
			}

			const rest = chunk.subarray(room);
			if (rest.length > 0) {
				tail.push(rest);
				tailSize += rest.length;
			}

			for (let first = tail[0]; first && tailSize > half; first = tail[0]) {
				const excess = Math.min(first.length, tailSize - half);
				tail.splice(0, 1, ...(excess < first.length ? [first.subarray(excess)] : []));
				tailSize -= excess;
				dropped += excess;
			}
		},
		/** Returns the number of dropped bytes. */
		omittedBytes: () => dropped,
		/** Returns what was kept. `between` ends what the head left open. */
		text(between = ''): string {
			if (dropped === 0) {
				return Buffer.concat([...head, ...tail]).toString('utf8');
			}

			const [first, last] = [Buffer.concat(head).toString('utf8'), Buffer.concat(tail).toString('utf8')];
			return `${first}${between}\n[… ${dropped} bytes left out …]\n${last}`;
		},
	};
}

type Handlers = {
	readonly onLine: (line: string) => void;
	/** Called once for each line that is longer than allowed; its bytes are dropped. */
	readonly onTooLong: () => void;
};

/** Longest line without an end, in bytes, that is no half message. */
const maxLastLine = 1000;

/** Creates what splits bytes into lines of UTF-8. Holds at most `maxBytes` of a line that has not ended. */
export function createLineReader(maxBytes: number, {onLine, onTooLong}: Handlers) {
	let held: Buffer[] = [];
	let size = 0;
	let isDropping = false;

	const hold = (part: Buffer) => {
		size += part.length;
		if (size > maxBytes && !isDropping) {
			isDropping = true;
			held = [];
			onTooLong();
		}

		if (!isDropping && part.length > 0) {
			held.push(part);
		}
	};

	return {
		add(chunk: Buffer): void {
			let from = 0;
			for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
				hold(chunk.subarray(from, at));
				if (!isDropping) {
					onLine(Buffer.concat(held).toString('utf8'));
				}

				held = [];
				size = 0;
				isDropping = false;
				from = at + 1;
			}

			hold(chunk.subarray(from));
		},
		/** Passes on a last line that has no end, if it is short. */
		end(): void {
			if (size > 0 && size <= maxLastLine && !isDropping) {
				onLine(Buffer.concat(held).toString('utf8'));
			}

			held = [];
			size = 0;
		},
	};
}

/** Where a reader of a log is: in or after the line number `lines` of those with one time, of which it has `bytes`. */
export type LinePlace = {readonly time: string; readonly lines: number; readonly bytes: number};

/** Reads a log with times, of which it returns the text that is new. */
export type TimedLogReader = {
	readonly read: (part: Buffer) => Buffer;
	/** Where it is; undefined before the first line. */
	readonly place: () => LinePlace | undefined;
};

const lineBreak = 10;

/** The longest time at the beginning of a line: RFC 3339 with nanoseconds and an offset, and a blank. */
const maxTimeBytes = 40;

const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) $/;

/** Returns nanoseconds since the epoch; undefined for other text. */
export function nanosecondsOf(time: string): bigint | undefined {
	const [, seconds, fraction = '', zone] = timePattern.exec(`${time} `) ?? [];
	const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
	return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/**
 * Creates a reader of `log?timestamps=true`, which goes on after a place: a log that is asked for since a time, in whole
 * seconds, repeats lines. A time tells which; of those with the same one, their number, because a log is only added to.
 * `onGap` is called if the place isn't in the log any more.
 */
export function createLogReader(after: LinePlace | undefined, onGap: () => void = () => {}): TimedLogReader {
	const afterAt = after && nanosecondsOf(after.time);
	let isResuming = after !== undefined;
	let seen = 0;
	let place = after;
	let at = afterAt;
	let head = Buffer.alloc(0);
	let isInHead = true;
	/** Bytes of this line that were read before. */
	let skip = 0;

	const beginLine = (time: string) => {
		const time_ = nanosecondsOf(time) ?? at;
		skip = 0;
		if (isResuming && after && afterAt !== undefined && time_ !== undefined) {
			if (time_ < afterAt) {
				skip = Number.POSITIVE_INFINITY;
				return;
			}

			seen += time_ === afterAt ? 1 : 0;
			if (time_ === afterAt && seen < after.lines) {
				skip = Number.POSITIVE_INFINITY;
				return;
			}

			isResuming = false;
			if (time_ === afterAt) {
				skip = after.bytes;
				return;
			}

			if (seen < after.lines) {
				onGap();
			}
		}

		isResuming = false;
		place = {time: time || (place?.time ?? ''), lines: time_ === at && place ? place.lines + 1 : 1, bytes: 0};
		at = time_;
	};

	/** Returns what is new of a piece of a line. */
	const take = (piece: Buffer): Buffer => {
		const fresh = piece.subarray(Math.min(skip, piece.length));
		skip -= Math.min(skip, piece.length);
		if (fresh.length > 0 && place) {
			place = {...place, bytes: place.bytes + fresh.length};
		}

		return fresh;
	};

	return {
		place: () => place,
		read(part) {
			const fresh: Buffer[] = [];
			for (let rest = part; rest.length > 0; ) {
				if (isInHead) {
					const blank = rest.indexOf(32);
					const end = rest.indexOf(lineBreak);
					const stop = blank === -1 || (end !== -1 && end < blank) ? end : blank;
					const piece = stop === -1 ? rest : rest.subarray(0, stop + 1);
					head = Buffer.concat([head, piece]);
					rest = rest.subarray(piece.length);
					if (stop === -1 && head.length < maxTimeBytes) {
						return Buffer.concat(fresh);
					}

					const text = head.toString('latin1');
					const isTime = timePattern.test(text);
					beginLine(isTime ? text.slice(0, -1) : '');
					// A line without a time is a line, too.
					const content = isTime ? Buffer.alloc(0) : head;
					fresh.push(take(content));
					isInHead = content.at(-1) === lineBreak;
					head = Buffer.alloc(0);
					continue;
				}

				const end = rest.indexOf(lineBreak);
				const piece = end === -1 ? rest : rest.subarray(0, end + 1);
				fresh.push(take(piece));
				rest = rest.subarray(piece.length);
				isInHead = end !== -1;
			}

			return Buffer.concat(fresh);
		},
	};
}

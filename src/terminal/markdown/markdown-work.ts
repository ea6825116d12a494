/** A source of this many UTF-16 units is read again whenever that is asked for. */
const free = 1500;
/** How many units may be read again for each one that is new. */
const factor = 16;

/** Decides when a long source may be read again from its beginning, so that reading it stays linear in all that came. */
export type WorkLimit = {
	/** So much is new. */
	readonly earn: (length: number) => void;
	/** True, and paid for, where a source of that length may be read; `reserve` times as much must have been earned. */
	readonly allows: (length: number, reserve: number) => boolean;
};

export function createWorkLimit(): WorkLimit {
	let earned = 0;
	return {
		earn(length) {
			earned += factor * Math.max(0, length);
		},
		allows(length, reserve) {
			if (length <= free) {
				return true;
			}

			if (earned < reserve * length) {
				return false;
			}

			earned -= length;
			return true;
		},
	};
}

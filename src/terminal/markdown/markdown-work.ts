/** A source of at most this many UTF-16 units may always be read again. */
const free = 1500;
/** How many units may be read again for each new one. */
const factor = 16;

/** Decides when a long source may be read again from its beginning, so that all reads take linear time. */
export type WorkLimit = {
	/** Adds the length of new text. */
	readonly earn: (length: number) => void;
	/**
	 * Returns true and subtracts the cost if a source of that length may be read; `reserve` times its length must be
	 * available.
	 */
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

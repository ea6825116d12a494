/** Returns how many of the first items two lists have in common, as the same objects; `known` of them are. */
export function commonStart<Item>(a: readonly Item[], b: readonly Item[], known = 0): number {
	const length = Math.min(a.length, b.length);
	for (let at = known; at < length; at++) {
		if (a[at] !== b[at]) {
			return at;
		}
	}

	return length;
}

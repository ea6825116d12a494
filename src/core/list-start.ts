import {createHash, type Hash} from 'node:crypto';

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

/** A hash that was fed with a list up to its last item. */
type Fed<Item> = {readonly items: readonly Item[]; readonly hash: Hash};

/**
 * Returns a function that returns the SHA-256 of the first `count` items of a list as JSON, in hexadecimal digits. A list
 * that begins as the last one with the same first item did continues it: only the items after that are read. Items must
 * not change; `toText` returns one as JSON.
 */
export function createListHash<Item extends object>(toText: (item: Item) => string = JSON.stringify) {
	const fed = new WeakMap<Item, Fed<Item>>();

	/** Two objects of one message are common: that of a run, and that of the transcript after it. */
	const isSame = (a: Item, b: Item | undefined) => a === b || (b !== undefined && toText(a) === toText(b));

	return (list: readonly Item[], count: number): string => {
		const items = list.slice(0, count);
		const [first] = items;
		const last = first && fed.get(first);
		const continues =
			last && last.items.length <= items.length && last.items.every((item, at) => isSame(item, items[at]));
		const hash = continues ? last.hash : createHash('sha256').update('[');
		const known = continues ? last.items.length : 0;
		const texts = items.slice(known).map(item => toText(item));
		// At once: each call costs as much as hashing a message.
		hash.update(`${known > 0 && texts.length > 0 ? ',' : ''}${texts.join(',')}`);

		if (first) {
			fed.set(first, {items, hash});
		}

		return hash.copy().update(']').digest('hex');
	};
}

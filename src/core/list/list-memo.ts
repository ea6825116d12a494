/**
 * Returns a function like `make`, which makes something of a list that isn't empty. The result for the same items, in the
 * same order, is kept for as long as the first one. Items must not change.
 */
export function createListMemo<Item extends object, Result>(make: (items: readonly Item[]) => Result) {
	const made = new WeakMap<Item, {readonly items: readonly Item[]; readonly result: Result}>();
	return (items: readonly [Item, ...Item[]]): Result => {
		const known = made.get(items[0]);
		if (known?.items.length === items.length && known.items.every((item, at) => item === items[at])) {
			return known.result;
		}

		const result = make(items);
		made.set(items[0], {items, result});
		return result;
	};
}

/** Groups items by a key, in their order. Leaves out items whose key is null. */
export function groupBy<Item, Key>(
	items: Iterable<Item>,
	keyOf: (item: Item) => Key | null,
): ReadonlyMap<Key, readonly Item[]> {
	const groups = new Map<Key, Item[]>();
	for (const item of items) {
		const key = keyOf(item);
		if (key !== null) {
			const group = groups.get(key) ?? [];
			group.push(item);
			groups.set(key, group);
		}
	}

	return groups;
}

/** A row of a list: an entry by its index, or the heading of the group that begins with it. */
type GroupedRow = {readonly index: number; readonly heading?: string};

/** Returns the rows of a list of entries around the chosen one, with headings above the first entries of groups. */
export function rowsAround<Entry extends {readonly group?: string | undefined}>(
	entries: readonly Entry[],
	chosen: number,
	room: number,
): readonly GroupedRow[] {
	// Only what may be shown is looked at: a list may have many entries.
	const from = Math.max(0, chosen - room);
	const rows = entries.slice(from, chosen + room + 1).flatMap(({group}, offset): readonly GroupedRow[] => {
		const index = from + offset;
		const isFirst = group !== undefined && group !== entries[index - 1]?.group;
		return isFirst && room > 1 ? [{index, heading: group}, {index}] : [{index}];
	});
	const at = rows.findIndex(({index, heading}) => index === chosen && heading === undefined);
	const start = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
	return rows.slice(start, start + room);
}

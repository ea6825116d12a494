/** The rest of a paragraph must still be read as text when it stands alone. */
const plainStart = /^[\p{L}("'*_]/u;

/**
 * Finds where the source of a paragraph can be cut so that its first part, drawn alone, is exactly `lines`, the first
 * lines of the whole. Gives the number of UTF-16 units, or undefined where there is no such place: no space, or an
 * emphasis or a link that goes on over the cut.
 */
export function cutParagraph(
	source: string,
	lines: readonly string[],
	render: (source: string) => readonly string[],
): number | undefined {
	const places = Array.from(source.matchAll(/\s+/g), ({0: space, index}) => index + space.length);
	let low = 0;
	let high = places.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (render(source.slice(0, places[middle])).length > lines.length) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	const place = places[low - 1];
	if (place === undefined || !plainStart.test(source.slice(place, place + 2))) {
		return undefined;
	}

	const drawn = render(source.slice(0, place));
	const same = drawn.length === lines.length && drawn.every((line, index) => line === lines[index]);
	return same ? place : undefined;
}

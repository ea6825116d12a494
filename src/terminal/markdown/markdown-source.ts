/** The source up to the end of its first line. */
export function nextLine(text: string): string {
	const end = text.indexOf('\n');
	return end === -1 ? text : text.slice(0, end);
}

/** How many lines end in the source. */
export function countLines(text: string): number {
	let count = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
		count++;
	}

	return count;
}

/** How much of the source tokens take, in UTF-16 units. */
export function sourceLength(parts: readonly {readonly raw: string}[]): number {
	return parts.reduce((length, {raw}) => length + raw.length, 0);
}

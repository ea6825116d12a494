/** The length up to which the engine's own search is fast, whatever the text repeats. */
const maxPlainLength = 64;

/**
 * Yields the indexes of a text in another one, also of matches that overlap. It takes time in proportion to the lengths of both
 * (Knuth, Morris, Pratt): the engine's search of a long text with repeats takes minutes.
 */
export function* indexesOf(text: string, wanted: string): Generator<number> {
	if (wanted.length <= maxPlainLength) {
		for (let at = text.indexOf(wanted); at >= 0 && wanted; at = text.indexOf(wanted, at + 1)) {
			yield at;
		}

		return;
	}

	const borders = bordersOf(wanted);
	let matched = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		while (matched > 0 && wanted.charCodeAt(matched) !== code) {
			matched = borders[matched - 1] ?? 0;
		}

		matched += wanted.charCodeAt(matched) === code ? 1 : 0;
		if (matched === wanted.length) {
			yield at + 1 - matched;
			matched = borders[matched - 1] ?? 0;
		}
	}
}

/** Returns for each beginning of a text the length of the longest shorter one that it also ends with. */
function bordersOf(text: string): Int32Array {
	const borders = new Int32Array(text.length);
	let length = 0;
	for (let at = 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		while (length > 0 && text.charCodeAt(length) !== code) {
			length = borders[length - 1] ?? 0;
		}

		length += text.charCodeAt(length) === code ? 1 : 0;
		borders[at] = length;
	}

	return borders;
}

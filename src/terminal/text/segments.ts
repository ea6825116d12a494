let segmenter: Intl.Segmenter | undefined;

/** UTF-16 units that are segmented at once: V8 needs time for each segment that grows with the length of the text. */
const usualWindow = 4096;

/** Yields the graphemes of a text (UAX #29), in time that grows with its length. Together they are the text. */
export function* graphemeSegments(text: string): Generator<string> {
	segmenter ??= new Intl.Segmenter('en', {granularity: 'grapheme'});
	let size = usualWindow;
	for (let start = 0; start < text.length; ) {
		const end = windowEnd(text, start + size);
		const segments = Array.from(segmenter.segment(text.slice(start, end)), ({segment}) => segment);
		// The last one may continue behind the window. What comes before a boundary doesn't change the ones behind it.
		const whole = end === text.length ? segments : segments.slice(0, -1);
		yield* whole;
		start = end === text.length ? end : end - (segments.at(-1)?.length ?? 0);
		size = whole.length > 0 ? usualWindow : size * 2;
	}
}

/** Returns the end of a window, which doesn't split a surrogate pair. */
function windowEnd(text: string, end: number): number {
	const isSplit = (text.codePointAt(end - 1) ?? 0) > 0xffff;
	return Math.min(text.length, isSplit ? end + 1 : end);
}

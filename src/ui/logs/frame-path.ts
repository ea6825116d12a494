import type {Span} from '../../terminal/text/sgr.ts';

/** Fewest characters that are left of a path. */
const minPathLength = 8;

/**
 * Returns the spans of a stack frame in at most `room` cells by leaving out the start of its path, because the file and the
 * line stand at the end. Returns them as they are if that's not enough, or if the frame has other than ASCII characters.
 */
export function withoutPathStart(spans: readonly Span[], room: number): readonly Span[] {
	const text = spans.map(span => span.text).join('');
	const [path = '', at = 0] = pathIn(text);
	const left = text.length + 1 - room;
	return left > 1 && left <= path.length - minPathLength && /^[ -~]*$/.test(text)
		? [
				...slice(spans, 0, at),
				...slice(spans, at, at + 1).map(span => ({...span, text: '…'})),
				...slice(spans, at + left),
			]
		: spans;
}

/** Returns the first word with a slash and its offset. No word is read twice: a hostile log line is one word of any length. */
function pathIn(text: string): readonly [path?: string, at?: number] {
	for (const {0: word, index} of text.matchAll(/[^\s("]+/g)) {
		if (/[\\/]/.test(word)) {
			return [word, index];
		}
	}

	return [];
}

function slice(spans: readonly Span[], start: number, end = Number.POSITIVE_INFINITY): readonly Span[] {
	let offset = 0;
	return spans.flatMap(span => {
		const text = span.text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
		offset += span.text.length;
		return text === '' ? [] : [{...span, text}];
	});
}

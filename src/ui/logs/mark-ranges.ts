import type {Range} from '../../logs/matcher.ts';
import type {Span} from '../../terminal/text/sgr.ts';

/**
 * Returns the spans with `mark` applied to what is in one of the ranges of their whole text, and without empty ones. The
 * ranges are in order and apart. One pass, because a line may have 200 of them, and a frame many lines.
 */
export function markRanges(
	spans: readonly Span[],
	ranges: readonly Range[],
	mark: (span: Span) => Span,
): readonly Span[] {
	const parts: Span[] = [];
	let begin = 0;
	let next = 0;
	for (const span of spans) {
		const end = begin + span.text.length;
		let done = begin;
		const add = (to: number, change?: typeof mark) => {
			if (to > done) {
				const part = {...span, text: span.text.slice(done - begin, to - begin)};
				parts.push(change ? change(part) : part);
				done = to;
			}
		};
		for (let range = ranges[next]; range && range[0] < end; range = ranges[++next]) {
			add(range[0]);
			add(Math.min(range[1], end), mark);
			if (range[1] > end) {
				break;
			}
		}

		add(end);
		begin = end;
	}

	return parts;
}

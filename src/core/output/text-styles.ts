/** A part of a line in one style: from `start` up to `end` in its text, in UTF-16 units. */
export type StyleRange = {
	readonly start: number;
	readonly end: number;
	/** The parameters of an SGR sequence (ECMA-48, 8.3.117), such as `1;31`. */
	readonly codes: string;
};

/** A text without escape sequences, and the styles that they gave to its parts, in order. */
export type StyledText = {readonly text: string; readonly styles: readonly StyleRange[]};

/** Most ranges that are kept with a text: more would cost more than they show. */
const maxRanges = 4000;

const written = /(?<!\S)(\d{1,9})\+(\d{1,9}):(\d[\d;]{0,31})(?!\S)/g;

/** Returns ranges as they are recorded, such as `0+3:31 9+4:1;32`: only the first ones of very many, nothing for none. */
export function recordedStyles(styles: readonly StyleRange[]): {readonly styles?: string} {
	const kept = styles.slice(0, maxRanges).map(({start, end, codes}) => `${start}+${end - start}:${codes}`);
	return kept.length > 0 ? {styles: kept.join(' ')} : {};
}

/** Reads recorded ranges. Skips what isn't one, and those that overlap an earlier one. */
export function readStyles(text: string | undefined): readonly StyleRange[] {
	const ranges: StyleRange[] = [];
	let last = 0;
	for (const [, from, length, codes = ''] of text?.matchAll(written) ?? []) {
		const start = Number(from);
		if (start >= last) {
			last = start + Number(length);
			ranges.push({start, end: last, codes});
		}
	}

	return ranges;
}

/** Returns the ranges from `start` up to `end` as those of a text in which `start` is at `at`. */
export function sliceStyles(
	styles: readonly StyleRange[],
	{start, end, at = 0}: {readonly start: number; readonly end: number; readonly at?: number},
): readonly StyleRange[] {
	const by = at - start;
	return styles.flatMap(range => {
		const from = Math.max(start, range.start);
		const to = Math.min(end, range.end);
		return from < to ? [{start: from + by, end: to + by, codes: range.codes}] : [];
	});
}

/** Returns a part of a text with its styles. */
export function sliceStyled({text, styles}: StyledText, start: number, end = text.length): StyledText {
	return {text: text.slice(start, end), styles: sliceStyles(styles, {start, end})};
}

/** Joins texts; strings have no style. */
export function joinStyled(parts: ReadonlyArray<StyledText | string>): StyledText {
	let text = '';
	const styles: StyleRange[] = [];
	for (const part of parts) {
		const piece = typeof part === 'string' ? {text: part, styles: []} : part;
		for (const {start, end, codes} of piece.styles) {
			styles.push({start: start + text.length, end: end + text.length, codes});
		}

		text += piece.text;
	}

	return {text, styles};
}

/** Returns the styles of a text that has lines of its own in `whole`, as those of `whole`; none if it isn't in it. */
export function stylesIn(whole: string, {text, styles}: StyledText): readonly StyleRange[] {
	const at = text && styles.length > 0 ? `\n${whole}\n`.indexOf(`\n${text}\n`) : -1;
	return at < 0 ? [] : sliceStyles(styles, {start: 0, end: text.length, at});
}

/**
 * Returns a text after `hide`, which replaces parts of lines. A changed line keeps the styles before its first and behind
 * its last change.
 */
export function hideStyled({text, styles}: StyledText, hide: (text: string) => string): StyledText {
	const hidden = hide(text);
	return {text: hidden, styles: hidden === text ? styles : alignStyles(text, hidden, styles)};
}

/** Returns the styles of a text as those of what became of it line by line; none if lines were added or left out. */
function alignStyles(before: string, after: string, styles: readonly StyleRange[]): readonly StyleRange[] {
	const [old, now] = [before.split('\n'), after.split('\n')];
	if (styles.length === 0 || old.length !== now.length) {
		return [];
	}

	const aligned: StyleRange[] = [];
	let [index, start, at] = [0, 0, 0];
	for (const [number, line] of old.entries()) {
		const changed = now[number] ?? '';
		const end = start + line.length;
		const first = index;
		while ((styles[index]?.end ?? Number.POSITIVE_INFINITY) <= end) {
			index++;
		}

		const own = styles.slice(first, index);
		const head = line === changed ? line.length : sameAtStart(line, changed);
		const tail = sameAtEnd(line, changed, head);
		aligned.push(
			...sliceStyles(own, {start, end: start + head, at}),
			...sliceStyles(own, {start: end - tail, end, at: at + changed.length - tail}),
		);
		start = end + 1;
		at += changed.length + 1;
	}

	return aligned;
}

function sameAtStart(one: string, other: string): number {
	let length = 0;
	while (length < one.length && one[length] === other[length]) {
		length++;
	}

	return length;
}

/** Returns how many characters both have in common at their end, behind the first `head` ones. */
function sameAtEnd(one: string, other: string, head: number): number {
	const most = Math.min(one.length, other.length) - head;
	let length = 0;
	while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) {
		length++;
	}

	return length;
}

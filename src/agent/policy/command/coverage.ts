/** What may stand between words and redirections: blanks, list and pipe operators, and comments. */
const between = /^(?:[ \t\n;|]|&&|\\\n)*$/;
const comment = /(?<=[ \t\n;])#[^\n]*/g;

/**
 * True if nothing but operators that `parseCommand` understands stands outside of the ranges: a check of the parser, so
 * that a part which it overlooks is never taken for nothing.
 */
export function coversAll(text: string, ranges: ReadonlyArray<readonly [start: number, end: number]>): boolean {
	let at = 0;
	for (const [start, end] of [...ranges.toSorted(([a], [b]) => a - b), [text.length, text.length] as const]) {
		// A comment begins after a blank, never in a word: the character before the gap counts.
		const gap = `${at === 0 ? '\n' : text.charAt(at - 1)}${text.slice(at, start)}`;
		if (start < at || !between.test(gap.replace(comment, '').slice(1))) {
			return false;
		}

		at = end;
	}

	return true;
}

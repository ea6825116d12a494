/** Sequences that set colours (ECMA-48, 8.3.117). What draws them leaves the text on both sides side by side. */
export const colorSequence = '\\x1B\\[[0-9;:]*m';

const sequences = new RegExp(colorSequence, 'g');

/** Returns a text without the sequences that set colours. */
export function withoutColors(text: string): string {
	return text.includes('\u001B') ? text.replace(sequences, '') : text;
}

/**
 * Returns lines after `hide`, which hides credentials in them, also in those with colours inside or before them: a line of
 * which it would hide less with its colours loses them.
 */
export function hideAcross(
	lines: readonly string[],
	hide: (lines: readonly string[]) => readonly string[],
): readonly string[] {
	const hidden = hide(lines);
	if (!lines.some(line => line.includes('\u001B'))) {
		return hidden;
	}

	const plain = lines.map(withoutColors);
	return hide(plain).map((safe, index) => {
		const shown = hidden[index] ?? '';
		return safe === plain[index] || safe === withoutColors(shown) ? shown : safe;
	});
}

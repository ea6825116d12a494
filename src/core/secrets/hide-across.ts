import {withoutColors} from '../output/color-sequences.ts';

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

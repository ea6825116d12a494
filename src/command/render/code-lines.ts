import {darkOnLight, type Palette} from '../../terminal/text/style.ts';

/** A QR code with its margin: true for a dark module. */
export type QrCode = readonly (readonly boolean[])[];

/**
 * Returns the lines of a QR code, two modules in each cell. Its colours are dark on light whatever the terminal's are; without colour,
 * for a screen reader and where it would be cut, there are no lines: whoever shows a code shows its text, too.
 */
export function codeLines(code: QrCode, width: number, {color, spoken}: Palette): readonly string[] {
	if (!color || spoken || (code[0]?.length ?? 0) > width) {
		return [];
	}

	const lines: string[] = [];
	for (let row = 0; row < code.length; row += 2) {
		const cells = (code[row] ?? []).map((upper, column) => {
			const lower = code[row + 1]?.[column] ?? false;
			return upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
		});
		lines.push(darkOnLight(cells.join('')));
	}

	return lines;
}

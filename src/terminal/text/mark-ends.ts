import {paintPieces, parsePieces} from './ansi.ts';
import type {Palette} from './style.ts';
import {graphemesOf} from './width.ts';
import {continues} from './wrap.ts';

/**
 * Marks the rows of a broken line: the last cell of each that continues in the next row is inverse, since a sign would be copied
 * with the text.
 */
export function markEnds(rows: readonly string[], palette: Palette): readonly string[] {
	return rows.map((row, index) => (index < rows.length - 1 && palette.color ? withMarkedEnd(row, palette) : row));
}

function withMarkedEnd(row: string, palette: Palette): string {
	const pieces = parsePieces(row.replace(continues, ''));
	const last = pieces.at(-1);
	const end = graphemesOf(last?.text ?? '').at(-1);
	if (!last || !end) {
		return row;
	}

	const rest = {...last, text: last.text.slice(0, -end.length)};
	const marked = palette.mark(paintPieces([{...last, text: end}]));
	return paintPieces([...pieces.slice(0, -1), rest]) + marked + (row.endsWith(continues) ? continues : '');
}

import {type Piece, paintPieces, parsePieces} from './ansi.ts';
import {graphemesOf, graphemeWidth, lineWidth} from './width.ts';

/**
 * Returns the cells of a line, with or without our own sequences, from column `from` up to `to`. A wide character that is
 * cut leaves spaces.
 */
export function sliceLine(line: string, from: number, to = Number.POSITIVE_INFINITY): string {
	if (from <= 0 && (to === Number.POSITIVE_INFINITY || lineWidth(line) <= to)) {
		return line;
	}

	const kept: Piece[] = [];
	let column = 0;
	for (const piece of parsePieces(line)) {
		let text = '';
		for (const grapheme of graphemesOf(piece.text)) {
			const end = column + graphemeWidth(grapheme);
			const isWhole = column >= from && column < to && end <= to;
			text += isWhole ? grapheme : ' '.repeat(Math.max(0, Math.min(end, to) - Math.max(column, from)));
			column = end;
		}

		kept.push({...piece, text});
	}

	return paintPieces(kept);
}

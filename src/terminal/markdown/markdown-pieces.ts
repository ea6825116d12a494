/**
 * The characters that inline styles, links and character references begin with. Most text has none and needs no lexer.
 */
const special = /[\\`*_~[<&:@]|www\./i;

/** Least UTF-16 units of a piece, so that no table or heading begins in one that is already drawn. */
export const minPieceLength = 80;
/** Most units of a piece of plain text without spaces. */
const maxPlainLength = 400;
/** A longer piece is cut anywhere: the search for inline styles takes more than linear time. */
const maxPieceLength = 4000;
/** How far behind the longest piece to look for a place between two characters. */
const reach = 64;

/** True for text without inline styles, links and character references. */
export function isPlain(text: string): boolean {
	return !special.test(text);
}

/**
 * Returns where the piece of a text that begins at `start` ends, or undefined if that depends on later text. Inline
 * styles stay within a piece. The end never depends on text after it, so that a stream cuts a text as if it were whole.
 * `isClosed` returns false if a style that is open at the end of a piece could still be closed.
 */
export function pieceEnd(text: string, start: number, isClosed: (piece: string) => boolean): number | undefined {
	const most = start + (isPlain(text.slice(start, start + maxPlainLength)) ? maxPlainLength : maxPieceLength);
	// A search of the whole text would take as long for each piece, if no space is left.
	const window = text.slice(start, most + 1);
	const places = /[^\s\\](?=[ \n])/g;
	places.lastIndex = minPieceLength;
	let next = 0;
	for (let place = places.exec(window); place; place = places.exec(window)) {
		const length = place.index + 1;
		if (length >= next) {
			const piece = window.slice(0, length);
			if (isPlain(piece) || isClosed(piece)) {
				return start + length;
			}

			// Each further check costs as much as the piece is long, so there are few.
			next = length + (length >> 1);
		}
	}

	return text.length > most + reach ? hardEnd(text, most) : undefined;
}

/** Returns the next place between two ASCII characters, or one that splits no surrogate pair. */
function hardEnd(text: string, from: number): number {
	const found = text.slice(from - 1, from + reach).search(/[!-~]{2}/);
	if (found !== -1) {
		return from + found;
	}

	return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

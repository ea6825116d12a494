/** What inline styles, links and character references begin with. Most text has none of it, and needs no lexer. */
const special = /[\\`*_~[<&:@]|www\./i;

/** A piece has at least this many UTF-16 units, so that no table or heading begins in one that is drawn already. */
export const leastPiece = 80;
/** Where a text without spaces is parted that holds nothing special. */
const longestPlain = 400;
/** A longer piece is parted wherever it is: the search for inline styles takes more than linear time. */
const longestPiece = 4000;
/** How far behind the longest piece a place may be looked for that parts no character. */
const reach = 64;

/** True for text that holds no inline style, link or character reference. */
export function isPlain(text: string): boolean {
	return !special.test(text);
}

/**
 * Returns where the piece of a text that begins at `start` ends, or undefined if what is known of the text does not say.
 * Inline styles stay within a piece. The end depends on nothing behind it, so that a stream parts a text as it is parted
 * when it is whole. `isClosed` tells whether a style that is open at the end of a piece could still be closed.
 */
export function pieceEnd(text: string, start: number, isClosed: (piece: string) => boolean): number | undefined {
	const most = start + (isPlain(text.slice(start, start + longestPlain)) ? longestPlain : longestPiece);
	const places = /[^\s\\](?=[ \n])/g;
	places.lastIndex = start + leastPiece;
	let next = 0;
	for (let place = places.exec(text); place && place.index < most; place = places.exec(text)) {
		const end = place.index + 1;
		if (end >= next) {
			const piece = text.slice(start, end);
			if (isPlain(piece) || isClosed(piece)) {
				return end;
			}

			// Each further look costs as much as the piece is long: there are few of them.
			next = end + (piece.length >> 1);
		}
	}

	return text.length > most + reach ? hardEnd(text, most) : undefined;
}

/** The next place between two characters of ASCII, or one that parts no surrogate pair. */
function hardEnd(text: string, from: number): number {
	const found = text.slice(from - 1, from + reach).search(/[!-~]{2}/);
	if (found !== -1) {
		return from + found;
	}

	return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

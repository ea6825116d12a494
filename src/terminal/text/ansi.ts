/** Ends every style that we write. Lines contain no other sequence that ends a style. */
export const reset = '\u001B[0m';

const sequences = /\u001B\[([0-9;:]*)m|\u001B\]8;[^;\u0007\u001B]*;([^\u0007\u001B]*)(?:\u001B\\|\u0007)/g;

/** A part of a line in one style. Only for lines that our own code styled: their sequences are not checked. */
export type Piece = {
	readonly text: string;
	/** The SGR sequences in effect, in order; empty for plain text. */
	readonly sgr: string;
	/** The target of the hyperlink (OSC 8) that contains the text; empty outside of links. */
	readonly link: string;
};

/** Splits a line into pieces. Adjacent pieces differ in style; none is empty. */
export function parsePieces(line: string): readonly Piece[] {
	const pieces: Piece[] = [];
	let at = 0;
	let sgr = '';
	let link = '';
	const take = (text: string) => {
		if (text) {
			pieces.push({text, sgr, link});
		}
	};

	if (line.includes('\u001B')) {
		for (const match of line.matchAll(sequences)) {
			const [sequence, parameters] = match;
			take(line.slice(at, match.index));
			at = match.index + sequence.length;
			if (parameters === undefined) {
				link = match[2] ?? '';
			} else {
				sgr = parameters === '' || parameters === '0' ? '' : sgr + sequence;
			}
		}
	}

	take(line.slice(at));
	return pieces;
}

/** Joins pieces to a line; closes each style and link at the end of its piece. */
export function paintPieces(pieces: readonly Piece[]): string {
	let line = '';
	for (const {text, sgr, link} of pieces) {
		if (text) {
			const styled = sgr ? `${sgr}${text}${reset}` : text;
			line += link ? hyperlink(styled, link) : styled;
		}
	}

	return line;
}

/** Returns text as a hyperlink (OSC 8). The caller has checked that `url` is printable ASCII with an allowed scheme. */
export function hyperlink(text: string, url: string): string {
	return `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\`;
}

/** Returns the line without our sequences. */
export function plainText(line: string): string {
	return line.includes('\u001B') ? line.replace(sequences, '') : line;
}

/** Ends every style that we write. Lines hold no other sequence that switches a style off. */
export const reset = '\u001B[0m';

const sequences = /\u001B\[([0-9;:]*)m|\u001B\]8;[^;\u0007\u001B]*;([^\u0007\u001B]*)(?:\u001B\\|\u0007)/g;

/** A stretch of a line in one style. Only for lines that our own code styled: nothing in here is checked. */
export type Piece = {
	readonly text: string;
	/** The SGR sequences in force, in the order in which they came; empty for plain text. */
	readonly sgr: string;
	/** The target of the hyperlink (OSC 8) that the text belongs to; empty outside of links. */
	readonly link: string;
};

/** Takes a line apart into pieces. Adjacent pieces differ in style; there is no empty one. */
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

/** Writes pieces as a line; each style and link is closed where its piece ends. */
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

/** Text as a hyperlink (OSC 8). The caller has checked `url`: printable ASCII of a scheme that may be opened. */
export function hyperlink(text: string, url: string): string {
	return `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\`;
}

/** The line without our sequences. */
export function plainText(line: string): string {
	return line.includes('\u001B') ? line.replace(sequences, '') : line;
}

const sgr = /\u001B\[([0-9;:]*)m/y;
const escapeCode = 0x1b;
const promptSign = '❯'.charCodeAt(0);

/** A place in two rows up to which they are alike. */
type Place = {
	/** In UTF-16 units. */
	readonly at: number;
	readonly column: number;
	/** The styles in effect there, as the sequences that switch them on. */
	readonly styles: string;
};

/**
 * Returns the bytes that turn a row on the terminal into another, with the cursor anywhere in that row. Cells at the start
 * that stay are not written, if it is certain how many cells they take in any terminal.
 */
export function rowChange(shown: string, row: string): string {
	if (shown === '') {
		return `\r${row}`;
	}

	const {at, column, styles} = commonPlace(shown, row);
	if (column === 0) {
		// Erase first: after a row as wide as the window, some terminals would erase its last character.
		return `\r\u001B[2K${row}`;
	}

	const erase = isBlank(shown, at) ? '' : '\u001B[K';
	const rest = isBlank(row, at) ? '' : styles + row.slice(at);
	return `\u001B[${column + 1}G${erase}${rest}`;
}

function commonPlace(shown: string, row: string): Place {
	let place: Place = {at: 0, column: 0, styles: ''};
	let beforeLast = place;
	for (;;) {
		const {at, column, styles} = place;
		const code = shown.charCodeAt(at);
		if (code === escapeCode) {
			sgr.lastIndex = at;
			const [sequence = '', parameters = ''] = sgr.exec(shown) ?? [];
			if (sequence === '' || !row.startsWith(sequence, at)) {
				break;
			}

			const isReset = parameters === '' || parameters === '0';
			place = {at: at + sequence.length, column, styles: isReset ? '' : styles + sequence};
		} else if (isCertain(code) && code === row.charCodeAt(at)) {
			beforeLast = place;
			place = {at: at + 1, column: column + 1, styles};
		} else {
			break;
		}
	}

	// The next character may be a mark that belongs to the last one.
	return mayJoin(shown, place.at) || mayJoin(row, place.at) ? beforeLast : place;
}

/** Returns true for a character that takes one cell in every terminal. */
function isCertain(code: number): boolean {
	return (code >= 0x20 && code < 0x7f) || code === promptSign;
}

function mayJoin(line: string, at: number): boolean {
	const code = line.charCodeAt(at);
	return at < line.length && code !== escapeCode && !isCertain(code);
}

/** Returns true if nothing but styles follows. */
function isBlank(line: string, at: number): boolean {
	return line.slice(at).replace(/\u001B\[[0-9;:]*m/g, '') === '';
}

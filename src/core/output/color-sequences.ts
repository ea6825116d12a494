/** A sequence that sets colours (ECMA-48, 8.3.117), as the source of a regular expression. */
export const colorSequence = '\\x1B\\[[0-9;:]*m';

const sequences = new RegExp(colorSequence, 'g');

/** Returns a text without the sequences that set colours. Everything else stays, also what a terminal would obey. */
export function withoutColors(text: string): string {
	return text.includes('\u001B') ? text.replace(sequences, '') : text;
}

/** Our own sequences, in the first group, and any other character that begins or ends a sequence. */
const sequences =
	/(\u001B\[[\d:;]*m|\u001B\]8;[^\u0007\u001B\u0080-\u009F]*(?:\u001B\\|\u0007))|[\u001B\u0080-\u009F]/g;
const anySequence = /[\u001B\u0080-\u009F]/;

/**
 * Returns a text with our own colour and link sequences, and without the characters that begin any other. In place of Ink's
 * own, which takes each text apart into tokens, twice a frame.
 */
export function finishedText(text: string): string {
	return anySequence.test(text) ? text.replace(sequences, '$1') : text;
}

/** Quotes text as one word of a shell line if needed. */
export function shellWord(text: string): string {
	return /^[\w./~:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

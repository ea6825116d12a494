/** In UTF-8. The sequence stays below the 100,000 bytes that terminals accept. */
const maxCopyBytes = 74_000;

/** Returns the sequence that copies a text, '' for one that is too long. */
export function copySequence(text: string): string {
	const bytes = Buffer.from(text, 'utf8');
	return bytes.length > maxCopyBytes ? '' : `\u001b]52;c;${bytes.toString('base64')}\u001b\\`;
}

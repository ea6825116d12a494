import {createHash} from 'node:crypto';

/**
 * Returns a UUID derived from words, in the form of version 8 (RFC 9562, section 5.8). The same words always give the
 * same id.
 */
export function derivedId(...words: readonly string[]): string {
	const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex');
	const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

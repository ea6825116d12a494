/** No bytes of an unfinished character. */
export const noBytes = new Uint8Array(0);

/**
 * Decodes `bytes` behind those that an earlier call held back. Returns the text, and the bytes of an unfinished character
 * at the end for the next call. Malformed bytes become U+FFFD, the same at any chunking: a piece is only cut before a lead
 * byte, where every decoder starts over (WHATWG Encoding, UTF-8 decoder). TextDecoder would swallow byte order marks.
 */
export function decodePiece(held: Uint8Array, bytes: Uint8Array): {readonly text: string; readonly held: Uint8Array} {
	const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
	const cut = whole.length - unfinished(whole);
	return {
		text: decode(cut === whole.length ? whole : whole.subarray(0, cut)),
		// A copy, since the stream may reuse its buffer.
		held: cut === whole.length ? noBytes : new Uint8Array(whole.subarray(cut)),
	};
}

/** Returns the text of all these bytes, with U+FFFD for an unfinished character. */
export function decode(bytes: Uint8Array): string {
	return bytes.length === 0 ? '' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Returns how many bytes follow this lead byte; 0 for a byte that leads nothing. */
export function continuationsOf(byte: number): number {
	return byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

/** Returns how many bytes at the end are the beginning of a character. */
export function unfinished(bytes: Uint8Array): number {
	for (let count = 1; count <= Math.min(3, bytes.length); count++) {
		const byte = bytes[bytes.length - count] ?? 0;
		if (byte < 0x80 || byte >= 0xc0) {
			return continuationsOf(byte) >= count ? count : 0;
		}
	}

	return 0;
}

/** Decodes UTF-8 that comes in pieces. */
export type Utf8 = {
	/** The text of these bytes; an unfinished character at their end waits for the next ones. */
	readonly push: (bytes: Uint8Array) => string;
	/** The bytes of the unfinished character that waits. */
	readonly held: () => Uint8Array;
	/** Forgets them: they belong to something else. */
	readonly drop: () => void;
	/** What is left when no more bytes belong to this text: U+FFFD for an unfinished character, mostly nothing. */
	readonly end: () => string;
};

/**
 * Malformed bytes become U+FFFD, the same ones at any chunking: a piece is cut before a lead byte only, where every
 * decoder starts anew (WHATWG Encoding, UTF-8 decoder). TextDecoder's own streaming would swallow byte order marks.
 */
export function createUtf8(): Utf8 {
	let held: Uint8Array = new Uint8Array(0);

	return {
		push(bytes) {
			const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
			const cut = whole.length - unfinished(whole);
			held = new Uint8Array(whole.subarray(cut));
			return decode(whole.subarray(0, cut));
		},
		held: () => held,
		drop() {
			held = held.subarray(0, 0);
		},
		end() {
			const text = decode(held);
			held = held.subarray(0, 0);
			return text;
		},
	};
}

/** How many bytes follow this lead byte; 0 for a byte that leads nothing. */
export function continuationsOf(byte: number): number {
	return byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

/** How many bytes at the end are the beginning of a character. */
export function unfinished(bytes: Uint8Array): number {
	for (let count = 1; count <= Math.min(3, bytes.length); count++) {
		const byte = bytes[bytes.length - count] ?? 0;
		if (byte < 0x80 || byte >= 0xc0) {
			return continuationsOf(byte) >= count ? count : 0;
		}
	}

	return 0;
}

function decode(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

import {mask, type Secret} from '../core/secrets/secret.ts';

/** Shorter secrets are placeholders such as `none` or `ollama`; masking them would spoil ordinary text. */
const minLength = 12;

/** Returns a server's text with a secret replaced by `***`: some errors repeat the key (SAFETY 8). */
export function maskText(text: string, secret: Secret | undefined): string {
	const value = secret?.reveal() ?? '';
	return value.length < minLength ? text : text.replaceAll(value, mask);
}

/** Masks a secret in the bytes of one body, even if it's split over chunks. */
export type BytesMask = {
	/** Returns a chunk as it may be read. Holds back only a possible start of the secret. */
	readonly mask: (chunk: Uint8Array) => readonly Uint8Array[];
	/** Returns what was held back, once the body has ended. */
	readonly end: () => readonly Uint8Array[];
};

/** Creates the mask of a body; undefined for a secret that is too short to be one. */
export function createBytesMask(secret: Secret): BytesMask | undefined {
	const value = Buffer.from(secret.reveal());
	if (value.length < minLength) {
		return undefined;
	}

	let held: Uint8Array = Buffer.alloc(0);
	return {
		mask(chunk) {
			const bytes =
				held.length > 0 ? Buffer.concat([held, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
			const pieces: Uint8Array[] = [];
			let from = 0;
			for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, from)) {
				pieces.push(Buffer.concat([bytes.subarray(from, at), Buffer.from(mask)]));
				from = at + value.length;
			}

			const end = bytes.length - startAtEnd(bytes.subarray(from), value);
			held = bytes.subarray(end);
			if (end > from) {
				pieces.push(bytes.subarray(from, end));
			}

			return pieces;
		},
		end: () => (held.length > 0 ? [held] : []),
	};
}

/** Returns how many bytes at the end of `bytes` are the start of `value`. */
function startAtEnd(bytes: Buffer, value: Buffer): number {
	let length = Math.min(value.length - 1, bytes.length);
	while (length > 0 && !bytes.subarray(bytes.length - length).equals(value.subarray(0, length))) {
		length -= 1;
	}

	return length;
}

import {mask, type Secret} from '../core/secrets/secret.ts';

/** Shorter secrets are placeholders such as `none` or `ollama`; masking them would spoil ordinary text. */
const minLength = 12;

/** Returns a server's text with a secret replaced by `***`: some errors repeat the key (SAFETY 8). */
export function maskText(text: string, secret: Secret | undefined): string {
	const value = secret?.reveal() ?? '';
	return value.length < minLength ? text : text.replaceAll(value, mask);
}

/** Yields bytes with a secret masked, even if it's split over chunks. Holds back only a possible start of the secret. */
export async function* maskBytes(body: AsyncIterable<Uint8Array>, secret: Secret): AsyncGenerator<Uint8Array> {
	const value = Buffer.from(secret.reveal());
	if (value.length < minLength) {
		yield* body;
		return;
	}

	let held: Uint8Array = Buffer.alloc(0);
	for await (const chunk of body) {
		const bytes =
			held.length > 0 ? Buffer.concat([held, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
		let from = 0;
		for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, from)) {
			yield Buffer.concat([bytes.subarray(from, at), Buffer.from(mask)]);
			from = at + value.length;
		}

		const end = bytes.length - startAtEnd(bytes.subarray(from), value);
		held = bytes.subarray(end);
		if (end > from) {
			yield bytes.subarray(from, end);
		}
	}

	if (held.length > 0) {
		yield held;
	}
}

/** Returns how many bytes at the end of `bytes` are the start of `value`. */
function startAtEnd(bytes: Buffer, value: Buffer): number {
	let length = Math.min(value.length - 1, bytes.length);
	while (length > 0 && !bytes.subarray(bytes.length - length).equals(value.subarray(0, length))) {
		length -= 1;
	}

	return length;
}

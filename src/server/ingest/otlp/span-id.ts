/** How many bytes the ids of spans and traces have. */
const idBytes: readonly number[] = [8, 16];

const isHex = (text: string) => /^[\da-f]*$/i.test(text);

/**
 * Returns an id of a span or trace in hex in lower case: from hex, as OTLP has it in JSON, or from base64, as protobuf has
 * bytes in JSON, also if those are the digits of the hex. Any other text is returned as it is.
 */
export function idInHex(given: string): string {
	// A trace id may be written as a UUID.
	const text = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(given) ? given.replaceAll('-', '') : given;
	if (isHex(text) && idBytes.some(bytes => text.length === bytes * 2)) {
		return text.toLowerCase();
	}

	const bytes = /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
	if (idBytes.includes(bytes.length)) {
		const digits = bytes.toString('latin1');
		// Eight bytes of digits could be either; a trace id of eight bytes doesn't exist.
		return bytes.length === 16 && isHex(digits) ? digits.toLowerCase() : bytes.toString('hex');
	}

	return bytes.length === 32 && isHex(bytes.toString('latin1')) ? bytes.toString('latin1').toLowerCase() : text;
}

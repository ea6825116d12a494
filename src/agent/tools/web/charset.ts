/** How far into a page its own encoding is looked for (WHATWG HTML, 13.2.3.2). */
const prescanLength = 1024;

/** How far into a text a NUL character makes it binary: the rule of git and ripgrep. */
const sniffedLength = 8192;

/** Returns the text of a body by its byte order mark, its header, or the page itself; undefined if it is binary. */
export function decodeBody(bytes: Buffer, contentType: string): string | undefined {
	const text = decoderFor(bytes, contentType).decode(bytes);
	return text.slice(0, sniffedLength).includes('\0') ? undefined : text;
}

/** True for bytes that are UTF-8 as a whole, but for a character that was cut at the end. */
export function isUtf8(bytes: Buffer): boolean {
	try {
		new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true});
		return true;
	} catch {
		return false;
	}
}

function decoderFor(bytes: Buffer, contentType: string): TextDecoder {
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
		return new TextDecoder(first === 0xff ? 'utf-16le' : 'utf-16be');
	}

	const declared = /charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(contentType)?.[1];
	const head = bytes.subarray(0, prescanLength).toString('latin1');
	const own = /<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(head)?.[1];
	// A page whose declaration can be read as ASCII is not in UTF-16, whatever it says.
	const label = declared ?? (own && !/^utf-?16/i.test(own) ? own : undefined) ?? 'utf-8';
	try {
		return new TextDecoder(label);
	} catch {
		return new TextDecoder();
	}
}

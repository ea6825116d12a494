/** How the bytes of a text file encode its text. UTF-16 is recognized by its byte order mark only. */
export type Encoding = {readonly name: 'utf-8' | 'utf-16le' | 'utf-16be'; readonly hasMark: boolean};

/** The encoding of new files. */
export const utf8: Encoding = {name: 'utf-8', hasMark: false};

const mark = '\uFEFF';

/** How far into a file a NUL character makes it binary: the rule of git and ripgrep. */
const sniffedLength = 8192;

/** Returns the text of a file, without its byte order mark; undefined for a binary file. */
export function decodeText(bytes: Buffer): {readonly text: string; readonly encoding: Encoding} | undefined {
	const encoding = encodingOf(bytes);
	const whole = encoding.name === 'utf-8' ? bytes.toString('utf8') : utf16(bytes, encoding).toString('utf16le');
	const text = encoding.hasMark ? whole.slice(mark.length) : whole;
	return text.slice(0, sniffedLength).includes('\0') ? undefined : {text, encoding};
}

/** Returns the bytes of a text, with its byte order mark. */
export function encodeText(text: string, {name, hasMark}: Encoding): Buffer {
	const whole = hasMark ? mark + text : text;
	const bytes = Buffer.from(whole, name === 'utf-8' ? 'utf8' : 'utf16le');
	return name === 'utf-16be' ? bytes.swap16() : bytes;
}

function encodingOf(bytes: Buffer): Encoding {
	const [first, second, third] = bytes;
	if (first === 0xff && second === 0xfe) {
		return {name: 'utf-16le', hasMark: true};
	}

	if (first === 0xfe && second === 0xff) {
		return {name: 'utf-16be', hasMark: true};
	}

	return {name: 'utf-8', hasMark: first === 0xef && second === 0xbb && third === 0xbf};
}

/** Returns whole UTF-16 units in little-endian order. */
function utf16(bytes: Buffer, {name}: Encoding): Buffer {
	const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
	return name === 'utf-16be' ? Buffer.from(units).swap16() : units;
}

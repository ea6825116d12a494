import type {LogWindow} from './provider.ts';

/** Maximum bytes of one window, with and without `after`. */
export const maxWindowBytes = 256 * 1024;
const tailBytes = 64 * 1024;

/** Maximum bytes of a UTF-8 character. */
const maxCharacterBytes = 4;

export const lineBreak = 10;

/** The offsets of the oldest byte of a log that can be read, and after the newest one. */
export type LogExtent = {readonly start: number; readonly end: number};

/**
 * Returns a window of a log. With `after`, it starts there; if that part is gone, at the oldest available byte. If the
 * log is shorter, or without `after`, it returns the end of the log from the start of a line. Characters are never
 * split. `read` returns the bytes between two offsets.
 */
export async function windowOf(
	{start, end}: LogExtent,
	read: (from: number, to: number) => Promise<Buffer>,
	after: number | undefined,
): Promise<LogWindow> {
	if (after === undefined || after > end || after < start) {
		const isGone = after !== undefined && after < start;
		const from = isGone ? start : Math.max(start, end - tailBytes);
		const bytes = await read(from, Math.min(end, from + maxWindowBytes));
		return toWindow(bytes, from, from > 0 ? lineStart(bytes) : 0);
	}

	const from = Math.max(start, after - maxCharacterBytes);
	const bytes = await read(from, Math.min(end, after + maxWindowBytes));
	return toWindow(bytes, from, characterStart(bytes, after - from));
}

function toWindow(bytes: Buffer, from: number, skip: number): LogWindow {
	const all = bytes.subarray(skip);
	const whole = bytes.subarray(skip, wholeEnd(bytes));
	const text = whole.toString('utf8');
	const window = {text, start: from + skip, offset: from + skip + whole.length};
	return whole.length < all.length || text.includes('\u{FFFD}') ? {...window, bytes: all} : window;
}

/**
 * Returns the position after the first line break, so that the text doesn't start inside a line. If nothing would be
 * left, returns the first character's.
 */
function lineStart(bytes: Buffer): number {
	const end = bytes.indexOf(lineBreak);
	return end === -1 || end === bytes.length - 1 ? firstLead(bytes) : end + 1;
}

function firstLead(bytes: Buffer): number {
	const index = bytes.subarray(0, maxCharacterBytes).findIndex(byte => !isContinuation(byte));
	return Math.max(0, index);
}

/** Returns the offset, moved back to the start of the character that contains it. */
function characterStart(bytes: Buffer, offset: number): number {
	for (let lead = offset - 1; lead >= Math.max(0, offset - maxCharacterBytes + 1); lead -= 1) {
		const byte = bytes[lead] ?? 0;
		if (!isContinuation(byte)) {
			const inside = lead + lengthOf(byte) > offset && isContinuation(bytes[offset] ?? 0);
			return inside ? lead : offset;
		}
	}

	return offset;
}

/** Returns the end without an incomplete character. */
function wholeEnd(bytes: Buffer): number {
	for (let lead = bytes.length - 1; lead >= Math.max(0, bytes.length - maxCharacterBytes + 1); lead -= 1) {
		const byte = bytes[lead] ?? 0;
		if (!isContinuation(byte)) {
			return lead + lengthOf(byte) > bytes.length ? lead : bytes.length;
		}
	}

	return bytes.length;
}

function isContinuation(byte: number): boolean {
	return (byte & 0xc0) === 0x80;
}

/** Returns the length of a character from its first byte (RFC 3629). */
function lengthOf(lead: number): number {
	return lead >= 0xf5 || lead < 0xc2 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

import {appendFile, mkdir, open, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';
import type {LogWindow} from './provider.ts';

/** Maximum bytes of one response, with and without `after`. */
const maxBytes = 256 * 1024;
const tailBytes = 64 * 1024;

/** Maximum bytes of a UTF-8 character. */
const maxCharacterBytes = 4;

const maxAttempts = 5;

const lineBreak = 10;

type Segment = {readonly path: string; readonly start: number; readonly bytes: number};

/**
 * Reads a log stored as files named by the offset of their first byte. With `after`, the window starts there; if that
 * part is gone, at the oldest available byte. If the log is shorter, or without `after`, it returns the end of the log
 * from the start of a line. Characters are never split. Returns undefined if there is no log.
 */
export async function readLogWindow(folder: string, after?: number): Promise<LogWindow | undefined> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await readOnce(folder, after);
		} catch (error) {
			// The oldest file may be removed during the read; the retry starts later.
			if (errnoOf(error) !== 'ENOENT' || attempt === maxAttempts) {
				throw error;
			}
		}
	}
}

async function readOnce(folder: string, after: number | undefined): Promise<LogWindow | undefined> {
	const segments = await listSegments(folder);
	const [first] = segments;
	const last = segments.at(-1);
	if (!first || !last) {
		return undefined;
	}

	const end = last.start + last.bytes;
	if (after === undefined || after > end || after < first.start) {
		const isGone = after !== undefined && after < first.start;
		const from = isGone ? first.start : Math.max(first.start, end - tailBytes);
		const bytes = await readRange(segments, from, Math.min(end, from + maxBytes));
		return toWindow(bytes, from, from > 0 ? lineStart(bytes) : 0);
	}

	const from = Math.max(first.start, after - maxCharacterBytes);
	const bytes = await readRange(segments, from, Math.min(end, after + maxBytes));
	return toWindow(bytes, from, characterStart(bytes, after - from));
}

/** Appends a line to a log that has no other writer any more. */
export async function appendLine(folder: string, line: string): Promise<void> {
	await mkdir(folder, {recursive: true, mode: 0o700});
	const last = (await listSegments(folder)).at(-1);
	const end = last ? last.start + last.bytes : 0;
	const before = last ? (await readRange([last], end - 1, end))[0] : lineBreak;
	const text = `${before === lineBreak ? '' : '\n'}${line.replaceAll('\n', ' ')}\n`;
	await appendFile(last?.path ?? join(folder, `${'0'.padStart(15, '0')}.log`), text, {mode: 0o600});
}

function toWindow(bytes: Buffer, from: number, skip: number): LogWindow {
	const whole = bytes.subarray(skip, wholeEnd(bytes));
	return {text: whole.toString('utf8'), start: from + skip, offset: from + skip + whole.length};
}

async function listSegments(folder: string): Promise<readonly Segment[]> {
	const names = (await readdir(folder).catch(() => [])).filter(name => /^\d{15}\.log$/.test(name)).sort();
	return await Promise.all(
		names.map(async name => {
			const path = join(folder, name);
			return {path, start: Number.parseInt(name, 10), bytes: (await stat(path)).size};
		}),
	);
}

async function readRange(segments: readonly Segment[], from: number, to: number): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for (const {path, start, bytes} of segments) {
		const begin = Math.max(from, start);
		const length = Math.min(to, start + bytes) - begin;
		if (length > 0) {
			const file = await open(path);
			try {
				const {buffer, bytesRead} = await file.read(Buffer.alloc(length), 0, length, begin - start);
				pieces.push(buffer.subarray(0, bytesRead));
			} finally {
				await file.close();
			}
		}
	}

	return Buffer.concat(pieces);
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

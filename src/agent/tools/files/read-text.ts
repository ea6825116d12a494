import {isUtf8} from 'node:buffer';
import {createHash} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import {AppError} from '../../../core/error.ts';
import {type Bounds, type Guard, type Located, type Opened, openInside} from '../../policy/bounds.ts';

/** Larger files are neither read nor written. */
export const maxFileBytes = 16 * 1024 * 1024;
const minReadBytes = 4096;

/** The text of a file without its byte order mark, and what identifies its content. */
export type FileText = Located & {
	readonly text: string;
	/** Its encoding, unless that is UTF-8 or has a byte order mark. */
	readonly legacy?: string;
	/** Those that it may be in, if none is certain: what can't be read is U+FFFD, and it can't be written. */
	readonly uncertain?: readonly string[];
	/** Returns the bytes of another text in the same encoding. Throws `AppError("usage")` for characters that it has not. */
	readonly encode: (text: string) => Buffer;
	readonly bytes: Buffer;
	readonly hash: string;
};

/**
 * Returns the text of a file of the workspace. Throws `AppError` if it is too large or binary, and like `openInside`.
 */
export async function readText(path: string, bounds: Bounds, signal: AbortSignal, guard?: Guard): Promise<FileText> {
	return readOpened(await openInside(path, bounds, guard), signal);
}

/** Returns the text of an opened file, and closes it. Throws `AppError` if it is too large or binary. */
export async function readOpened(opened: Opened, signal: AbortSignal): Promise<FileText> {
	return textOf(await readFileBytes(opened, signal));
}

/** The bytes of a file. */
type FileBytes = Located & {readonly bytes: Buffer};

/** Returns the bytes of an opened file, and closes it. Throws `AppError` if it is too large. */
export async function readFileBytes({handle, size, real, shown}: Opened, signal: AbortSignal): Promise<FileBytes> {
	try {
		if (size > maxFileBytes) {
			throw new AppError('failed', `“${shown}” is too large to read: ${megabytes(size)} MB.`, {
				hint: 'Files of more than 16 MB are neither read nor searched.',
			});
		}

		return {bytes: await readBytes(handle, size, signal), real, shown};
	} finally {
		await handle.close();
	}
}

/** Returns the text of a file. Throws `AppError` if it is binary. */
export async function textOf({bytes, real, shown}: FileBytes): Promise<FileText> {
	const decoded = decodeText(bytes);
	const file = {bytes, hash: contentHash(bytes), real, shown};
	if (decoded && (decoded.encoding.name !== 'utf-8' || isUtf8(bytes))) {
		return {...file, ...inLines(decoded.text, text => encodeText(text, decoded.encoding))};
	}

	const {decodeLegacy} = await import('./legacy-encoding.ts');
	const legacy = decodeLegacy(bytes);
	if ('text' in legacy) {
		return {...file, ...inLines(legacy.text, legacy.encode), legacy: legacy.encoding};
	}

	if (!decoded) {
		throw new AppError('failed', `“${shown}” is a binary file (${bytes.length} bytes); only text can be read.`);
	}

	return {...file, text: decoded.text, uncertain: legacy, encode: text => encodeText(text, decoded.encoding)};
}

/** Returns a text whose lines end with CR alone, as those of old Macs do, as if they ended with LF. */
function inLines(text: string, encode: FileText['encode']): Pick<FileText, 'text' | 'encode'> {
	return text.includes('\r') && !text.includes('\n')
		? {text: text.replaceAll('\r', '\n'), encode: given => encode(given.replaceAll('\n', '\r'))}
		: {text, encode};
}

/** Returns the hash that identifies the content of a file. */
export function contentHash(bytes: Buffer): string {
	return createHash('sha256').update(bytes).digest('hex');
}

/** Splits text at LF and CRLF, or at `end` alone. A line end at the end of the text begins no further line. */
export function splitLines(text: string, end?: '\n'): readonly string[] {
	const lines = (end ? text : text.replaceAll('\r\n', '\n')).split('\n');
	if (lines.at(-1) === '') {
		lines.pop();
	}

	return lines;
}

/** Returns the number of lines that `splitLines` returns, and those from one index to before another. */
export function linesBetween(text: string, from: number, to: number) {
	let [count, begin, stop] = [0, text.length, 0];
	for (let at = 0; at < text.length; count++) {
		begin = count === from ? at : begin;
		const end = text.indexOf('\n', at);
		at = end === -1 ? text.length : end + 1;
		stop = count < to ? at : stop;
	}

	return {count, lines: splitLines(text.slice(begin, Math.max(begin, stop)))};
}

/** Returns the bytes of a file. Cuts a file that grows while it is read, or that has no size, at the limit. */
async function readBytes(handle: FileHandle, size: number, signal: AbortSignal): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for (;;) {
		signal.throwIfAborted();
		// One byte more than the file's size, so that a short read shows its end.
		const room = Math.min(maxFileBytes + 1 - length, Math.max(size + 1 - length, minReadBytes));
		const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(room), 0, room);
		length += bytesRead;
		chunks.push(buffer.subarray(0, bytesRead));
		if (bytesRead === 0 || length > maxFileBytes) {
			return Buffer.concat(chunks);
		}
	}
}

function megabytes(bytes: number): string {
	return (bytes / 1024 / 1024).toFixed(1);
}

/** How the bytes of a text file encode its text: the byte order marks that it begins with, by the first of which UTF-16 is recognized. */
type Encoding = {readonly name: 'utf-8' | 'utf-16le' | 'utf-16be'; readonly marks: string};

/** The encoding of new files. */
export const utf8: Encoding = {name: 'utf-8', marks: ''};

/** How far into a file a NUL character makes it binary: the rule of git and ripgrep. */
const sniffedLength = 8192;

/** Returns the text of a file, without its byte order marks; undefined for a binary file. */
export function decodeText(bytes: Buffer): {readonly text: string; readonly encoding: Encoding} | undefined {
	const name = encodingOf(bytes);
	const whole = name === 'utf-8' ? bytes.toString('utf8') : utf16(bytes, name).toString('utf16le');
	const text = whole.replace(/^\uFEFF+/, '');
	const marks = whole.slice(0, whole.length - text.length);
	return text.slice(0, sniffedLength).includes('\0') ? undefined : {text, encoding: {name, marks}};
}

/** Returns the bytes of a text, with the byte order marks of its file. */
export function encodeText(text: string, {name, marks}: Encoding): Buffer {
	const whole = marks ? marks + text.replace(/^\uFEFF+/, '') : text;
	const bytes = Buffer.from(whole, name === 'utf-8' ? 'utf8' : 'utf16le');
	return name === 'utf-16be' ? bytes.swap16() : bytes;
}

function encodingOf([first, second]: Buffer): Encoding['name'] {
	if (first === 0xff && second === 0xfe) {
		return 'utf-16le';
	}

	return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Returns whole UTF-16 units in little-endian order. */
function utf16(bytes: Buffer, name: Encoding['name']): Buffer {
	const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
	return name === 'utf-16be' ? Buffer.from(units).swap16() : units;
}

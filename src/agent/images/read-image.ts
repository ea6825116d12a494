import {crc32, inflateSync} from 'node:zlib';
import type {ImageType} from '../../core/session/event.ts';

/** A whole image, without what follows its end. */
export type ImageBytes = {
	readonly type: ImageType;
	readonly width: number;
	readonly height: number;
	readonly bytes: Buffer;
	/** The pages of a PDF. */
	readonly pages?: number;
};

/** Returns the type that the first bytes of a file announce, whatever its name; undefined for no image and no PDF. */
export function announcedType(start: Buffer): ImageType | undefined {
	return isPdf(start) ? 'application/pdf' : formats.find(({isIt}) => isIt(start))?.type;
}

function isPdf(bytes: Buffer): boolean {
	return textAt(bytes, 0, 5) === '%PDF-';
}

/** Where the end mark of a PDF is searched. */
const pdfTail = 2048;

/** Reads a PDF by its bytes: undefined for no PDF, `damaged` for one without its end. */
export function readPdf(bytes: Buffer): ImageBytes | 'damaged' | undefined {
	if (!isPdf(bytes)) {
		return undefined;
	}

	const isWhole = bytes.subarray(-pdfTail).includes('%%EOF');
	return isWhole ? {type: 'application/pdf', width: 0, height: 0, bytes, pages: countPages(bytes)} : 'damaged';
}

/** Reads an image by its bytes, whatever its name: undefined for no image, `damaged` for one without its end. */
export function readImage(bytes: Buffer): ImageBytes | 'damaged' | undefined {
	const found = formats.find(({isIt}) => isIt(bytes));
	if (!found) {
		return undefined;
	}

	const size = found.measure(bytes);
	return size && size.width > 0 && size.height > 0 && size.end <= bytes.length
		? {type: found.type, width: size.width, height: size.height, bytes: bytes.subarray(0, size.end)}
		: 'damaged';
}

type Measured = {readonly width: number; readonly height: number; readonly end: number} | undefined;

const formats: ReadonlyArray<{
	readonly type: ImageType;
	readonly isIt: (bytes: Buffer) => boolean;
	/** Returns the size, and where the image ends; undefined if it doesn't. */
	readonly measure: (bytes: Buffer) => Measured;
}> = [
	{type: 'image/png', isIt: bytes => textAt(bytes, 0, 8) === '\x89PNG\r\n\x1a\n', measure: measurePng},
	{type: 'image/jpeg', isIt: bytes => textAt(bytes, 0, 3) === '\xff\xd8\xff', measure: measureJpeg},
	{type: 'image/gif', isIt: bytes => /^GIF8[79]a$/.test(textAt(bytes, 0, 6)), measure: measureGif},
	{
		type: 'image/webp',
		isIt: bytes => textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 12) === 'WEBP',
		measure: measureWebp,
	},
];

function textAt(bytes: Buffer, start: number, end: number): string {
	return bytes.toString('latin1', start, end);
}

/** Walks the chunks up to the last one, and checks each: a vendor refuses a whole conversation for one that is damaged. */
function measurePng(bytes: Buffer): Measured {
	let size: {width: number; height: number} | undefined;
	let hasData = false;
	for (let at = 8; at + 12 <= bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const name = textAt(bytes, at + 4, at + 8);
		const end = at + 12 + length;
		if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
			return undefined;
		}

		if (name === 'IHDR' && length === 13 && at === 8) {
			size = {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)};
		}

		hasData ||= name === 'IDAT';
		if (name === 'IEND') {
			return size && hasData ? {...size, end} : undefined;
		}

		at = end;
	}

	return undefined;
}

/** Walks the segments; after the start of a scan, the next marker that is no restart and no stuffed byte. */
function measureJpeg(bytes: Buffer): Measured {
	let size: {width: number; height: number} | undefined;
	let at = 2;
	while (at + 2 <= bytes.length) {
		const marker = bytes[at] === 0xff ? bytes[at + 1] : undefined;
		if (marker === undefined) {
			return undefined;
		}

		if (marker === 0xd9) {
			return size && {...size, end: at + 2};
		}

		if (marker === 0xff) {
			at++;
			continue;
		}

		if (at + 4 > bytes.length) {
			return undefined;
		}

		const length = bytes.readUInt16BE(at + 2);
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (length < 2 || (isFrame && at + 9 > bytes.length)) {
			return undefined;
		}

		size ??= isFrame ? {width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5)} : undefined;
		at += 2 + length;
		at = marker === 0xda ? endOfScan(bytes, at) : at;
	}

	return undefined;
}

function endOfScan(bytes: Buffer, start: number): number {
	for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
		const next = bytes[at + 1] ?? 0;
		if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) {
			return at;
		}
	}

	return bytes.length;
}

/** Walks the blocks up to the trailer. */
function measureGif(bytes: Buffer): Measured {
	if (bytes.length < 14) {
		return undefined;
	}

	const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
	const size = {width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8)};
	let hasImage = false;
	let at = 13 + colours(bytes[10] ?? 0);
	while (at < bytes.length) {
		const kind = bytes[at];
		if (kind === 0x3b) {
			return hasImage ? {...size, end: at + 1} : undefined;
		}

		if (kind !== 0x21 && kind !== 0x2c) {
			return undefined;
		}

		hasImage ||= kind === 0x2c;
		at += kind === 0x21 ? 2 : 11 + colours(bytes[at + 9] ?? 0);
		while (at < bytes.length && bytes[at] !== 0) {
			at += 1 + (bytes[at] ?? 0);
		}

		at++;
	}

	return undefined;
}

function measureWebp(bytes: Buffer): Measured {
	if (bytes.length < 30) {
		return undefined;
	}

	const end = 8 + bytes.readUInt32LE(4);
	switch (textAt(bytes, 12, 16)) {
		case 'VP8X':
			return {width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3), end};
		case 'VP8L': {
			const bits = bytes.readUInt32LE(21);
			return {width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff), end};
		}
		case 'VP8 ':
			return {width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, end};
		default:
			return undefined;
	}
}

/** Limits of what is unpacked, so that a bomb costs a moment. */
const [maxStreams, maxStreamBytes, maxTotalBytes] = [2000, 4 * 1024 * 1024, 32 * 1024 * 1024];
/** A page of a PDF whose objects can't be read, as of a scan, and the least that one takes. */
const [usualPageBytes, leastPageBytes] = [100_000, 100];

const page = /\/Type\s*\/Page(?![a-zA-Z])/g;
const pageTree = /\/Type\s*\/Pages\b/g;
/** Most page trees that are read, and the characters on each side in which such a tree has its count. */
const [maxTrees, treeReach] = [1000, 8000];

/**
 * Returns the number of pages of a PDF, also of one whose objects are compressed (ISO 32000-1, 7.5.7); an estimate by its
 * size if they can't be read, as in an encrypted one. At least 1.
 */
export function countPages(bytes: Buffer): number {
	const texts = [bytes.toString('latin1'), ...objectStreams(bytes)];
	const found = texts.reduce((sum, text) => sum + (text.match(page)?.length ?? 0), 0);
	const most = Math.max(0, ...texts.flatMap(treeCounts).filter(count => count <= bytes.length / leastPageBytes));
	if (found > 0) {
		// A file that was changed has earlier versions of its pages, too.
		return most > 0 ? Math.min(found, most) : found;
	}

	return most || Math.max(1, Math.ceil(bytes.length / usualPageBytes));
}

/** Returns how many pages the page trees of a text say that they have. */
function treeCounts(text: string): readonly number[] {
	return [...text.matchAll(pageTree)].slice(0, maxTrees).map(({index}) => {
		const before = text.slice(Math.max(0, index - treeReach), index);
		const after = text.slice(index, index + treeReach);
		const tree = before.slice(before.lastIndexOf('<<') + 1) + after.slice(0, after.indexOf('>>') + 1);
		return Number(/\/Count\s+(\d{1,7})/.exec(tree)?.[1] ?? 0);
	});
}

/** Returns the texts of the object streams. Those that can't be unpacked are left out. */
function objectStreams(bytes: Buffer): readonly string[] {
	const texts: string[] = [];
	let total = 0;
	let at = bytes.indexOf('/ObjStm');
	for (let count = 0; at !== -1 && count < maxStreams && total < maxTotalBytes; count++) {
		const keyword = bytes.indexOf('stream', at);
		const end = keyword === -1 ? -1 : bytes.indexOf('endstream', keyword + 'stream'.length);
		if (end === -1) {
			break;
		}

		const text = unpack(bytes.subarray(startOf(bytes, keyword), end));
		total += text.length;
		texts.push(text);
		at = bytes.indexOf('/ObjStm', end);
	}

	return texts;
}

/** Returns where the data of a stream begins: after the line of its keyword. */
function startOf(bytes: Buffer, keyword: number): number {
	const after = keyword + 'stream'.length;
	return bytes[after] === 0x0d ? after + 2 : after + 1;
}

function unpack(data: Buffer): string {
	try {
		return inflateSync(data, {maxOutputLength: maxStreamBytes}).toString('latin1');
	} catch {
		return '';
	}
}

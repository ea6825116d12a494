import {crc32, deflateSync} from 'node:zlib';

/** Returns a PNG of one colour; its header may claim another size. */
export function png(width = 2, height = 3, claimed: readonly [number, number] = [width, height]): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(claimed[0], 0);
	header.writeUInt32BE(claimed[1], 4);
	header.set([8, 2, 0, 0, 0], 8);
	const rows = Buffer.alloc(height * (1 + 3 * width));
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		...[chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
	]);
}

/** Returns a valid chunk of a PNG. */
export function chunk(name: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(name), data]);
	const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	check.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, check]);
}

/** The segments of a JPEG of 5×4 pixels, with a restart and a stuffed byte in its scan. */
export const jpeg = Buffer.from(
	'ffd8 ffe00010 4a46494600010100000100010000 ffc0000b 08 0004 0005 01 011100 ffda0008 010100003f00 12ff00ffd034 ffd9'.replace(
		/ /g,
		'',
	),
	'hex',
);

/** A GIF of one pixel. */
export const gif = Buffer.from(
	'47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b',
	'hex',
);

/** The header of a WebP of 7×6 pixels. */
export const webp = Buffer.from(
	'52494646 16000000 57454250 56503858 0a000000 00000000 060000 050000'.replace(/ /g, ''),
	'hex',
);

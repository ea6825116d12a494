import {posix} from 'node:path';
import {AppError} from '../../../core/error.ts';

const blockBytes = 512;

/** A file of an archive, or a folder if it has no content. */
export type ArchiveEntry = {
	/** Relative, without `..`. */
	readonly path: string;
	readonly mode: number;
	/** The user and the group that own it. */
	readonly owner: number;
	readonly content?: Buffer;
};

/** Returns a tar archive in the format of POSIX (ustar), with a header of `pax` for each longer name. */
export function createArchive(entries: readonly ArchiveEntry[]): Buffer {
	const blocks = entries.flatMap(entry => {
		const name = Buffer.from(`${entry.path}${entry.content ? '' : '/'}`);
		const own = header(entry, name);
		return name.length > 100 ? [...longName(name), own, ...padded(entry.content)] : [own, ...padded(entry.content)];
	});
	return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** Returns the content of the first file of an archive; nothing if the archive is cut or is none. */
export function readArchive(archive: Buffer): Buffer {
	const bytes = Number.parseInt(archive.subarray(124, 136).toString('ascii'), 8);
	const isArchive = archive.subarray(257, 262).toString('ascii') === 'ustar' && archive[156] === '0'.charCodeAt(0);
	const content = archive.subarray(blockBytes, blockBytes + (isArchive ? bytes : 0));
	return content.length === bytes ? content : Buffer.alloc(0);
}

/**
 * Returns entries for files by relative path, each after its folders. Throws AppError("failed") for a path that leads
 * outside.
 */
export function entriesFor(
	files: ReadonlyMap<string, string | Uint8Array>,
	{folder, owner}: {readonly folder: string; readonly owner: number},
): readonly ArchiveEntry[] {
	const folders = new Set<string>();
	const entries: ArchiveEntry[] = [{path: folder, mode: 0o700, owner}];
	for (const [name, content] of files) {
		const path = posix.normalize(name);
		if (path.startsWith('..') || path.startsWith('/')) {
			throw new AppError('failed', `The file ${name} of a task is outside its folder.`);
		}

		const parts = path.split('/').slice(0, -1);
		for (const index of parts.keys()) {
			const parent = parts.slice(0, index + 1).join('/');
			if (!folders.has(parent)) {
				folders.add(parent);
				entries.push({path: `${folder}/${parent}`, mode: 0o700, owner});
			}
		}

		entries.push({path: `${folder}/${path}`, mode: 0o600, owner, content: Buffer.from(content)});
	}

	return entries;
}

function header({mode, owner, content}: Omit<ArchiveEntry, 'path'>, name: Buffer, type = content ? '0' : '5'): Buffer {
	const block = Buffer.alloc(blockBytes);
	name.copy(block, 0, 0, 100);
	const write = (value: number, at: number, length: number) =>
		block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'ascii');
	write(mode, 100, 8);
	write(owner, 108, 8);
	write(owner, 116, 8);
	write(content?.length ?? 0, 124, 12);
	write(0, 136, 12);
	block.write(' '.repeat(8), 148, 'ascii');
	block.write(type, 156, 'ascii');
	block.write('ustar\x0000', 257, 'ascii');
	block.write(
		`${block
			.reduce((sum, byte) => sum + byte, 0)
			.toString(8)
			.padStart(6, '0')}\0 `,
		148,
		'ascii',
	);
	return block;
}

/** A record of `pax` begins with its own length, which counts the digits of the length, too. */
function longName(name: Buffer): readonly Buffer[] {
	const rest = Buffer.concat([Buffer.from(' path='), name, Buffer.from('\n')]);
	let length = rest.length;
	while (String(length).length + rest.length !== length) {
		length = String(length).length + rest.length;
	}

	const content = Buffer.concat([Buffer.from(String(length)), rest]);
	return [header({mode: 0o600, owner: 0, content}, Buffer.from('long-name'), 'x'), ...padded(content)];
}

function padded(content: Buffer | undefined): readonly Buffer[] {
	return content ? [content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)] : [];
}

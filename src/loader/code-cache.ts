import {readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {isInPrivateFolder, makeInPrivateFolder, readPrivate} from './private-place.ts';

/** What V8 compiled of one file, as far as a way of starting the program used it. */
export type CachedCode = {readonly data: Buffer; readonly ways: readonly string[]};

/** Keeps compiled code on disk. It never throws: without it, code is compiled again. */
export type CodeCache = {
	/** Returns what is kept for a file with this content; undefined if it is missing, foreign or damaged. */
	readonly read: (name: string, source: Buffer) => CachedCode | undefined;
	/** Replaces what is kept for a file. */
	readonly write: (name: string, source: Buffer, code: CachedCode) => void;
};

/**
 * The first line of a file. The source follows, and V8's data twice: V8 itself doesn't notice damage there, and would crash. To
 * compare the two takes a fraction of loading `zlib` for a checksum.
 */
type Header = {
	readonly key: string;
	readonly sourceBytes: number;
	readonly dataBytes: number;
	readonly ways: readonly string[];
};

const maxBytes = 16 * 1024 * 1024;
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** What compiled code depends on, besides its source. Another build of the same version of Node has another size. */
const platformKey = [
	process.version,
	process.versions.v8,
	process.platform,
	process.arch,
	statSync(process.execPath, {throwIfNoEntry: false})?.size,
	...process.execArgv,
].join(' ');

/**
 * Opens the code that the build keeps beside the packs, so that the first start finds some. It is checked as any other, but
 * not for who could write it: whoever can could write the packs, too.
 */
export function openBuiltCode(folder: string, key = platformKey): Pick<CodeCache, 'read'> {
	return {
		read(name, source) {
			try {
				return decode(readFileSync(join(folder, `${name}.bin`)), key, source);
			} catch {
				return undefined;
			}
		},
	};
}

/**
 * Opens the cache in a private folder, which is created at the first write, but not its parent. A folder that others could
 * write to is not used.
 */
export function openCodeCache(folder: string, key = platformKey): CodeCache {
	const fileOf = (name: string) => join(folder, `${name}.bin`);
	return {
		read(name, source) {
			try {
				const content = isInPrivateFolder(folder) ? readPrivate(fileOf(name), maxBytes) : undefined;
				return content && decode(content, key, source);
			} catch {
				return undefined;
			}
		},
		write(name, source, {data, ways}) {
			try {
				if (makeInPrivateFolder(folder)) {
					removeOld(folder);
					replace(fileOf(name), encode({data, ways}, key, source));
				}
			} catch {
				// A full disk or a folder that can't be written to: the next start compiles again.
			}
		},
	};
}

function encode({data, ways}: CachedCode, key: string, source: Buffer): Buffer {
	const header: Header = {key, sourceBytes: source.length, dataBytes: data.length, ways};
	return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), source, data, data]);
}

function decode(content: Buffer, key: string, source: Buffer): CachedCode | undefined {
	const begin = content.indexOf('\n') + 1;
	const header: Header = JSON.parse(content.toString('utf8', 0, begin));
	const middle = begin + header.sourceBytes;
	const end = middle + header.dataBytes;
	const data = content.subarray(middle, end);
	const isIntact =
		header.key === key &&
		content.length === end + header.dataBytes &&
		content.subarray(begin, middle).equals(source) &&
		content.subarray(end).equals(data);
	return isIntact ? {data, ways: header.ways} : undefined;
}

/** Replaces a file at once, so that no other process reads half of it. */
function replace(path: string, content: Buffer): void {
	const temporary = `${path}.${process.pid}.tmp`;
	try {
		writeFileSync(temporary, content, {flag: 'wx', mode: 0o600});
		renameSync(temporary, path);
	} catch (error) {
		unlinkSync(temporary);
		throw error;
	}
}

/** Deletes the code of builds and Node versions that are no longer used, and what killed processes left. */
function removeOld(folder: string): void {
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		const stats = statSync(path, {throwIfNoEntry: false});
		// Node kept folders there for earlier versions of the program.
		if (stats?.isFile() && Date.now() - stats.mtimeMs > maxAgeMs) {
			unlinkSync(path);
		}
	}
}

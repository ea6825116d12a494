import {appendFile, mkdir, open, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';
import {createSharedReads} from '../kit/shared-reads.ts';
import {type LogExtent, lineBreak, windowOf} from './log-window.ts';
import type {LogWindow} from './provider.ts';

const maxAttempts = 5;
const maxLooks = 100;

/** The bytes at the end of a log that are read with each look at its files: what followers have not seen is seldom more. */
const endBytes = 16 * 1024;

type Segment = {readonly path: string; readonly start: number; readonly bytes: number};

/** The files of a log, and its last bytes from an offset on. */
type LogEnd = {
	readonly segments: readonly Segment[];
	readonly extent: LogExtent;
	readonly start: number;
	readonly bytes: Buffer;
};

/** Looks at logs, by folder: followers of one that ask at the same time share the next. */
const looks = createSharedReads<LogEnd | undefined>();

/**
 * Reads a log stored as files named by the offset of their first byte, as `windowOf` does. Returns undefined if there is
 * no log.
 */
export async function readLogWindow(folder: string, after?: number): Promise<LogWindow | undefined> {
	for (let attempt = 1; ; attempt += 1) {
		const end = await looks.joinNext(folder, () => lookAt(folder));
		const window = end && (await ifThere(() => windowOf(end.extent, (from, to) => readPart(end, from, to), after)));
		if (window || !end) {
			return window;
		}

		// Files are removed faster than they are read. What was read with the look is there in any case.
		if (attempt === maxAttempts) {
			const {start, extent} = end;
			return await windowOf({start, end: extent.end}, (from, to) => readPart(end, from, to), after);
		}
	}
}

/** Returns the result of a read; undefined if a file was removed meanwhile. */
async function ifThere<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
	try {
		return await read();
	} catch (error) {
		if (errnoOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

async function lookAt(folder: string): Promise<LogEnd | undefined> {
	for (let look = 1; ; look += 1) {
		const segments = await listSegments(folder);
		const [first] = segments;
		const last = segments.at(-1);
		if (!first || !last) {
			return undefined;
		}

		const extent = {start: first.start, end: last.start + last.bytes};
		const start = Math.max(extent.start, extent.end - endBytes);
		const read = () => readRange(segments, start, extent.end);
		// If the newest files are gone, there are newer ones.
		const bytes = look < maxLooks ? await ifThere(read) : await read();
		if (bytes) {
			return {segments, extent, start, bytes};
		}
	}
}

async function readPart({segments, start, bytes}: LogEnd, from: number, to: number): Promise<Buffer> {
	return from >= start ? bytes.subarray(from - start, to - start) : await readRange(segments, from, to);
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

async function listSegments(folder: string): Promise<readonly Segment[]> {
	const names = (await readdir(folder).catch(() => [])).filter(name => /^\d{15}\.log$/.test(name)).sort();
	const segments = names.map(async name => {
		const path = join(folder, name);
		const found = await ifThere(() => stat(path));
		return found && {path, start: Number.parseInt(name, 10), bytes: found.size};
	});
	// The oldest ones may be removed meanwhile.
	return (await Promise.all(segments)).filter(segment => segment !== undefined);
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

import {appendFile, mkdir, open, readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';
import {createSharedReads} from '../kit/shared-reads.ts';
import {type LogExtent, lineBreak, windowOf} from './log-window.ts';
import type {LogWindow} from './provider.ts';

const maxAttempts = 5;

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
		try {
			const end = await looks.joinNext(folder, () => lookAt(folder));
			return end && (await windowOf(end.extent, (from, to) => readPart(end, from, to), after));
		} catch (error) {
			// The oldest file may be removed during the read; the retry starts later.
			if (errnoOf(error) !== 'ENOENT' || attempt === maxAttempts) {
				throw error;
			}
		}
	}
}

async function lookAt(folder: string): Promise<LogEnd | undefined> {
	const segments = await listSegments(folder);
	const [first] = segments;
	const last = segments.at(-1);
	if (!first || !last) {
		return undefined;
	}

	const extent = {start: first.start, end: last.start + last.bytes};
	const start = Math.max(extent.start, extent.end - endBytes);
	return {segments, extent, start, bytes: await readRange(segments, start, extent.end)};
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

import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {isJsonObject, parseJson} from '../core/json.ts';
import {parseRecorded, type Recorded} from '../core/session/event.ts';
import {explainFileError} from './file-error.ts';
import {assertPrivate, noFollow} from './private-file.ts';

/** The content of a session file. */
export type JournalContent = {
	readonly records: readonly Recorded[];
	/** The `seq` that the next record gets. */
	readonly nextSeq: number;
	/** Records of an unknown kind, which stay in the file. */
	readonly unknown: number;
	/** Lines that aren't records or are too long, which stay in the file. */
	readonly skipped: number;
	/** Bytes up to and including the last line end. */
	readonly wholeBytes: number;
	/** Bytes after it, left by a killed process or a power cut. */
	readonly tornBytes: number;
	/** True if those bytes are a record that only lacks its line end. */
	readonly tornIsRecord: boolean;
};

/** Longer lines are skipped, so that no file can use all memory. Records are far shorter. */
const maxLineBytes = 32 * 1024 * 1024;

/**
 * Reads a session without changing it, and counts invalid lines. Throws AppError("failed") for an unreadable file, a
 * symbolic link or another owner, and the signal's reason.
 */
export async function readJournal(path: string, signal?: AbortSignal): Promise<JournalContent> {
	const records: Recorded[] = [];
	let last = -1;
	let unknown = 0;
	let skipped = 0;
	let wholeBytes = 0;
	let tornBytes = 0;
	let tornIsRecord = false;

	signal?.throwIfAborted();
	for await (const line of linesOf(path)) {
		signal?.throwIfAborted();
		const value = line.text === undefined ? undefined : parseJson(line.text);
		const record = parseRecorded(value);
		if (!line.isEnded) {
			tornBytes = line.bytes;
			tornIsRecord = record !== undefined;
		} else {
			wholeBytes += line.bytes;
		}

		if (record) {
			records.push(record);
			last = Math.max(last, record.seq);
		} else if (line.isEnded && isJsonObject(value)) {
			unknown += 1;
			last = Math.max(last, Number.isSafeInteger(value['seq']) ? Number(value['seq']) : -1);
		} else if (line.isEnded && line.text !== '') {
			skipped += 1;
		}
	}

	return {records, nextSeq: last + 1, unknown, skipped, wholeBytes, tornBytes, tornIsRecord};
}

/** `text` is undefined for a line that is too long; `bytes` includes the line end, which only the last line may lack. */
type Line = {readonly text: string | undefined; readonly bytes: number; readonly isEnded: boolean};

async function* linesOf(path: string): AsyncGenerator<Line> {
	try {
		const file = await open(path, constants.O_RDONLY | noFollow);
		try {
			assertPrivate(file.fd, path);
		} catch (error) {
			await file.close();
			throw error;
		}

		let parts: Buffer[] = [];
		let bytes = 0;
		const finishLine = (isEnded: boolean): Line => {
			const text = bytes > maxLineBytes ? undefined : Buffer.concat(parts).toString('utf8');
			const line = {text, bytes: bytes + (isEnded ? 1 : 0), isEnded};
			parts = [];
			bytes = 0;
			return line;
		};

		for await (const chunk of file.createReadStream({highWaterMark: 1024 * 1024}) as AsyncIterable<Buffer>) {
			let start = 0;
			for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
				bytes += end - start;
				parts.push(chunk.subarray(start, end));
				yield finishLine(true);
				start = end + 1;
			}

			bytes += chunk.length - start;
			if (bytes <= maxLineBytes) {
				parts.push(chunk.subarray(start));
			} else {
				parts = [];
			}
		}

		if (bytes > 0) {
			yield finishLine(false);
		}
	} catch (error) {
		throw explainFileError(error, 'read', path);
	}
}

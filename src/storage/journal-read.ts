import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {isJsonObject, parseJson} from '../core/json.ts';
import {parseRecorded, type Recorded} from '../core/session/event.ts';
import {explainFileError} from './file-error.ts';
import {assertPrivate, noFollow} from './private-file.ts';

/** A session as its file has it. */
export type JournalContent = {
	readonly records: readonly Recorded[];
	/** The `seq` that the next record gets. */
	readonly nextSeq: number;
	/** Whole records of a kind that this version does not know; they stay in the file as they are. */
	readonly unknown: number;
	/** Lines that are no record at all, or too long to be read; they stay in the file too. */
	readonly skipped: number;
	/** Bytes up to and with the last line end. */
	readonly wholeBytes: number;
	/** Bytes behind it, which a killed process or a power cut left. */
	readonly tornBytes: number;
	/** True where those bytes are a record that lacks its line end alone. */
	readonly tornIsRecord: boolean;
};

/** No record of ours comes near; a longer line is skipped, so that no file can take all memory. In bytes. */
const longestLine = 32 * 1024 * 1024;

/**
 * Reads a session without changing it. No line can make it fail: what cannot be understood is counted. Throws `AppError`
 * (`failed`) for a file that cannot be read, a symbolic link or another owner.
 */
export async function readJournal(path: string): Promise<JournalContent> {
	const records: Recorded[] = [];
	let last = -1;
	let unknown = 0;
	let skipped = 0;
	let wholeBytes = 0;
	let tornBytes = 0;
	let tornIsRecord = false;

	for await (const line of linesOf(path)) {
		const value = line.text === undefined ? undefined : parseJson(line.text);
		const record = parseRecorded(value);
		if (!line.ended) {
			tornBytes = line.bytes;
			tornIsRecord = record !== undefined;
		} else {
			wholeBytes += line.bytes;
		}

		if (record) {
			records.push(record);
			last = Math.max(last, record.seq);
		} else if (line.ended && isJsonObject(value)) {
			unknown += 1;
			last = Math.max(last, Number.isSafeInteger(value['seq']) ? Number(value['seq']) : -1);
		} else if (line.ended && line.text !== '') {
			skipped += 1;
		}
	}

	return {records, nextSeq: last + 1, unknown, skipped, wholeBytes, tornBytes, tornIsRecord};
}

/** `text` is undefined for a line that is too long; `bytes` counts its line end, which only the last one may lack. */
type Line = {readonly text: string | undefined; readonly bytes: number; readonly ended: boolean};

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
		const take = (ended: boolean): Line => {
			const text = bytes > longestLine ? undefined : Buffer.concat(parts).toString('utf8');
			const line = {text, bytes: bytes + (ended ? 1 : 0), ended};
			parts = [];
			bytes = 0;
			return line;
		};

		for await (const chunk of file.createReadStream({highWaterMark: 1024 * 1024}) as AsyncIterable<Buffer>) {
			let start = 0;
			for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
				bytes += end - start;
				parts.push(chunk.subarray(start, end));
				yield take(true);
				start = end + 1;
			}

			bytes += chunk.length - start;
			if (bytes <= longestLine) {
				parts.push(chunk.subarray(start));
			} else {
				parts = [];
			}
		}

		if (bytes > 0) {
			yield take(false);
		}
	} catch (error) {
		throw explainFileError(error, 'read', path);
	}
}

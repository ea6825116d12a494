import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {AppError} from '../../core/error.ts';
import type {ForeignLine} from '../../core/foreign/foreign-session.ts';
import {isDeeper, isJsonObject, parseJson} from '../../core/json.ts';
import {explainFileError} from '../file-error.ts';
import {readBytes} from '../read-bytes.ts';

/** Longer lines are left out, as in our own sessions. */
const maxLineBytes = 32 * 1024 * 1024;

/** A conversation is read as a whole, because its lines are a tree. */
const maxFileBytes = 512 * 1024 * 1024;

/** Deeper JSON could crash what goes through it. */
const maxDepth = 64;

/**
 * Reads the lines of another client's file, and changes nothing of it. What isn't a JSON object has the reason in its place.
 * Throws AppError("failed") for a file that can't be read, and for one of more than 512 MB.
 */
export async function readTranscriptLines(path: string): Promise<readonly ForeignLine[]> {
	if (path.endsWith('.json')) {
		return readWhole(path);
	}

	const lines: ForeignLine[] = [];
	let parts: Buffer[] = [];
	let bytes = 0;
	const endLine = (isEnded: boolean) => {
		const line = bytes > maxLineBytes ? ({fault: 'long'} as const) : lineOf(Buffer.concat(parts).toString('utf8'));
		if (line) {
			lines.push('fault' in line && line.fault === 'broken' && !isEnded ? {fault: 'cut'} : line);
		}

		parts = [];
		bytes = 0;
	};

	try {
		// One that waits for the other end of a pipe would never end.
		const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		try {
			const stats = await file.stat();
			if (!stats.isFile() || stats.size > maxFileBytes) {
				throw new AppError('failed', `${path} is ${stats.isFile() ? 'larger than 512 MB' : 'not a file'}.`, {
					hint: 'Name a transcript: a file that ends in .jsonl.',
				});
			}

			for await (const chunk of file.createReadStream({highWaterMark: 1024 * 1024, autoClose: false})) {
				const whole = chunk as Buffer;
				let start = 0;
				for (let end = whole.indexOf(10); end !== -1; end = whole.indexOf(10, start)) {
					bytes += end - start;
					parts.push(whole.subarray(start, end));
					endLine(true);
					start = end + 1;
				}

				bytes += whole.length - start;
				parts = bytes > maxLineBytes ? [] : [...parts, whole.subarray(start)];
			}
		} finally {
			await file.close();
		}
	} catch (error) {
		throw explainFileError(error, 'read', path);
	}

	if (bytes > 0) {
		endLine(false);
	}

	return lines;
}

/** Reads a file that is one object, as the first version of Codex wrote it. */
async function readWhole(path: string): Promise<readonly ForeignLine[]> {
	const bytes = await readBytes(path, {maxBytes: maxLineBytes, stdin: undefined});
	const line = lineOf(Buffer.from(bytes).toString('utf8'));
	return line ? [line] : [];
}

/** Returns a line as read; undefined for a blank one. */
export function lineOf(text: string): ForeignLine | undefined {
	const json = text.replace(/^\uFEFF/, '').trim();
	if (json === '') {
		return undefined;
	}

	const value = parseJson(json);
	if (!isJsonObject(value)) {
		return {fault: 'broken'};
	}

	return isDeeper(value, maxDepth) ? {fault: 'deep'} : {value};
}

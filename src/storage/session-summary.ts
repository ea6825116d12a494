import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SessionFile} from './session-folder.ts';
import type {SessionSummary} from './sessions.ts';

/** How much is read at each end of a session file, in bytes: a list of hundreds of long sessions stays quick. */
const windowBytes = 64 * 1024;
const previewLength = 200;
const tellingLine = /"type":"(?:user-message|rename|run-start)"/;

/** Reads both ends of a session file. Throws what the file system throws, and `AppError` for a file that is not ours. */
export async function summarize({id, path, folder}: SessionFile): Promise<SessionSummary> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		const {size, mtime} = assertPrivate(file.fd, path);
		const read = async (from: number, length: number) => {
			const {buffer, bytesRead} = await file.read(Buffer.alloc(length), 0, length, from);
			return buffer.toString('utf8', 0, bytesRead);
		};
		const whole = size <= 2 * windowBytes;
		const head = await read(0, whole ? size : windowBytes);
		const tail = whole ? '' : await read(size - windowBytes, windowBytes);

		const first = head.split('\n');
		const lines = [...first, ...tail.split('\n').slice(1)].filter(Boolean);
		// Of a long session most lines are deltas, which say nothing about it and take long to parse.
		const telling = lines.filter((line, index) => whole || index === lines.length - 1 || tellingLine.test(line));
		const records = telling.flatMap(toRecord);
		const events = records.flatMap(({event}) => (isJsonObject(event) ? [event] : []));
		const last = (type: string, field: string) => text(events.findLast(event => event['type'] === type)?.[field]);
		return {
			id,
			path,
			folder,
			title: last('rename', 'title'),
			preview: preview(text(events.find(isUserMessage)?.['text']) || cutText(first.at(-1) ?? '')),
			updatedAt: text(records.at(-1)?.['at']) || mtime.toISOString(),
			messages: whole ? countMessages(events) : undefined,
			model: last('run-start', 'model'),
		};
	} finally {
		await file.close();
	}
}

function toRecord(line: string): JsonObject[] {
	const value = parseJson(line);
	return isJsonObject(value) ? [value] : [];
}

function isUserMessage(event: JsonObject): boolean {
	return event['type'] === 'user-message';
}

function countMessages(events: readonly JsonObject[]): number {
	const models = new Set(events.map(event => text(event['messageId'])).filter(Boolean));
	return models.size + events.filter(isUserMessage).length;
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The beginning of a first message so long that the line is cut: its JSON cannot be parsed, but its text can be read. */
function cutText(line: string): string {
	const start = line.includes('"type":"user-message"')
		? /"text":"((?:[^"\\]|\\["\\/bfnrt]|\\u[\da-f]{4}){0,2000})/i.exec(line)?.[1]
		: '';
	return text(parseJson(`"${start ?? ''}"`));
}

function preview(message: string): string {
	const line = message
		.slice(0, 4 * previewLength)
		.replace(/\s+/g, ' ')
		.trim();
	return line.length > previewLength ? `${line.slice(0, previewLength - 1)}…` : line;
}

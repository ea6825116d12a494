import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SessionFile} from './session-folder.ts';

/** A session as a list shows it. Every text is untrusted. */
export type SessionSummary = SessionFile & {
	/** The last title that it was given, empty without one. */
	readonly title: string;
	/** The beginning of the first user message, on one line. */
	readonly preview: string;
	/** When something last happened in it, ISO 8601 in UTC. */
	readonly updatedAt: string;
	/** User and model messages. */
	readonly messages: number;
	/** `provider/model-name` of its last run, empty before one. */
	readonly model: string;
};

const chunkBytes = 1024 * 1024;
/** A longer line is skipped, as where the session is read whole. */
const maxLineBytes = 32 * 1024 * 1024;
const previewLength = 200;
const newline = 10;

/** Most lines are deltas: of those only the message they belong to is read, without parsing them. */
const tellingLine = /"type":"(?:user-message|rename|run-start)"/;
const messageIdOfLine = /"messageId":"([^"\\]+)"/;

type Scan = Readonly<Omit<SessionSummary, keyof SessionFile | 'updatedAt'>> & {
	/** When the last record was written, ISO 8601 in UTC; empty without one. */
	readonly at: string;
};

/** Reads a whole session file for a list. Throws what the file system throws, and `AppError` for a file that is not ours. */
export async function summarize({id, path, folder}: SessionFile): Promise<SessionSummary> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		const {mtime} = assertPrivate(file.fd, path);
		const chunks = file.createReadStream({highWaterMark: chunkBytes, autoClose: false}) as AsyncIterable<Buffer>;
		const {at, ...found} = await scan(chunks);
		return {id, path, folder, ...found, updatedAt: at || mtime.toISOString()};
	} finally {
		await file.close();
	}
}

async function scan(chunks: AsyncIterable<Buffer>): Promise<Scan> {
	const modelMessages = new Set<string>();
	const found = {title: '', preview: '', model: '', userMessages: 0};
	let lastLines: readonly string[] = [];

	const readTelling = (line: string) => {
		const event = parseRecord(line)?.['event'];
		if (!isJsonObject(event)) {
			return;
		}

		switch (event['type']) {
			case 'user-message':
				found.userMessages += 1;
				found.preview ||= preview(text(event['text']));
				break;
			case 'rename':
				found.title = text(event['title']);
				break;
			case 'run-start':
				found.model = text(event['model']);
				break;
		}
	};

	for await (const lines of wholeLines(chunks)) {
		for (const line of lines) {
			if (tellingLine.test(line)) {
				readTelling(line);
			} else {
				const messageId = messageIdOfLine.exec(line)?.[1];
				if (messageId) {
					modelMessages.add(messageId);
				}
			}
		}

		lastLines = [...lastLines, ...lines.slice(-2)].slice(-2);
	}

	const {userMessages, ...rest} = found;
	// The very last line may be cut off; the one before it is whole then.
	const at = lastLines.map(line => text(parseRecord(line)?.['at'])).findLast(Boolean) ?? '';
	return {...rest, at, messages: userMessages + modelMessages.size};
}

/** The lines that are not empty, chunk by chunk, a byte a character: most of them are never decoded. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
	let parts: Buffer[] = [];
	let partBytes = 0;
	const take = (end: Buffer) => {
		const lines = Buffer.concat([...parts, end])
			.toString('latin1')
			.split('\n');
		const kept = partBytes > maxLineBytes ? lines.slice(1) : lines;
		parts = [];
		partBytes = 0;
		return kept.filter(Boolean);
	};

	for await (const chunk of chunks) {
		const end = chunk.lastIndexOf(newline);
		if (end >= 0) {
			yield take(chunk.subarray(0, end));
		}

		const rest = chunk.subarray(end + 1);
		partBytes += rest.length;
		parts = partBytes > maxLineBytes ? [] : [...parts, rest];
	}

	yield take(Buffer.alloc(0));
}

/** The object on a line whose characters are the bytes of its UTF-8; undefined for what is none. */
function parseRecord(line: string): JsonObject | undefined {
	const value = parseJson(Buffer.from(line, 'latin1').toString('utf8'));
	return isJsonObject(value) ? value : undefined;
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function preview(message: string): string {
	const line = message
		.slice(0, 4 * previewLength)
		.replace(/\s+/g, ' ')
		.trim();
	return line.length > previewLength ? `${line.slice(0, previewLength - 1)}…` : line;
}

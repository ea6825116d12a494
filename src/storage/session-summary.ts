import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {cutLine} from '../core/cut-text.ts';
import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {type Handoff, handoff as handoffSchema} from '../core/session/event.ts';
import {titleFrom, titleFromAll} from '../core/session/session-title.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SessionFile} from './session-folder.ts';

/** A session as a list shows it. Every text is untrusted. */
export type SessionSummary = SessionFile & {
	/** The last title; empty without one. */
	readonly title: string;
	/** What its first messages are about, in at most 48 cells and without credentials; empty without a message. */
	readonly about: string;
	/** The start of the first user message, on one line. */
	readonly preview: string;
	/** The start of the last user message, on one line. */
	readonly latest: string;
	/** Time of the last record, ISO 8601 in UTC. */
	readonly updatedAt: string;
	/** User and model messages. */
	readonly messages: number;
	/** `provider/model-name` of its last run, empty before one. */
	readonly model: string;
	/** The client that it was imported from, as it is called on screen; left out for a session of our own. */
	readonly client?: string;
	/** Where the session is now, if it was handed over; left out for one that is here. */
	readonly handoff?: Handoff;
	/** True if `-p` started each of its runs; left out otherwise, and for one without a run. */
	readonly isPrinted?: true;
};

const chunkBytes = 1024 * 1024;
/** Longer lines are skipped, as in `readJournal`. */
const maxLineBytes = 32 * 1024 * 1024;
const previewLength = 200;
const newline = 10;

/** Lines that are parsed. Most others are deltas, of which only the message id is read. */
const parsedLine = /"type":"(?:user-message|user-command|rename|run-start)"|"type":"notice".*"(?:client|handoff)":/;
const usageLine = '"type":"usage"';
const taskLine = '"event":{"type":"task"';
const messageIdOfLine = /"messageId":"([^"\\]+)"/;

type Scan = Readonly<Omit<SessionSummary, keyof SessionFile | 'updatedAt' | 'isPrinted' | 'handoff'>> & {
	readonly handoff: Handoff | undefined;
	/** Time of the last record, ISO 8601 in UTC; empty without one. */
	readonly at: string;
	readonly isPrinted: boolean;
};

/** Summarizes a session file. Throws what the file system throws, and AppError("failed") for a file of another owner. */
export async function summarize({id, path, folder}: SessionFile): Promise<SessionSummary> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		const {mtime} = assertPrivate(file.fd, path);
		const chunks = file.createReadStream({highWaterMark: chunkBytes, autoClose: false}) as AsyncIterable<Buffer>;
		const {at, client, handoff, isPrinted, ...found} = await scan(chunks);
		const marks = {...(client && {client}), ...(handoff && {handoff}), ...(isPrinted && {isPrinted})};
		return {id, path, folder, ...found, ...marks, updatedAt: at || mtime.toISOString()};
	} finally {
		await file.close();
	}
}

async function scan(chunks: AsyncIterable<Buffer>): Promise<Scan> {
	const modelMessages = new Set<string>();
	const found = {title: '', about: '', preview: '', latest: '', model: '', client: '', userMessages: 0};
	let handoff: Handoff | undefined;
	const places = new Set<unknown>();
	let lastLines: readonly string[] = [];

	const readLine = (line: string) => {
		const event = parseRecord(line)?.['event'];
		if (!isJsonObject(event)) {
			return;
		}

		switch (event['type']) {
			case 'user-message':
				found.userMessages += 1;
				found.about ||= titleFrom(text(event['text']));
				found.latest = preview(text(event['text']));
				found.preview ||= found.latest;
				break;
			case 'user-command':
				found.preview ||= preview(`! ${text(event['command'])}`);
				break;
			case 'rename':
				found.title = text(event['title']);
				break;
			case 'notice':
				found.client ||= text(event['client']);
				handoff = handoffAfter(event['handoff'], handoff);
				break;
			case 'run-start':
				found.model = text(event['model']);
				places.add(event['place']);
				break;
		}
	};

	for await (const lines of wholeLines(chunks)) {
		for (const line of lines) {
			if (parsedLine.test(line)) {
				readLine(line);
			} else {
				// A request that failed or wrote a summary has usage, but no message; those of a sub-agent aren't the session's.
				const messageId =
					line.includes(usageLine) || line.includes(taskLine) ? undefined : messageIdOfLine.exec(line)?.[1];
				if (messageId) {
					modelMessages.add(messageId);
				}
			}
		}

		lastLines = [...lastLines, ...lines.slice(-2)].slice(-2);
	}

	const {userMessages, ...rest} = found;
	// The last line may be cut off; then the one before it is whole.
	const at = lastLines.map(line => text(parseRecord(line)?.['at'])).findLast(Boolean) ?? '';
	const isPrinted = places.size === 1 && places.has('shell');
	const about = rest.about || titleFromAll([rest.preview]);
	return {...rest, about, at, handoff, isPrinted, messages: userMessages + modelMessages.size};
}

/** Yields non-empty lines chunk by chunk, with one character a byte: most are never decoded. */
async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
	let parts: Buffer[] = [];
	let partBytes = 0;
	const finishLines = (end: Buffer) => {
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
			yield finishLines(chunk.subarray(0, end));
		}

		const rest = chunk.subarray(end + 1);
		partBytes += rest.length;
		parts = partBytes > maxLineBytes ? [] : [...parts, rest];
	}

	yield finishLines(Buffer.alloc(0));
}

/** Returns the object of a line whose characters are the bytes of its UTF-8; undefined if it isn't an object. */
function parseRecord(line: string): JsonObject | undefined {
	const value = parseJson(Buffer.from(line, 'latin1').toString('utf8'));
	return isJsonObject(value) ? value : undefined;
}

/** Returns where a session is after a notice; undefined if it is here. */
function handoffAfter(value: unknown, before: Handoff | undefined): Handoff | undefined {
	const read = value === undefined ? undefined : handoffSchema.safeParse(value).data;
	return read ? (read.state === 'kept' ? undefined : read) : before;
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function preview(message: string): string {
	return cutLine(message.slice(0, 4 * previewLength), previewLength);
}

import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {parseJson} from '../core/json.ts';
import {parseRecorded} from '../core/session/event.ts';
import type {MessageUsage} from '../core/session/usage.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SessionFile} from './session-folder.ts';

/** What is read in all for one list, in bytes: a person waits for it. */
const mostBytes = 32 * 1024 * 1024;
const usageLine = '"type":"usage"';

/**
 * The usage of each message of these sessions, by the id of the session. The first ones are read first; what lies beyond
 * 32 MiB, and what cannot be read, is left out, because it is not known then.
 */
export async function readUsage(
	files: readonly SessionFile[],
	limit = mostBytes,
): Promise<ReadonlyMap<string, readonly MessageUsage[]>> {
	const found = new Map<string, readonly MessageUsage[]>();
	let left = limit;
	for (const {id, path} of files) {
		try {
			const text = await readUpTo(path, left);
			if (text !== undefined) {
				left -= text.length;
				found.set(id, usagesOf(text));
			}
		} catch {
			// A list says of one session less; who opens it is told why.
		}
	}

	return found;
}

/** The whole file; undefined for one that is larger than `limit` bytes. */
async function readUpTo(path: string, limit: number): Promise<Buffer | undefined> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		return assertPrivate(file.fd, path).size <= limit ? await file.readFile() : undefined;
	} finally {
		await file.close();
	}
}

/** The last usage of a message counts; most lines are deltas, which are not even parsed. */
function usagesOf(text: Buffer): readonly MessageUsage[] {
	const messages = new Map<string, MessageUsage>();
	for (const line of text.toString('utf8').split('\n')) {
		const event = line.includes(usageLine) ? parseRecorded(parseJson(line))?.event : undefined;
		if (event?.type === 'usage') {
			messages.set(event.messageId, {model: event.model, usage: event.usage, current: true});
		}
	}

	return [...messages.values()];
}

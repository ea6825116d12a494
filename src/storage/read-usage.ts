import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {parseJson} from '../core/json.ts';
import {parseRecorded} from '../core/session/event.ts';
import type {MessageUsage} from '../core/session/usage.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import type {SessionFile} from './session-folder.ts';

/** The most that is read for one list, because the user waits for it. */
const defaultMaxBytes = 32 * 1024 * 1024;
const usageLine = '"type":"usage"';

/**
 * Returns the usage of each message of these sessions, by session id. Sessions are read in order; those beyond 32 MiB in
 * total, and unreadable ones, are left out.
 */
export async function readUsage(
	files: readonly SessionFile[],
	maxBytes = defaultMaxBytes,
): Promise<ReadonlyMap<string, readonly MessageUsage[]>> {
	const found = new Map<string, readonly MessageUsage[]>();
	let leftBytes = maxBytes;
	for (const {id, path} of files) {
		try {
			const text = await readUpTo(path, leftBytes);
			if (text !== undefined) {
				leftBytes -= text.length;
				found.set(id, usagesOf(text));
			}
		} catch {
			// The list leaves it out; opening it shows the error.
		}
	}

	return found;
}

/** Returns the whole file; undefined if it's larger than `maxBytes`. */
async function readUpTo(path: string, maxBytes: number): Promise<Buffer | undefined> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		return assertPrivate(file.fd, path).size <= maxBytes ? await file.readFile() : undefined;
	} finally {
		await file.close();
	}
}

/** Returns the last usage of each message. Most lines are deltas, which aren't parsed. */
function usagesOf(text: Buffer): readonly MessageUsage[] {
	const messages = new Map<string, MessageUsage>();
	for (const line of text.toString('utf8').split('\n')) {
		const {event, at = ''} = (line.includes(usageLine) && parseRecorded(parseJson(line))) || {};
		if (event?.type === 'usage') {
			const {messageId, type: _, ...reported} = event;
			messages.set(messageId, {...reported, current: true, at: messages.get(messageId)?.at ?? at});
		}
	}

	return [...messages.values()];
}

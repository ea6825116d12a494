import {constants} from 'node:fs';
import {open, stat} from 'node:fs/promises';
import {parseJson} from '../core/json.ts';
import {parseRecorded} from '../core/session/event.ts';
import type {MessageUsage} from '../core/session/usage.ts';
import type {Home} from './home.ts';
import {assertPrivate, noFollow} from './private-file.ts';
import {type SessionFile, sessionFiles} from './session-folder.ts';

/** A request of any session. */
export type LedgerEntry = MessageUsage & {readonly session: string};

/** The requests within some time, by the id of their message, in no particular order. */
export type SpendLedger = {
	readonly requests: ReadonlyMap<string, LedgerEntry>;
	/** Sessions that were not read: unreadable, or beyond the limit. */
	readonly leftOut: number;
};

type Options = {
	/** Milliseconds since 1970: from this time on, and before that one. */
	readonly from: number;
	readonly to: number;
	/** The most that is read, because the user waits for it. */
	readonly maxBytes?: number;
};

/** Files that are open at the same time. */
const maxOpenFiles = 16;
const defaultMaxBytes = 512 * 1024 * 1024;
const needle = Buffer.from('"type":"usage"');
const newline = 10;

/**
 * Reads the requests of all sessions within some time. Reads only files that were written since, the newest first, up to
 * 512 MiB. A request that a fork copied counts once. Throws AppError("failed") if the state folder can't be read.
 */
export async function readLedger(home: Home, {from, to, maxBytes = defaultMaxBytes}: Options): Promise<SpendLedger> {
	const found = await inGroups(await sessionFiles(home), file => sizeSince(file, from));
	const written = found.flatMap(file => file ?? []).toSorted((a, b) => b.modifiedMs - a.modifiedMs);
	let [leftBytes, leftOut] = [maxBytes, 0];
	const wanted = written.filter(({size}) => {
		leftBytes -= size;
		return leftBytes >= 0;
	});
	const requests = new Map<string, LedgerEntry>();
	for (const entries of await inGroups(wanted, readEntries)) {
		leftOut += entries ? 0 : 1;
		for (const [id, entry] of entries ?? []) {
			const at = Date.parse(entry.at);
			if (at >= from && at < to && !requests.has(id)) {
				requests.set(id, entry);
			}
		}
	}

	return {requests, leftOut: leftOut + written.length - wanted.length};
}

/** Returns what `read` does for each file, undefined for those that it throws for. A few files are open at a time. */
async function inGroups<Item, Value>(
	items: readonly Item[],
	read: (item: Item) => Promise<Value>,
): Promise<readonly (Value | undefined)[]> {
	const values: (Value | undefined)[] = [];
	for (let index = 0; index < items.length; index += maxOpenFiles) {
		const group = items.slice(index, index + maxOpenFiles);
		values.push(...(await Promise.all(group.map(item => read(item).catch(() => undefined)))));
	}

	return values;
}

type Written = SessionFile & {readonly size: number; readonly modifiedMs: number};

async function sizeSince(file: SessionFile, from: number): Promise<Written | undefined> {
	const {size, mtimeMs: modifiedMs} = await stat(file.path);
	return modifiedMs >= from ? {...file, size, modifiedMs} : undefined;
}

async function readEntries({id: session, path}: SessionFile): Promise<ReadonlyMap<string, LedgerEntry>> {
	const file = await open(path, constants.O_RDONLY | noFollow);
	try {
		assertPrivate(file.fd, path);
		return entriesOf(await file.readFile(), session);
	} finally {
		await file.close();
	}
}

/** Returns the last usage of each request. Most lines are deltas, which aren't even decoded. */
function entriesOf(text: Buffer, session: string): ReadonlyMap<string, LedgerEntry> {
	const entries = new Map<string, LedgerEntry>();
	for (let found = text.indexOf(needle); found >= 0; ) {
		const start = text.lastIndexOf(newline, found) + 1;
		const next = text.indexOf(newline, found);
		const end = next < 0 ? text.length : next;
		const {event, at = ''} = parseRecorded(parseJson(text.toString('utf8', start, end))) ?? {};
		if (event?.type === 'usage') {
			const {messageId, type: _, ...reported} = event;
			entries.set(messageId, {...reported, current: true, at: entries.get(messageId)?.at ?? at, session});
		}

		found = text.indexOf(needle, end);
	}

	return entries;
}

import type {Selectable} from 'kysely';
import type {Blobs, ByteRange} from '../artifacts/blobs.ts';
import type {Database, DatabaseTransaction, Tables} from '../database/tables.ts';
import type {LogTails} from './log-tails.ts';
import {type LogExtent, lineBreak, windowOf} from './log-window.ts';
import type {LogWindow} from './provider.ts';

type StoredLogRow = Selectable<Tables['sandbox_logs']>;

/** What is known of a collected log without its text. */
export type StoredLog = Pick<StoredLogRow, 'state' | 'start_offset' | 'end_offset' | 'collected'>;

/** Maximum bytes of a log, and how many parts of that size are dropped one after the other. */
export const maxLogBytes = 8 * 1024 * 1024;
export const logParts = 8;

/** Smaller segments grow, so that a log that gets a line now and then has few of them. */
const smallSegmentBytes = 16 * 1024;

/** How much is moved to a bucket at once. */
const objectBytes = 1024 * 1024;

const maxAttempts = 5;

/** Where logs are kept: recent lines in the database, and the rest, too, without a bucket. */
export type LogStore = {readonly database: Database; readonly blobs: Blobs | undefined; readonly tails?: LogTails};

type Services = {readonly database: Database; readonly sandboxes: {readonly logBlobs: Blobs | undefined}};

export const logStoreOf = ({database, sandboxes}: Services): LogStore => ({database, blobs: sandboxes.logBlobs});

/** Bytes of a log with the provider's offsets of the first one and after the last one. */
export type LogPiece = {
	readonly bytes: Buffer;
	readonly start: number;
	readonly end: number;
	/** Whether the provider has dropped what was before. */
	readonly isFirst?: boolean;
};

type Append = {
	readonly sandboxId: string;
	/** The collector. */
	readonly holder: string;
	/** The provider's offset that has been collected so far. */
	readonly collected: number;
	readonly piece: LogPiece;
	readonly maxBytes?: number;
};

/**
 * Appends to a log all of a piece or nothing, if the collector still has it and nobody else has appended. What is before
 * bytes that the provider dropped meanwhile is dropped, too.
 */
export async function appendToLog(
	database: Database,
	{sandboxId, holder, collected, piece, maxBytes = maxLogBytes}: Append,
): Promise<boolean> {
	return await database.transaction().execute(async transaction => {
		const log = await transaction
			.updateTable('sandbox_logs')
			.set(({eb}) => ({
				collected: piece.end,
				end_offset: eb('end_offset', '+', piece.start - collected + piece.bytes.length),
			}))
			.where('sandbox_id', '=', sandboxId)
			.where('held_by', '=', holder)
			.where('collected', '=', collected)
			.returning(['start_offset', 'end_offset'])
			.executeTakeFirst();
		if (!log) {
			return false;
		}

		const end = log.end_offset;
		const start = end - piece.bytes.length;
		await addSegment(transaction, sandboxId, {bytes: piece.bytes, start, end});
		await drop(transaction, sandboxId, log, piece.isFirst ? start : firstKept(end, maxBytes));
		return true;
	});
}

async function addSegment(transaction: DatabaseTransaction, sandboxId: string, {bytes, start, end}: LogPiece) {
	const last = await findSegmentBefore(transaction, sandboxId, start);
	if (last?.bytes && last.bytes.length + bytes.length <= smallSegmentBytes) {
		await transaction
			.updateTable('log_segments')
			.set({bytes: Buffer.concat([last.bytes, bytes]), end_offset: end})
			.where('sandbox_id', '=', sandboxId)
			.where('start_offset', '=', last.start_offset)
			.execute();
	} else {
		await transaction
			.insertInto('log_segments')
			.values({sandbox_id: sandboxId, start_offset: start, end_offset: end, bytes})
			.execute();
	}
}

const findSegmentBefore = (transaction: DatabaseTransaction, sandboxId: string, end: number) =>
	transaction
		.selectFrom('log_segments')
		.select(['start_offset', 'bytes'])
		.where('sandbox_id', '=', sandboxId)
		.where('end_offset', '=', end)
		.executeTakeFirst();

/** Returns the first offset that is kept of a log, as the files of a local sandbox keep it. */
function firstKept(end: number, maxBytes: number): number {
	const part = Math.max(1, Math.floor(maxBytes / logParts));
	return Math.max(0, (Math.ceil(end / part) - logParts) * part);
}

/** Drops what is before an offset. What the bucket has of it is removed later. */
async function drop(
	transaction: DatabaseTransaction,
	sandboxId: string,
	{start_offset}: Pick<StoredLog, 'start_offset'>,
	start: number,
): Promise<void> {
	if (start <= start_offset) {
		return;
	}

	await transaction
		.updateTable('sandbox_logs')
		.set({start_offset: start})
		.where('sandbox_id', '=', sandboxId)
		.execute();
	await transaction
		.deleteFrom('log_segments')
		.where('sandbox_id', '=', sandboxId)
		.where('end_offset', '<=', start)
		.where('object', 'is', null)
		.execute();
}

/**
 * Moves the oldest segments of a log that are still in the database to the bucket, if there is one and they are enough for an
 * object. The name of the object follows from the log, so that another attempt after a crash replaces nothing else.
 */
export async function moveToBucket({database, blobs}: LogStore, sandboxId: string, holder: string): Promise<void> {
	const range = blobs && (await findMovable(database, sandboxId));
	if (!range) {
		return;
	}

	const {start, end} = range;
	await removeLogObjects({database, blobs}, sandboxId, (await findStoredLog(database, sandboxId))?.start_offset ?? 0);
	const object = `logs/${sandboxId}/${start}-${end}`;
	const bytes = await readSegments({database, blobs}, sandboxId, range);
	await blobs.put(object, once(bytes), undefined);
	await database.transaction().execute(async transaction => {
		const {numUpdatedRows} = await transaction
			.updateTable('sandbox_logs')
			.set({held_by: holder})
			.where('sandbox_id', '=', sandboxId)
			.where('held_by', '=', holder)
			.executeTakeFirst();
		if (numUpdatedRows > 0n) {
			await transaction
				.deleteFrom('log_segments')
				.where('sandbox_id', '=', sandboxId)
				.where('start_offset', '>=', start)
				.where('end_offset', '<=', end)
				.execute();
			await transaction
				.insertInto('log_segments')
				.values({sandbox_id: sandboxId, start_offset: start, end_offset: end, object})
				.execute();
		}
	});
}

/** Returns the oldest segments that make up an object, without the last one, which may still grow. */
async function findMovable(database: Database, sandboxId: string): Promise<LogExtent | undefined> {
	const segments = await database
		.selectFrom('log_segments')
		.select(['start_offset', 'end_offset'])
		.where('sandbox_id', '=', sandboxId)
		.where('object', 'is', null)
		.orderBy('start_offset')
		.execute();
	const start = segments[0]?.start_offset ?? 0;
	const last = segments.slice(0, -1).find(({end_offset}) => end_offset - start >= objectBytes);
	return last && {start, end: last.end_offset};
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
	yield bytes;
}

/** Removes what the bucket has of a log before an offset. */
export async function removeLogObjects(
	{database, blobs}: LogStore,
	sandboxId: string,
	before = Number.MAX_SAFE_INTEGER,
): Promise<void> {
	if (!blobs) {
		return;
	}

	const segments = await database
		.selectFrom('log_segments')
		.select(['start_offset', 'object'])
		.where('sandbox_id', '=', sandboxId)
		.where('end_offset', '<=', before)
		.where('object', 'is not', null)
		.execute();
	for (const {start_offset, object} of segments) {
		await blobs.remove(object ?? '');
		// Afterwards, so that none is forgotten.
		await database
			.deleteFrom('log_segments')
			.where('sandbox_id', '=', sandboxId)
			.where('start_offset', '=', start_offset)
			.execute();
	}
}

/** Reads a window of a collected log, as `windowOf` does. */
export async function readStoredLog(
	store: LogStore,
	sandboxId: string,
	log: Pick<StoredLog, 'start_offset' | 'end_offset'>,
	after: number | undefined,
): Promise<LogWindow> {
	let current = log;
	for (let attempt = 1; ; attempt += 1) {
		const extent = {start: current.start_offset, end: current.end_offset};
		const window = await readOnce(store, sandboxId, extent, after);
		if (window) {
			return window;
		}

		// Its beginning was dropped meanwhile; the retry starts later.
		const found = attempt < maxAttempts ? await findStoredLog(store.database, sandboxId) : undefined;
		current = found ?? {start_offset: current.end_offset, end_offset: current.end_offset};
	}
}

async function readOnce(
	store: LogStore,
	sandboxId: string,
	extent: LogExtent,
	after: number | undefined,
): Promise<LogWindow | undefined> {
	let isMissing = false;
	const read = (range: LogExtent) => readSegments(store, sandboxId, range);
	const window = await windowOf(
		extent,
		async (from, to) => {
			const range = {start: from, end: to};
			const bytes = store.tails ? await store.tails.read(sandboxId, extent, range, read) : await read(range);
			isMissing ||= bytes.length < to - from;
			return bytes;
		},
		after,
	);
	return isMissing ? undefined : window;
}

async function readSegments({database, blobs}: LogStore, sandboxId: string, {start, end}: LogExtent): Promise<Buffer> {
	if (start >= end) {
		return Buffer.alloc(0);
	}

	const segments = await database
		.selectFrom('log_segments')
		.select(['start_offset', 'end_offset', 'bytes', 'object'])
		.where('sandbox_id', '=', sandboxId)
		.where('end_offset', '>', start)
		.where('start_offset', '<', end)
		.orderBy('start_offset')
		.execute();
	const parts = segments.map(async ({start_offset, end_offset, bytes, object}) => {
		const from = Math.max(0, start - start_offset);
		const to = Math.min(end, end_offset) - start_offset;
		return object === null
			? Buffer.from(bytes ?? []).subarray(from, to)
			: await readObject(blobs, object, {start: from, end: to - 1});
	});
	return Buffer.concat(await Promise.all(parts));
}

async function readObject(blobs: Blobs | undefined, name: string, range: ByteRange): Promise<Buffer> {
	const stream = await blobs?.open(name, range);
	return stream ? Buffer.from(await new Response(stream).arrayBuffer()) : Buffer.alloc(0);
}

const findStoredLog = (database: Database, sandboxId: string): Promise<StoredLog | undefined> =>
	database
		.selectFrom('sandbox_logs')
		.select(['state', 'start_offset', 'end_offset', 'collected'])
		.where('sandbox_id', '=', sandboxId)
		.executeTakeFirst();

/** Ends an unfinished log with a line of the server, because nobody can collect the rest for now. */
export async function endLostLog(transaction: DatabaseTransaction, sandboxId: string, line: string): Promise<void> {
	const log = await transaction
		.updateTable('sandbox_logs')
		.set({state: 'lost'})
		.where('sandbox_id', '=', sandboxId)
		.where('state', 'in', ['open', 'ended'])
		.returning('end_offset')
		.executeTakeFirst();
	if (!log) {
		return;
	}

	const start = log.end_offset;
	const last = (await findSegmentBefore(transaction, sandboxId, start))?.bytes?.at(-1) ?? lineBreak;
	const bytes = Buffer.from(`${last === lineBreak ? '' : '\n'}[server] ${line}\n`);
	const end = start + bytes.length;
	await addSegment(transaction, sandboxId, {bytes, start, end});
	await transaction.updateTable('sandbox_logs').set({end_offset: end}).where('sandbox_id', '=', sandboxId).execute();
}

/** Marks the log of a sandbox as ended once nothing more is written to it. Its rest is then collected. */
export async function markLogEnded(database: Database, sandboxId: string): Promise<void> {
	await database
		.updateTable('sandbox_logs')
		.set({state: 'ended'})
		.where('sandbox_id', '=', sandboxId)
		.where('state', 'in', ['open', 'complete'])
		.execute();
}

import {randomUUID} from 'node:crypto';
import {messageOf} from '../../core/error.ts';
import {repeat} from '../kit/repeat.ts';
import {whileProgress} from '../kit/while-progress.ts';
import {
	appendToLog,
	type LogPiece,
	logStoreOf,
	markLogEnded,
	maxLogBytes,
	moveToBucket,
	type StoredLog,
} from './log-store.ts';
import {lineBreak} from './log-window.ts';
import type {LogWindow} from './provider.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How often a log is read: while lines arrive, and at least. */
const minDelayMs = 250;
const maxDelayMs = 2000;

/** How often logs without a collector are looked for. */
const claimMs = 2000;

const renewMs = 3000;

/** How long a collector keeps its logs without a renewal. */
export const collectorLeaseMs = 3 * renewMs;

/** How many logs are read at once, and how many windows of one until it is the next one's turn. */
const maxParallel = 8;
const maxWindows = 4;

/** How long the others wait for one that is read slowly, and how many of those are read beside them. */
const slowMs = 1000;
const maxSlow = 8;

/** Copies logs of sandboxes from their provider to the database. Each log has one collector at a time. */
export type LogCollector = {
	/** Writes that this collector is there, for the time of a lease. */
	readonly renew: () => Promise<void>;
	/** Assigns logs of this machine without a collector to this one, and looks for those that have ended. */
	readonly claim: () => Promise<void>;
	/** Collects what is new of the logs that are due. Doesn't wait for those that are read slowly: they go on beside the others. */
	readonly collect: () => Promise<void>;
	/** Ends the lease, so that other collectors take its logs. */
	readonly release: () => Promise<void>;
};

/** One collector: its id in the database, and the most bytes that it keeps of a log. */
type Collector = {readonly services: SandboxServices; readonly holder: string; readonly maxBytes: number};

type Followed = {
	state: StoredLog['state'];
	/** The provider's offset of what comes next. */
	collected: number;
	delayMs: number;
	dueMs: number;
	isFailing: boolean;
};

export function createLogCollector(services: SandboxServices, {maxBytes = maxLogBytes} = {}): LogCollector {
	const {database, now} = services;
	const collector = {services, holder: randomUUID(), maxBytes};
	const followed = new Map<string, Followed>();
	let leftOpen: ReadonlySet<string> = new Set();
	let isUnsure = false;
	let isReleased = false;
	const add = (rows: readonly HeldLog[]) => {
		for (const {sandbox_id, ...log} of rows) {
			const before = followed.get(sandbox_id);
			if (before?.state !== log.state || before.collected !== log.collected) {
				followed.set(sandbox_id, {...log, delayMs: minDelayMs, dueMs: 0, isFailing: before?.isFailing ?? false});
			}
		}
	};
	/** Reads in progress, and logs whose last one was slow: of a flood, or an engine that stalls. */
	const visits = new Map<string, Promise<void>>();
	const slow = new Set<string>();
	const begin = async (id: string, log: Followed): Promise<void> => {
		const began = performance.now();
		const isFollowed = await visit(collector, id, log, () => isReleased);
		visits.delete(id);
		slow.delete(id);
		if (!isFollowed && followed.get(id) === log) {
			followed.delete(id);
		} else if (performance.now() - began > slowMs) {
			slow.add(id);
		}
	};
	return {
		async renew() {
			await renewLease(collector);
			leftOpen = await endLeftOpen(services, leftOpen);
		},
		async claim() {
			const machine = await services.sandboxes.provider.machine();
			// The database may do what it is asked although its answer gets lost.
			const seen = isUnsure ? await findHeld(collector, machine, ['open', 'ended', 'lost']) : [];
			isUnsure = true;
			add([...seen, ...(await claimLogs(collector, machine))]);
			isUnsure = false;
			add(await findHeld(collector, machine, ['ended', 'lost']));
		},
		async collect() {
			const atMs = now().getTime();
			const isFree = (id: string) => !visits.has(id) && !(slow.has(id) && visits.size >= maxSlow);
			const due = [...followed].filter(([id, {dueMs}]) => dueMs <= atMs && isFree(id));
			for (let first = 0; first < due.length; first += maxParallel) {
				const some = due.slice(first, first + maxParallel);
				await whileProgress(slowMs, progressed => {
					for (const [id, log] of some) {
						visits.set(id, begin(id, log).then(progressed));
					}

					return Promise.all(some.map(([id]) => visits.get(id)));
				});
			}
		},
		async release() {
			isReleased = true;
			followed.clear();
			await database.deleteFrom('log_collectors').where('id', '=', collector.holder).execute();
			// The provider ends those that are read slowly when it closes.
			await whileProgress(slowMs, () => Promise.all(visits.values()));
		},
	};
}

async function renewLease({services: {database, now}, holder}: Collector): Promise<void> {
	const [held_until, past] = [collectorLeaseMs, -collectorLeaseMs].map(ms =>
		new Date(now().getTime() + ms).toISOString(),
	);
	await database
		.insertInto('log_collectors')
		.values({id: holder, held_until: held_until ?? ''})
		.onConflict(conflict => conflict.column('id').doUpdateSet({held_until: held_until ?? ''}))
		.execute();
	await database
		.deleteFrom('log_collectors')
		.where('held_until', '<', past ?? '')
		.execute();
}

type HeldLog = Pick<StoredLog, 'state' | 'collected'> & {readonly sandbox_id: string};

const heldColumns = ['sandbox_id', 'state', 'collected'] as const;

/** Assigns to this collector, and returns, the unfinished logs of a machine whose collector has no lease any more. */
async function claimLogs({services: {database, now}, holder}: Collector, machine: string): Promise<readonly HeldLog[]> {
	const atMs = now().getTime();
	const live = database
		.selectFrom('log_collectors')
		.select('id')
		.where('held_until', '>=', new Date(atMs).toISOString())
		// A lease that ends later was written by a clock that is wrong.
		.where('held_until', '<=', new Date(atMs + 2 * collectorLeaseMs).toISOString());
	return await database
		.updateTable('sandbox_logs')
		.set({held_by: holder})
		.where('machine', '=', machine)
		.where('state', '!=', 'complete')
		.where(({eb, or}) => or([eb('held_by', 'is', null), eb('held_by', 'not in', live)]))
		.returning(heldColumns)
		.execute();
}

const findHeld = (
	{services: {database}, holder}: Collector,
	machine: string,
	states: readonly StoredLog['state'][],
): Promise<readonly HeldLog[]> =>
	database
		.selectFrom('sandbox_logs')
		.select(heldColumns)
		.where('machine', '=', machine)
		.where('state', 'in', states)
		.where('state', '!=', 'complete')
		.where('held_by', '=', holder)
		.execute();

/** Collects what is new of a log. Returns whether it is still to be followed. Never throws. */
async function visit(
	collector: Collector,
	sandboxId: string,
	log: Followed,
	isReleased: () => boolean,
): Promise<boolean> {
	const {now, log: write} = collector.services;
	let outcome: Outcome = 'unchanged';
	try {
		outcome = await follow(collector, sandboxId, log);
		log.isFailing = false;
	} catch (error) {
		if (!log.isFailing && !isReleased()) {
			write({level: 'warn', message: 'log collector', sandbox: sandboxId, error: messageOf(error)});
		}

		log.isFailing = true;
	}

	log.delayMs = outcome === 'new' ? minDelayMs : Math.min(log.delayMs * 1.5, maxDelayMs);
	log.dueMs = now().getTime() + log.delayMs;
	return outcome !== 'done';
}

/** `done`: it is complete, or another collector has it. */
type Outcome = 'new' | 'unchanged' | 'done';

async function follow(collector: Collector, sandboxId: string, log: Followed): Promise<Outcome> {
	const {services, holder, maxBytes} = collector;
	for (let windows = 0; windows < maxWindows; windows += 1) {
		const {collected} = log;
		const hasEnded = log.state !== 'open';
		const window = await services.sandboxes.provider.readLog(sandboxId, {after: collected, hasEnded});
		const piece = window && newPiece(window, collected);
		if (!piece) {
			const isOver = hasEnded && (await complete(collector, sandboxId, collected));
			return isOver ? 'done' : windows > 0 ? 'new' : 'unchanged';
		}

		if (await appendToLog(services.database, {sandboxId, holder, collected, piece, maxBytes})) {
			log.collected = piece.end;
			await moveToBucket(logStoreOf(services), sandboxId, holder);
		} else if (!(await reload(collector, sandboxId, log))) {
			return 'done';
		}
	}

	return 'new';
}

/** Returns what a window has after an offset; undefined if that is nothing. */
function newPiece({text, start, offset, bytes}: LogWindow, after: number): LogPiece | undefined {
	const all = Buffer.from(bytes ?? text);
	const end = bytes ? start + bytes.length : offset;
	if (end <= after) {
		return undefined;
	}

	// Only the end of the line before is gone, so that windows of what is left start with the same line.
	return start > after
		? {bytes: Buffer.concat([Buffer.of(lineBreak), all]), start: start - 1, end, isFirst: true}
		: // A window may begin earlier, with the character that contains the offset.
			{bytes: all.subarray(after - start), start: after, end};
}

/** Marks a log as complete. Returns false if another collector has it. */
async function complete({services, holder}: Collector, sandboxId: string, collected: number): Promise<boolean> {
	const {numUpdatedRows} = await services.database
		.updateTable('sandbox_logs')
		.set({state: 'complete', held_by: null})
		.where('sandbox_id', '=', sandboxId)
		.where('held_by', '=', holder)
		.where('collected', '=', collected)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** Reads how far a log has been collected, for an answer of the database may get lost. Returns whether it is still ours. */
async function reload({services, holder}: Collector, sandboxId: string, log: Followed): Promise<boolean> {
	const row = await services.database
		.selectFrom('sandbox_logs')
		.select(['state', 'collected'])
		.where('sandbox_id', '=', sandboxId)
		.where('held_by', '=', holder)
		.executeTakeFirst();
	Object.assign(log, row);
	return row !== undefined;
}

/**
 * Marks as ended the logs of this machine whose sandboxes ended while nobody could mark them, because that server ended,
 * too: those that `before` names. Returns others, for the next time.
 */
async function endLeftOpen(
	{database, sandboxes}: SandboxServices,
	before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
	const open = await database
		.selectFrom('sandbox_logs')
		.innerJoin('sandboxes', 'sandboxes.id', 'sandbox_logs.sandbox_id')
		.select('sandbox_id')
		.where('sandbox_logs.machine', '=', await sandboxes.provider.machine())
		.where('sandbox_logs.state', '=', 'open')
		.where('sandboxes.state', '=', 'killed')
		.execute();
	for (const {sandbox_id} of open) {
		if (before.has(sandbox_id)) {
			await markLogEnded(database, sandbox_id);
		}
	}

	return new Set(open.map(({sandbox_id}) => sandbox_id));
}

/** Collects logs until it is closed. After a fault, e.g. of the database, the next time catches up. */
export function collectLogs(services: SandboxServices): {readonly close: () => Promise<void>} {
	const collector = createLogCollector(services);
	const every = (everyMs: number) => ({log: services.log, message: 'log collector', everyMs});
	const loops = [
		repeat(every(renewMs), collector.renew),
		repeat(every(claimMs), collector.claim),
		repeat(every(minDelayMs), collector.collect),
	];
	return {
		async close() {
			await Promise.all(loops.map(({close}) => close()));
			await collector.release().catch(() => undefined);
		},
	};
}

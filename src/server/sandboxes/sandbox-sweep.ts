import {messageOf} from '../../core/error.ts';
import {whileProgress} from '../kit/while-progress.ts';
import {billTogether, groupByPayer} from './bill-sandboxes.ts';
import {dueAt, isStarting, type LiveSandbox, parts, readLive, storeDue} from './due-sandboxes.ts';
import {advanceEnvironment} from './environment-state.ts';
import type {SandboxState} from './provider.ts';
import {advanceRuntime} from './runtime-state.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How many sandboxes are inspected or updated at once: ending one takes a moment, and each may take a connection. */
const maxAtOnce = 16;

/** How long a look waits for updates of which none ends. */
const slowMs = 5000;

type Kind = SandboxState['kind'];

/** Looks after the sandboxes of one machine. A sandbox that does what its row says costs the database nothing. */
export type SandboxSweep = {
	/** Updates those that are due, and those whose processes have changed since the last look. */
	readonly look: () => Promise<void>;
	/** The same, and finds sandboxes that it didn't know, e.g. those of an earlier server. */
	readonly lookAtAll: () => Promise<void>;
};

export function createSweep(services: SandboxServices): SandboxSweep {
	const {database, sandboxes, now} = services;
	const {provider, policy} = sandboxes;
	const rate = policy.creditsPerHour;
	/** What every sandbox did at the last look; undefined if it must be updated. */
	const seen = new Map<string, Kind | undefined>();
	/** Those that are updated now: of an engine that stalls, looks leave them out. */
	const updating = new Set<string>();
	const isFree = (id: string) => !updating.has(id);

	/** Returns what each does; one that can't be inspected is as it was. */
	const inspect = async (ids: readonly string[]): Promise<ReadonlyMap<string, Kind | undefined>> => {
		const kinds = new Map<string, Kind | undefined>(ids.map(id => [id, seen.get(id)]));
		if (provider.inspectAll && ids.length > 0) {
			return await provider.inspectAll(ids).catch(error => {
				logFault(services, error);
				return kinds;
			});
		}

		await eachOf(services, ids, async id => {
			kinds.set(id, (await provider.inspect(id)).kind);
		});
		return kinds;
	};

	/** Reads what sandboxes are after an update, and stores when they are due. */
	const settle = async (updated: readonly string[], kinds: ReadonlyMap<string, Kind | undefined>) => {
		const machine = await provider.machine();
		for (const ids of parts(updated)) {
			const after = await readLive(database, machine, {ids});
			for (const id of ids) {
				seen.delete(id);
			}

			for (const row of after) {
				const kind = kinds.get(row.id);
				seen.set(row.id, kind === expectedKind(row) ? kind : undefined);
			}

			await storeDue(
				database,
				after.map(row => ({sandbox: row, next: dueAt(row, rate)})),
			);
		}
	};

	/** Updates sandboxes; one that fails is updated again at the next look, and one that is slow beside it. */
	const update = async (rows: readonly LiveSandbox[], kinds: ReadonlyMap<string, Kind | undefined>) => {
		const updated: string[] = [];
		let isOver = false;
		for (const {id} of rows) {
			updating.add(id);
			seen.set(id, undefined);
		}

		await whileProgress(slowMs, progressed =>
			eachOf(services, rows, async row => {
				try {
					await advance(services, row);
					if (isOver) {
						await settle([row.id], kinds);
					} else {
						updated.push(row.id);
					}
				} finally {
					updating.delete(row.id);
					progressed();
				}
			}),
		);
		isOver = true;
		await settle(updated, kinds);
	};

	/** Returns the rows of known sandboxes that have changed, and forgets those that another server has ended. */
	const readChanged = async (ids: readonly string[]): Promise<readonly LiveSandbox[]> => {
		const changed: LiveSandbox[] = [];
		for (const some of parts(ids)) {
			const rows = await readLive(database, await provider.machine(), {ids: some});
			const live = new Set(rows.map(({id}) => id));
			for (const id of some.filter(each => !live.has(each))) {
				seen.delete(id);
			}

			changed.push(...rows);
		}

		return changed;
	};

	/** Charges for running sandboxes, and updates those that can't be paid. */
	const bill = async (owing: readonly LiveSandbox[], kinds: ReadonlyMap<string, Kind | undefined>) => {
		await eachOf(services, groupByPayer(owing), async group => {
			if (!(await billTogether(services, group))) {
				await update(group, kinds);
			}
		});
	};

	const lookAt = async (rows: readonly LiveSandbox[]) => {
		const due = rows.filter(({id}) => isFree(id));
		const dueIds = new Set(due.map(({id}) => id));
		const kinds = await inspect([...new Set([...seen.keys(), ...dueIds])].filter(isFree));
		const isChanged = (id: string) => kinds.get(id) === undefined || kinds.get(id) !== seen.get(id);
		const changed = await readChanged([...seen.keys()].filter(id => isFree(id) && !dueIds.has(id) && isChanged(id)));

		const at = now().toISOString();
		const isOver = ({expires_at: end}: LiveSandbox) => end !== null && end <= at;
		// One that this server sees first, e.g. of a server that was killed, is steady if it does what its row says.
		const isExpected = (row: LiveSandbox) =>
			seen.has(row.id) ? !isChanged(row.id) : kinds.get(row.id) === expectedKind(row);
		const steady = due.filter(row => isExpected(row) && !isStarting(row) && !isOver(row));
		for (const {id} of steady) {
			seen.set(id, kinds.get(id));
		}

		const isSteady = new Set(steady);
		await update([...changed, ...due.filter(row => !isSteady.has(row))], kinds);

		const next = steady.map(row => ({sandbox: row, next: dueAt(row, rate)}));
		const isOwing = ({next: time}: (typeof next)[number]) => time !== null && time <= at;
		await storeDue(
			database,
			next.filter(each => !isOwing(each)),
		);
		await bill(
			next.filter(isOwing).map(({sandbox}) => sandbox),
			kinds,
		);
	};

	return {
		async look() {
			await lookAt(await readLive(database, await provider.machine(), {dueBy: now().toISOString()}));
		},
		async lookAtAll() {
			const rows = await readLive(database, await provider.machine(), {});
			const live = new Set(rows.map(({id}) => id));
			for (const id of [...seen.keys()].filter(each => !live.has(each))) {
				seen.delete(id);
			}

			const at = now().toISOString();
			await lookAt(rows.filter(row => !seen.has(row.id) || (row.due_at ?? dueAt(row, rate) ?? at) < at));
		},
	};
}

/** Returns what the processes of a sandbox do if nothing happens. */
function expectedKind({state, environment_state: environment}: LiveSandbox): Kind {
	return state === 'paused' || environment === 'paused'
		? 'paused'
		: environment === 'building'
			? 'building'
			: 'running';
}

async function advance(services: SandboxServices, {environment_id, runtime_id}: LiveSandbox): Promise<void> {
	if (environment_id !== null) {
		await advanceEnvironment(services, environment_id);
	} else if (runtime_id !== null) {
		await advanceRuntime(services, runtime_id);
	}
}

/** Does work for each, some at once. A failure is logged, and affects no other. */
async function eachOf<Item>(
	services: SandboxServices,
	items: readonly Item[],
	work: (item: Item) => Promise<void>,
): Promise<void> {
	const left = items.values();
	const one = async () => {
		for (const item of left) {
			await work(item).catch(error => logFault(services, error));
		}
	};
	await Promise.all(Array.from({length: Math.min(maxAtOnce, items.length)}, one));
}

export function logFault({log}: SandboxServices, error: unknown): void {
	log({level: 'warn', message: 'sandboxes', error: messageOf(error)});
}

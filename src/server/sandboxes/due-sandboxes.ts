import {type Selectable, sql} from 'kysely';
import {type EnvironmentState, endedStates} from '../../contract/resources/environment.ts';
import type {Database, Queries, Tables} from '../database/tables.ts';
import type {SandboxRow} from './meter.ts';

/** A sandbox that runs or is paused, with the environment or the runtime that it is for. */
export type LiveSandbox = SandboxRow & {
	readonly environment_id: string | null;
	readonly environment_state: EnvironmentState | null;
	readonly task_ref: string | null;
	readonly runtime_id: string | null;
	readonly runtime_key: Selectable<Tables['runtimes']>['key'] | null;
};

/** Which of the sandboxes of a machine: all, those that are due by now, or those with these ids. */
type Which = {readonly dueBy?: string; readonly ids?: readonly string[]};

/** How many sandboxes one statement names: engines limit the parameters. */
const maxNamed = 1000;

/** Splits sandboxes, or their ids, into parts that fit into one statement. */
export function parts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
	return Array.from({length: Math.ceil(items.length / maxNamed)}, (_, index) =>
		items.slice(index * maxNamed, (index + 1) * maxNamed),
	);
}

/** Returns sandboxes of a machine that run or are paused. */
export async function readLive(
	database: Database,
	machine: string,
	{dueBy, ids}: Which,
): Promise<readonly LiveSandbox[]> {
	return await database
		.selectFrom('sandboxes')
		.leftJoin('environments', 'environments.sandbox_id', 'sandboxes.id')
		.leftJoin('runtimes', 'runtimes.sandbox_id', 'sandboxes.id')
		.selectAll('sandboxes')
		.select([
			'environments.id as environment_id',
			'environments.state as environment_state',
			'environments.task_ref',
			'runtimes.id as runtime_id',
			'runtimes.key as runtime_key',
		])
		.where('sandboxes.machine', '=', machine)
		.where('sandboxes.state', '!=', 'killed')
		.where(({or, eb}) => or([eb('environments.state', 'not in', endedStates), eb('runtimes.status', '!=', 'idle')]))
		.$if(dueBy !== undefined, query => query.where('sandboxes.due_at', '<=', dueBy ?? ''))
		.$if(ids !== undefined, query => query.where('sandboxes.id', 'in', ids ?? []))
		.execute();
}

/** Returns whether a sandbox is still starting, so that its next state may come at any time. */
export function isStarting({environment_state: state, billed_before_start: before}: LiveSandbox): boolean {
	return state === 'building' || state === 'provisioning' || before !== null;
}

/** Returns when a sandbox must be looked at next, at a price in credits an hour; null if only a change of it matters. */
export function dueAt(sandbox: LiveSandbox, rate: number): string | null {
	if (sandbox.state !== 'running') {
		return null;
	}

	const since = sandbox.running_since ?? sandbox.created_at;
	if (isStarting(sandbox)) {
		return since;
	}

	const {past_seconds: past, billed_credits: billed, expires_at: end} = sandbox;
	// The first whole second that isn't paid.
	const unpaid = rate === 0 ? Number.POSITIVE_INFINITY : Math.floor((billed * 3600) / rate) + 1 - past;
	const next = Math.min(Date.parse(since) + unpaid * 1000, end === null ? Number.POSITIVE_INFINITY : Date.parse(end));
	return Number.isFinite(next) ? new Date(next).toISOString() : null;
}

/** A sandbox as it was read, and when it is due next. */
type Due = {readonly sandbox: Pick<SandboxRow, 'id' | 'due_at'>; readonly next: string | null};

/** Stores when sandboxes are due next, in one statement. One that was resumed since it was read keeps its new time. */
export async function storeDue(queries: Queries, given: readonly Due[]): Promise<void> {
	const changed = given.filter(({sandbox, next}) => sandbox.due_at !== next);
	if (changed.length === 0) {
		return;
	}

	const rows = changed.map(
		({sandbox: {id, due_at: before}, next}) =>
			sql`(cast(${id} as text), cast(${before} as text), cast(${next} as text))`,
	);
	await sql`update sandboxes set due_at = due.column3 from (values ${sql.join(rows)}) as due
		where sandboxes.id = due.column1 and coalesce(sandboxes.due_at, '') = coalesce(due.column2, '')`.execute(queries);
}

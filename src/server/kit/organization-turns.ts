import type {Database, DatabaseTransaction} from '../database/tables.ts';
import {HttpError} from './http-error.ts';

type TurnLimits = {
	/** How many organizations have their turn at once: each holds one connection. */
	readonly atOnce: number;
	/** How many wait for the turn of one organization. */
	readonly maxWaiting: number;
	readonly timeoutMs: number;
};

/** Half of the connections of a pool, so that the others answer what waits for nobody. */
const defaultLimits: TurnLimits = {atOnce: 5, maxWaiting: 1000, timeoutMs: 30_000};

/** Who waits for a turn, or has it. */
type Waiter = {readonly organizationId: string; readonly begin: () => void};

/** One at a time for each organization, and a limited number of organizations at once. */
export type OrganizationTurns = {
	/** Does work when it is its turn. Rejects (429) what would wait for too long, before it began. */
	readonly take: <Result>(organizationId: string, work: () => Promise<Result>) => Promise<Result>;
};

export function createTurns(limits: Partial<TurnLimits> = {}): OrganizationTurns {
	const {atOnce, maxWaiting, timeoutMs} = {...defaultLimits, ...limits};
	/** In the order in which they came; the first of each organization has its turn, or is in `ready`. */
	const lanes = new Map<string, Waiter[]>();
	const ready: Waiter[] = [];
	let free = atOnce;

	const dispatch = () => {
		for (let next = free > 0 ? ready.shift() : undefined; next; next = free > 0 ? ready.shift() : undefined) {
			free--;
			next.begin();
		}
	};

	/** Removes one from its lane, and lets the one behind it follow if it was the first. */
	const leave = (waiter: Waiter) => {
		const lane = lanes.get(waiter.organizationId) ?? [];
		const index = lane.indexOf(waiter);
		lane.splice(index, 1);
		const [first] = lane;
		if (!first) {
			lanes.delete(waiter.organizationId);
		} else if (index === 0) {
			ready.push(first);
		}
	};

	const enter = (organizationId: string) =>
		new Promise<Waiter>((resolve, fail) => {
			const lane = lanes.get(organizationId) ?? [];
			if (lane.length > maxWaiting) {
				fail(tooMany());
				return;
			}

			const waiter: Waiter = {
				organizationId,
				begin() {
					clearTimeout(timer);
					resolve(waiter);
				},
			};
			const timer = setTimeout(() => {
				const index = ready.indexOf(waiter);
				if (index >= 0) {
					ready.splice(index, 1);
				}

				leave(waiter);
				fail(tooMany());
				dispatch();
			}, timeoutMs);
			lanes.set(organizationId, lane);
			lane.push(waiter);
			if (lane.length === 1) {
				ready.push(waiter);
			}

			dispatch();
		});

	return {
		async take(organizationId, work) {
			const waiter = await enter(organizationId);
			try {
				return await work();
			} finally {
				free++;
				leave(waiter);
				dispatch();
			}
		},
	};
}

function tooMany(): HttpError {
	const detail = 'Too many requests of this organization are waiting. Nothing was changed. Try again in 1 s.';
	return new HttpError(429, detail, {type: 'database_error', headers: {'retry-after': '1'}});
}

const turns = new WeakMap<Database, OrganizationTurns>();

/** Sets how many organizations have their turn at once on a database, given the size of its pool. */
export function fitTurns(database: Database, connections: number): void {
	turns.set(database, createTurns({atOnce: Math.max(1, Math.floor(connections / 2))}));
}

/**
 * Runs a transaction that locks rows of an organization, e.g. its own. It waits for those of the same organization before it
 * takes a connection, so that one organization's burst leaves the others of the pool to everyone else. Rejects (429) if it
 * would wait for too long.
 */
export function organizationTransaction<Result>(
	database: Database,
	organizationId: string,
	work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
	let known = turns.get(database);
	if (!known) {
		known = createTurns();
		turns.set(database, known);
	}

	return known.take(organizationId, () => database.transaction().execute(work));
}

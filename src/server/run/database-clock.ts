import {sql} from 'kysely';
import type {Database} from '../database/tables.ts';
import type {Log} from '../kit/log.ts';
import {repeat} from '../kit/repeat.ts';

/** How often the clock of the database is read. */
const readMs = 10_000;

/** A difference between the clocks of a server and its database that is logged: codes and tokens of others depend on it. */
const loggedMs = 10_000;

/** How much the wall clock and the monotonic one may part: more is a jump, or a machine that slept. */
const jumpMs = 1000;

/** The clocks of a process, in milliseconds. */
export type ProcessClocks = {readonly wall: () => number; readonly monotonic: () => number};

const processClocks: ProcessClocks = {wall: () => Date.now(), monotonic: () => performance.now()};

/** The time of a database, which all its servers share, whatever their own clocks say. */
export type DatabaseClock = {
	readonly now: () => Date;
	/** Reads the clock of the database. */
	readonly read: () => Promise<void>;
};

/** A reading of the database, and what the clocks of the process said in the middle of it. */
type Reading = {readonly timeMs: number; readonly wallMs: number; readonly monotonicMs: number};

/** Creates a clock that goes on by monotonic differences from one reading of the database to the next. */
export function createDatabaseClock(
	readTime: () => Promise<number>,
	{log, clocks = processClocks}: {readonly log: Log; readonly clocks?: ProcessClocks},
): DatabaseClock {
	let last: Reading | undefined;
	let isLogged = false;
	let pending: Promise<void> | undefined;
	const measure = async () => {
		const [began, wallBegan] = [clocks.monotonic(), clocks.wall()];
		const timeMs = await readTime();
		const halfMs = (clocks.monotonic() - began) / 2;
		const middle = {wallMs: wallBegan + halfMs, monotonicMs: began + halfMs};
		const known = last && at(last, middle);
		// What is within the time of the question may as well be right, so that time doesn't shake.
		const isKnown = known !== undefined && Math.abs(known - timeMs) <= halfMs + 1;
		last = {...middle, timeMs: isKnown ? known : timeMs};
		const differenceMs = Math.round(middle.wallMs - timeMs);
		const isFar = Math.abs(differenceMs) > loggedMs;
		if (isFar && !isLogged) {
			log({
				level: 'warn',
				message: 'clock differs from that of the database',
				seconds: Math.round(differenceMs / 1000),
			});
		}

		isLogged = isFar;
	};
	const read = () => {
		pending ??= measure().finally(() => {
			pending = undefined;
		});
		return pending;
	};
	return {
		read,
		now() {
			const [wallMs, monotonicMs] = [clocks.wall(), clocks.monotonic()];
			if (!last) {
				return new Date(wallMs);
			}

			const [byMonotonic, byWall] = [at(last, {wallMs, monotonicMs}), last.timeMs + wallMs - last.wallMs];
			if (Math.abs(byWall - byMonotonic) < jumpMs) {
				return new Date(byMonotonic);
			}

			// Only the database knows whether the clock jumped or the machine slept. Until it says so, leases are over.
			void read().catch(() => undefined);
			return new Date(Math.max(byMonotonic, byWall));
		},
	};
}

const at = ({timeMs, monotonicMs}: Reading, now: Pick<Reading, 'monotonicMs' | 'wallMs'>) =>
	timeMs + now.monotonicMs - monotonicMs;

/** Reads the time of a PostgreSQL server in milliseconds. */
export async function readPostgresTime(database: Database): Promise<number> {
	const {rows} = await sql<{ms: number | string}>`select extract(epoch from clock_timestamp()) * 1000 as ms`.execute(
		database,
	);
	return Number(rows[0]?.ms);
}

/** Opens the clock of a PostgreSQL server, and reads it now and then until it is closed. */
export async function openDatabaseClock(database: Database, log: Log) {
	const clock = createDatabaseClock(() => readPostgresTime(database), {log});
	const {first, close} = repeat({log, message: 'clock of the database', everyMs: readMs}, clock.read);
	await first;
	return {now: clock.now, close};
}

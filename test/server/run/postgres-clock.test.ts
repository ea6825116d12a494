import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {openDatabaseClock, readPostgresTime} from '../../../src/server/run/database-clock.ts';
import {createTestServer} from '../harness.ts';

test('the time of PostgreSQL is read to the millisecond, whatever its time zone', async () => {
	const {database} = await createTestServer();
	const ask = async () => {
		const {rows} = await sql<{
			at: string;
		}>`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`.execute(database);
		return Date.parse(rows[0]?.at ?? '');
	};
	const [before, between, after] = [await ask(), await readPostgresTime(database), await ask()];
	// One clock, asked three times; the first and the last in whole milliseconds.
	expect([before - 1, between, after + 1].toSorted((one, other) => one - other)).toEqual([
		before - 1,
		between,
		after + 1,
	]);
	const clock = await openDatabaseClock(database, () => {});
	expect(clock.now().getTime()).not.toBeNaN();
	await clock.close();
});

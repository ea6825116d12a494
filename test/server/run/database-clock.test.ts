import fc from 'fast-check';
import {expect, test} from 'vitest';
import {takeSweep} from '../../../src/server/database/sweep-lease.ts';
import {createDatabaseClock} from '../../../src/server/run/database-clock.ts';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import {createTestServer} from '../harness.ts';

const hourMs = 3_600_000;

/** A machine whose clock is ahead, and whose clock can be set; time passes on it as on the database. */
function machineOf(time: {ms: number}, aheadMs: number) {
	let offsetMs = aheadMs;
	const entries: unknown[] = [];
	const clock = createDatabaseClock(async () => time.ms, {
		log: entry => void entries.push(entry),
		clocks: {wall: () => time.ms + offsetMs, monotonic: () => time.ms - 1000},
	});
	return {
		...clock,
		entries,
		set(ms: number) {
			offsetMs = ms;
		},
	};
}

test('servers whose clocks differ by hours, and are set while they run, have one time and one lease', async () => {
	const hours = fc.integer({min: -26 * hourMs, max: 26 * hourMs});
	await fc.assert(
		fc.asyncProperty(
			fc.array(hours, {minLength: 2, maxLength: 4}),
			fc.array(fc.tuple(fc.nat(3), hours)),
			async (differences, jumps) => {
				const server = await createTestServer();
				const time = {ms: server.services.now().getTime()};
				const machines = differences.map(aheadMs => machineOf(time, aheadMs));
				const leases = machines.map(({now}) => createMachineLease({...server.services, now}));
				for (const {read} of machines) {
					await read();
				}

				const rounds = [...jumps, [0, differences[0] ?? 0] as const];
				let holder: number | undefined;
				for (const [which, ms] of rounds) {
					const jumped = machines[which % machines.length];
					jumped?.set(ms);
					// Whoever looks at the time next notices the jump.
					jumped?.now();
					await jumped?.read();
					for (const lease of leases) {
						await lease.renew();
					}

					expect(machines.map(({now}) => now().getTime())).toEqual(machines.map(() => time.ms));
					const holders = leases.flatMap((lease, index) => (lease.isHeld() ? [index] : []));
					expect(holders).toEqual([holder ?? holders[0]]);
					[holder] = holders;
					const sweeps = machines.map(({now}, index) =>
						takeSweep(server.database, {name: 'x', server: String(index), nowMs: now().getTime(), leaseMs: 30_000}),
					);
					expect((await Promise.all(sweeps)).filter(Boolean)).toHaveLength(1);
					time.ms += 10_000;
				}
			},
		),
		{numRuns: 6},
	);
});

test('a clock that is far from that of the database is logged once, and one that slept has no lease until it knows the time', async () => {
	const server = await createTestServer();
	const time = {ms: server.services.now().getTime()};
	const machine = machineOf(time, 0);
	await machine.read();
	const lease = createMachineLease({...server.services, now: machine.now});
	await lease.renew();
	expect([lease.isHeld(), machine.entries]).toEqual([true, []]);
	machine.set(2 * hourMs);
	expect(lease.isHeld()).toBe(false);
	await machine.read();
	await machine.read();
	expect(machine.now().getTime()).toBe(time.ms);
	expect(machine.entries).toEqual([{level: 'warn', message: 'clock differs from that of the database', seconds: 7200}]);
});

test('a clock without a reading is that of the machine, and one whose database is away goes on', async () => {
	const time = {ms: 5_000_000};
	let isAway = true;
	const clock = createDatabaseClock(
		async () => {
			if (isAway) {
				throw new Error('away');
			}

			return time.ms + 60_000;
		},
		{log: () => {}, clocks: {wall: () => time.ms, monotonic: () => time.ms}},
	);
	await expect(clock.read()).rejects.toThrow('away');
	expect(clock.now().getTime()).toBe(5_000_000);
	isAway = false;
	await clock.read();
	isAway = true;
	time.ms += 1000;
	await expect(clock.read()).rejects.toThrow('away');
	expect(clock.now().getTime()).toBe(5_061_000);
});

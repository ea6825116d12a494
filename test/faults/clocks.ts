import {grantCredits} from '../../src/server/credits/account.ts';
import {watchMachines} from '../../src/server/sandboxes/lost-machines.ts';
import {createMachineLease, heartbeatMs} from '../../src/server/sandboxes/machine-lease.ts';
import {createCheck} from '../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer} from '../server/harness.ts';
import {addReady, onEngine, simulateEngine} from '../server/sandboxes/simulated.ts';
import {createRandom, createTally, type Fault, type Random} from './fault.ts';

const gift = 10_000;
const minutes = 3;
const perMachine = 4;

/** Servers whose clocks differ by up to two hours, each on a machine of its own with sandboxes; the last two share one. */
async function openServers(random: Random) {
	const server = await createTestServer();
	const {id: organizationId} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const given = {organizationId, amount: gift, reason: 'gift', now: server.services.now()};
	await server.database.transaction().execute(transaction => grantCredits(transaction, given));
	const engines = [simulateEngine(), simulateEngine(), simulateEngine()];
	const offsets = engines.map(() => random.below(14_400_000) - 7_200_000);
	const steady = {ms: 0};
	const servers = [0, 1, 2, 2].map((machine, index) => {
		const engine = engines[machine] ?? simulateEngine();
		let clockMs = offsets[machine] ?? 0;
		const services = {
			...onEngine(server, engine, `machine-${machine}`),
			now: () => new Date(server.services.now().getTime() + clockMs),
		};
		const lease = createMachineLease(services, {id: `server-${index}`, address: null}, () => steady.ms);
		const check = createCheck(services, lease);
		const freeLost = watchMachines(services);
		return {
			...{name: `server ${index}`, machine, engine, services, lease},
			/** Moves its clock, as a correction by the network does. */
			jump(milliseconds: number) {
				clockMs += milliseconds;
			},
			/** What its monitor does with each heartbeat. */
			async beat() {
				await lease.renew();
				await freeLost();
				await check();
			},
		};
	});
	const advance = (milliseconds: number) => {
		server.advance(milliseconds);
		steady.ms += milliseconds;
	};
	return {server, servers, engines, advance};
}

/** What happens to one of the servers before a heartbeat: nothing, mostly. */
const happenings = [
	'nothing',
	'nothing',
	'nothing',
	'a kill',
	'a partition',
	'a jump forward',
	'a jump back',
	'a step',
] as const;

export const clocks: Fault = {
	name: 'servers whose clocks differ by hours and jump, with kills and partitions of any length: a machine has one server, a sandbox that another one manages is never ended early, and each is billed once',
	rules: [],
	amounts: {test: 2, full: 400},
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		for (let turn = 0; turn < amount; turn += 1) {
			await tally.attempt(`turn ${turn}`, async () => {
				const {server, servers, engines, advance} = await openServers(random);
				// Each sees the others alive.
				for (let count = 0; count < 2; count += 1) {
					await Promise.all(servers.map(({beat}) => beat()));
					advance(heartbeatMs);
				}

				for (const {services, engine} of servers.slice(0, 3)) {
					await addReady({...server, services}, engine, {count: perMachine, seconds: minutes * 60});
				}

				// How many heartbeats each server is away for.
				const away = servers.map(() => 0);
				const dead = new Set<number>();
				const jumped = new Set<number>();
				const beats = (minutes * 60_000 + 240_000) / heartbeatMs;
				for (let beat = 0; beat < beats + 300; beat += 1) {
					const index = random.below(servers.length);
					const happening = beat < beats && !dead.has(index) ? random.pick(happenings) : 'nothing';
					const one = servers[index];
					if (happening === 'a kill' && dead.size < servers.length - 1) {
						dead.add(index);
					} else if (happening === 'a partition') {
						away[index] = 1 + random.below(12);
					} else if (happening !== 'nothing' && happening !== 'a kill') {
						const milliseconds = happening === 'a step' ? 900 : 1000 * random.below(600);
						// Servers of one machine have one clock.
						for (const each of servers.filter(({machine}) => machine === one?.machine)) {
							each.jump(happening === 'a jump back' ? -milliseconds : milliseconds);
							jumped.add(each.machine);
						}
					}

					advance(heartbeatMs);
					await Promise.all(
						servers.map(({beat: work}, at) => ((away[at] ?? 0) > 0 || dead.has(at) ? undefined : work())),
					);
					for (const [at, left] of away.entries()) {
						away[at] = beat >= beats ? 0 : Math.max(0, left - 1);
					}

					const holders = servers.filter(({machine, lease}, at) => machine === 2 && !dead.has(at) && lease.isHeld());
					if (holders.length > 1) {
						throw new Error(`${holders.map(({name}) => name).join(' and ')} hold one lease`);
					}

					// Whoever has no right to it ends nothing: its clock is its own, and its machine alive.
					if (beat < (minutes * 60_000) / heartbeatMs - 4) {
						const ended = engines.flatMap(({states}, machine) =>
							jumped.has(machine) ? [] : [...states.values()].filter(({kind}) => kind !== 'running'),
						);
						if (ended.length > 0) {
							throw new Error(`${ended.length} ended early, in heartbeat ${beat}`);
						}
					}
				}

				const sandboxes = await server.database
					.selectFrom('sandboxes')
					.innerJoin('environments', 'environments.sandbox_id', 'sandboxes.id')
					.select(['sandboxes.state', 'environments.state as environment', 'billed_credits', 'past_seconds'])
					.execute();
				const entries = await server.database.selectFrom('credit_entries').select(['amount', 'reason']).execute();
				const {balance} = await server.database
					.selectFrom('credit_accounts')
					.select('balance')
					.executeTakeFirstOrThrow();
				// The first minute of each was billed before.
				const billed = sandboxes.reduce((sum, each) => sum + each.billed_credits - 1, 0);
				const used = entries.reduce((sum, {amount: credits, reason}) => (reason === 'gift' ? sum : sum - credits), 0);
				const problems = [
					...sandboxes
						.filter(({state, environment}) => state !== 'killed' || environment !== 'torn_down')
						.map(({state, environment}) => `${state} and ${environment} at the end`),
					...sandboxes
						.filter(({billed_credits: credits}) => credits > minutes)
						.map(each => `billed ${each.billed_credits} for ${each.past_seconds} s`),
					...(billed === used && balance === gift - used ? [] : [`billed ${billed}, entries ${used}, left ${balance}`]),
					...engines
						.filter((_, machine) => servers.some((each, at) => each.machine === machine && !dead.has(at)))
						.flatMap(({states}) => [...states.values()].filter(({kind}) => kind === 'running'))
						.map(() => 'still runs'),
				];
				if (problems.length > 0) {
					throw new Error(problems.slice(0, 4).join('; '));
				}
			});
		}

		return tally.figure();
	},
};

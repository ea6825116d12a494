import {loadavg} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {expect, onTestFinished, test} from 'vitest';
import {creditsFor} from '../../src/server/sandboxes/credit-price.ts';
import {platformPolicy} from '../../src/server/sandboxes/sandboxing.ts';
import {folderWith} from '../e2e/program.ts';
import {createPostgres, postgresUrl} from '../postgres.ts';
import {inWorkspace} from './harness.ts';
import {initializeProgram, runProgram, startServeProgram} from './program.ts';
import {clusterEnvironment} from './sandboxes/kubernetes/cluster-sandboxes.ts';
import {simulateContainers} from './sandboxes/kubernetes/simulated-container.ts';
import {stubCluster} from './sandboxes/kubernetes/stub-cluster.ts';
import {addTask} from './sandboxes/task-folder.ts';

const {SERVICE_BENCH_SANDBOXES: asked} = process.env;

/** How many sandboxes there are at once: `test/bench/sandboxes.mjs` asks for 1,000. */
const count = Number(asked ?? 60);

/** How many lines each writes, while they start, while a server is killed, and afterwards. */
const lines = 200;

/** How many requests are sent at once. */
const atOnce = 16;

const gift = 1_000_000;
const idleMs = 10_000;

const {creditsPerHour} = platformPolicy;

/** Does work for each, some at once, and returns the results in order. */
async function each<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Promise<Result>) {
	const results: Result[] = [];
	const left = items.entries();
	const one = async () => {
		for (const [index, item] of left) {
			results[index] = await work(item, index);
		}
	};
	await Promise.all(Array.from({length: atOnce}, one));
	return results;
}

/** Starts an empty PostgreSQL that counts statements, and returns its URL, and a client of its administrator. */
async function countingPostgres() {
	const settings = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=20000'];
	const postgres = await createPostgres({settings});
	if (!postgres) {
		throw new Error('PostgreSQL is not installed.');
	}

	await postgres.start();
	const url = postgresUrl(postgres.folder, 'postgres');
	const client = new pg.Client({connectionString: url});
	onTestFinished(async () => {
		await client.end();
		await postgres.end('SIGINT');
		postgres.remove();
	});
	await client.connect();
	await client.query('create extension pg_stat_statements');
	return {url, client};
}

/** Waits until nothing is appended to logs, each of which has at least so many bytes. */
async function untilCollected(client: pg.Client, bytes: number): Promise<void> {
	let before = 0;
	const isSteady = async () => {
		const {rows} = await client.query(
			`select sum(collected)::int as sum, min(collected)::int as least from sandbox_logs
				join environments on environments.sandbox_id = sandbox_logs.sandbox_id where environments.state = 'ready'`,
		);
		const [{sum, least}] = rows;
		const isSame = sum === before && least >= bytes;
		before = sum;
		return isSame;
	};
	await expect.poll(isSteady, {interval: 4000}).toBe(true);
}

test(`of ${count} sandboxes on three servers, of which one is killed, all are ready, end and are billed once, and no line is lost or doubled`, async () => {
	const {url: database, client} = await countingPostgres();
	const {started, startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer, hasSandboxes: true, pageSize: 500});
	const key = await initializeProgram(database);
	await runProgram(['credits', '--org', 'acme', '--grant', String(gift)], database);
	await runProgram(['limits', '--org', 'acme', '--capacity', String(count + atOnce)], database);
	const env = await clusterEnvironment(cluster);
	const flags = ['--engine', 'kubernetes=stub', '--image', 'node:22'];
	const start = async () => {
		const folder = folderWith({'.service-data': ''});
		await addTask({folder}, 'writes', {command: ['sh', '-c', 'true']});
		return await startServeProgram(database, {data: folder, flags, env});
	};
	const [first, ...others] = [await start(), await start(), await start()];
	let servers = [first, ...others];
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const figures = {count, broken: 0, busy: 0, startedMs: 0, stoppedMs: 0, statementsWhileIdle: 0, idleSeconds: 0};
	const send = async (index: number, path: string, body?: object) => {
		for (;;) {
			const {url} = servers[index % servers.length] ?? first;
			const response = await fetch(`${url}${inWorkspace}/environments${path}`, {
				headers,
				...(body && {method: 'POST', body: JSON.stringify(body)}),
			});
			const answer = {status: response.status, headers: response.headers, json: await response.json()};
			if (!/Nothing was changed[.;]/.test(answer.json.detail ?? '')) {
				return answer;
			}

			// A machine that is busier still lets creates wait for too long, or the database.
			figures.busy += 1;
			await sleep(1000);
		}
	};

	// What starts later writes all that it has missed, so that each has the same lines.
	let round = 0;
	let isWriting = true;
	const lineOf = (line: number, container: number) => `${line} of ${container} grüße 😀\n`;
	const writing = (async () => {
		const reached = new Map<number, number>();
		while (isWriting) {
			round = Math.min(lines, round + 1);
			for (const [index, container] of started.entries()) {
				for (let line = reached.get(index) ?? 0; line < round && container.begins > 0; line += 1) {
					container.write(lineOf(line, index));
					reached.set(index, line + 1);
				}
			}

			await sleep(50);
		}
	})();

	const begunMs = performance.now();
	let killed: Promise<void> | undefined;
	const create = async (index: number): Promise<string> => {
		if (index === Math.floor(count / 2) && !killed) {
			// It has the lease of the engine, and collects most logs.
			servers = others;
			killed = first.kill();
		}

		const made = await send(index, '', {task_ref: 'writes', timeout_sec: 3600}).catch(() => undefined);
		if (!made) {
			figures.broken += 1;
			return await create(index);
		}

		expect([made.status, made.json]).toEqual([200, expect.anything()]);
		return made.json.id;
	};
	const ids = await each(Array.from({length: count}), (_, index) => create(index));
	await killed;
	const countIn = async (...states: readonly string[]): Promise<number> => {
		const {rows} = await client.query('select count(*)::int from environments where state = any($1)', [states]);
		return rows[0].count;
	};
	await expect.poll(() => countIn('building', 'provisioning')).toBe(0);
	figures.startedMs = performance.now() - begunMs;
	const states = await each(ids, async (id, index) => (await send(index, `/${id}`)).json);
	expect(states.filter(({state}) => state !== 'ready').map(({state, error}) => [state, error])).toEqual([]);
	// A request that broke may have created another one, which is known to the database, too.
	expect(await countIn('ready', 'failed', 'torn_down')).toBeLessThanOrEqual(count + figures.broken);

	await expect.poll(() => round).toBe(lines);
	await untilCollected(client, Array.from({length: lines}, (_, line) => lineOf(line, 0)).join('').length);
	isWriting = false;
	await writing;
	await client.query('select pg_stat_statements_reset()');
	const idleFromMs = performance.now();
	await sleep(idleMs);
	const {rows: statements} = await client.query(
		"select query, calls::int from pg_stat_statements where query not like '%pg_stat_statements%' order by calls desc",
	);
	figures.idleSeconds = (performance.now() - idleFromMs) / 1000;
	figures.statementsWhileIdle = statements.reduce((sum, {calls}) => sum + calls, 0);
	// Each server does what it repeats every two seconds or more, and nothing for each sandbox.
	const most = servers.length * (figures.idleSeconds / 2 + 1);
	expect(statements.filter(({calls}) => calls > most)).toEqual([]);

	const stopFromMs = performance.now();
	const {rows: left} = await client.query("select id from environments where state = 'ready'");
	const stopped = await each(left, async ({id}, index) => await send(index, `/${id}/stop`, {}));
	expect(stopped.filter(({status}) => status !== 200).map(({json}) => json)).toEqual([]);
	figures.stoppedMs = performance.now() - stopFromMs;
	const seen = new Set<string>();
	const wrong = await each(ids, async (id, index) => {
		let text = '';
		for (let after = 0, isOver = false; !isOver; ) {
			const log = await send(index, `/${id}/logs?after=${after}`);
			expect(Number(log.headers.get('x-log-start'))).toBe(after);
			text += log.json.logs;
			after = Number(log.headers.get('x-log-offset'));
			isOver = log.headers.get('x-log-ended') !== null && log.json.logs === '';
			await sleep(isOver ? 0 : 50);
		}

		const container = /^0 of (\d+) /m.exec(text)?.[1] ?? '';
		const whole = Array.from({length: lines}, (_, line) => lineOf(line, Number(container)));
		const isRight = text === ['[sandbox] begun\n', ...whole].join('') && !seen.has(container);
		seen.add(container);
		return isRight ? [] : [text];
	});
	expect(wrong.flat()).toEqual([]);

	const {rows: sandboxes} = await client.query(
		'select state, past_seconds::int, billed_credits::int, billed_before_start from sandboxes',
	);
	// The first credit is paid before the start, and paid back to one that never started.
	const isBilledOnce = ({past_seconds: seconds, billed_credits: billed}: (typeof sandboxes)[number]) =>
		seconds === 0 ? billed <= 1 : billed === creditsFor(seconds, creditsPerHour);
	expect(sandboxes.filter(row => row.state !== 'killed' || row.billed_before_start !== null)).toEqual([]);
	expect(sandboxes.filter(row => !isBilledOnce(row))).toEqual([]);
	const {rows: sums} = await client.query(
		`select (select sum(billed_credits)::int from sandboxes) as billed,
			(select sum(amount)::int from credit_entries) as entries, (select balance::int from credit_accounts) as balance`,
	);
	const [{billed}] = sums;
	expect(sums).toEqual([{billed, entries: gift - billed, balance: gift - billed}]);
	expect(cluster.violations).toEqual([]);
	if (asked !== undefined) {
		console.log(JSON.stringify({...figures, billed, load: loadavg()}, undefined, '\t'));
	}
});

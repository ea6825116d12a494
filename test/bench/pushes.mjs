// Pushes spans to the servers of several builds by turns, each on a database of its own, and prints the processor time:
//   node test/bench/pushes.mjs <older>/dist/service.js dist/service.js [--rounds 5] [--bodies 40]
// on SQLite, or on PostgreSQL if SERVICE_BENCH_DATABASE is the URL of a database on this machine. The last column says how many
// times the first build's time that of each is.
import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import {withHome} from './program.mjs';
import {batch, pushOf} from './push-body.mjs';
import {cpuOf, postgresCpu} from './server-time.mjs';

const {values, positionals: programs} = parseArgs({
	allowPositionals: true,
	options: {rounds: {type: 'string', default: '5'}, bodies: {type: 'string', default: '40'}, profile: {type: 'string'}},
});
const {SERVICE_BENCH_DATABASE: url} = process.env;

/** Returns the processor time of a span in ms: of the server, and of the database. */
async function measure(program) {
	return await withHome(async home => {
		const env = {
			PATH: process.env.PATH,
			SERVICE_HOME: home,
			SERVICE_SEAL_KEY: Buffer.alloc(32, 1).toString('base64url'),
		};
		const place = ['--data', join(home, 'data'), ...(url ? ['--database', url] : [])];
		const names = ['--org', `bench-${randomUUID()}`, '--email', `${randomUUID()}@localhost`];
		const {api_key: key, org} = JSON.parse(
			execFileSync(process.execPath, [program, 'serve', 'init', ...names, ...place, '--json'], {env}),
		);
		const profiled = values.profile ? ['--cpu-prof', '--cpu-prof-dir', values.profile] : [];
		const words = [...profiled, program, 'serve', ...place, '--port', '0', '--json'];
		const child = spawn(process.execPath, words, {env, stdio: ['ignore', 'pipe', 'inherit']});
		try {
			const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
			const path = `${JSON.parse(line).url}/api/v1/org/${org}/otel/traces`;
			const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
			const push = async bodies => {
				for (const body of bodies) {
					const response = await fetch(path, {method: 'POST', headers, body});
					const answer = await response.text();
					if (answer !== '{}') {
						throw new Error(`push: ${response.status} ${answer}`);
					}
				}
			};
			const bodies = Array.from({length: Number(values.bodies)}, (_, index) => pushOf(index * batch));
			await push(bodies.slice(0, 10).map(() => pushOf(1_000_000)));
			const databaseCpu = await postgresCpu(url);
			const before = [cpuOf(child.pid), databaseCpu()];
			await push(bodies);
			return [cpuOf(child.pid) - before[0], databaseCpu() - before[1]].map(ms => ms / bodies.length / batch);
		} finally {
			child.kill('SIGINT');
			await once(child, 'exit');
		}
	});
}

const times = programs.map(() => []);
for (let round = 0; round < Number(values.rounds); round++) {
	for (const [index, program] of programs.entries()) {
		times[index].push(await measure(program));
	}
}

const median = numbers => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
const whole = times.map(rounds => median(rounds.map(([server, database]) => server + database)));
for (const [index, program] of programs.entries()) {
	const [server, database] = [0, 1].map(part => median(times[index].map(round => round[part])));
	const parts = `server ${(server * 1000).toFixed(0)} us, database ${(database * 1000).toFixed(0)} us`;
	console.log(
		`${program}: ${parts}; ${(1000 / whole[index]).toFixed(0)} spans/s; ${(whole[0] / whole[index]).toFixed(2)}`,
	);
}

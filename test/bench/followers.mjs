import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {loadavg} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {freePort, startNginx} from './nginx.mjs';
import {cpuMs, withHome} from './program.mjs';

// Follows one busy log with many followers, each of which polls as the client does, through nginx in front of two servers: one has
// the files of the log, the other the database. Prints what that costs, most of it in counts, which a busy machine doesn't change:
// `SERVICE_BENCH_DATABASE=postgres://… node test/bench/followers.mjs [followers] [program] [--users]`. The database should be empty, and
// count statements (`shared_preload_libraries = pg_stat_statements`).

const isEachAUser = process.argv.includes('--users');
const [followers = '2000', program = 'dist/service.js'] = process.argv.slice(2).filter(word => !word.startsWith('--'));
const {SERVICE_BENCH_DATABASE: database} = process.env;
const measuredMs = 20_000;

/** How long the client waits between two polls while lines arrive. */
const busyMs = 250;

const writer = `let count = 0;
setInterval(() => console.log(new Date().toISOString(), 'line', count++, 'of a busy log'), 20);`;

await withHome(async home => {
	const env = {PATH: process.env.PATH, SERVICE_HOME: home, SERVICE_SEAL_KEY: Buffer.alloc(32, 1).toString('base64url')};
	const first = join(home, 'first');
	const run = (...words) =>
		execFileSync(process.execPath, [program, 'serve', ...words, '--data', first, '--database', database, '--json'], {
			env,
		});
	const names = ['--org', `bench-${randomUUID()}`, '--email', `${randomUUID()}@localhost`];
	const {api_key: key, org, workspace} = JSON.parse(run('init', ...names));
	const task = join(first, 'tasks', 'busy');
	mkdirSync(task, {recursive: true});
	const about = {name: 'busy', version: '1.0.0', public: true, command: ['node', 'main.mjs']};
	writeFileSync(join(task, 'task.yaml'), JSON.stringify(about));
	writeFileSync(join(task, 'main.mjs'), writer);
	const port = await freePort();
	const children = [];
	const start = async data => {
		const counting = ['--expose-gc', '--import', join(import.meta.dirname, 'count-work.mjs')];
		const words = ['serve', '--data', data, '--database', database, '--port', '0', '--unsafe-sandboxes', '--json'];
		const publicUrl = ['--public-url', `http://127.0.0.1:${port}`];
		const child = spawn(process.execPath, [...counting, program, ...words, ...publicUrl], {
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		children.push(child);
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		const said = createInterface({input: child.stderr});
		return {
			url: JSON.parse(line).url,
			pid: child.pid,
			/** Returns what it has done so far. */
			async look() {
				const answer = new Promise(resolve => {
					const listen = text => {
						if (text.startsWith('{"created"')) {
							said.off('line', listen);
							resolve(JSON.parse(text));
						}
					};
					said.on('line', listen);
				});
				child.kill('SIGUSR2');
				return await answer;
			},
		};
	};
	try {
		const servers = {files: await start(first), database: await start(join(home, 'second'))};
		const hosts = Object.values(servers).map(({url}) => new URL(url).host);
		children.push(await startNginx(home, port, hosts));
		const base = `http://127.0.0.1:${port}/api/v1/org/${org}/ws/${workspace}/environments`;
		const own = `${servers.files.url}/api/v1/org/${org}/ws/${workspace}/environments`;
		const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
		// The other server has no such task, and no room for its sandbox.
		const created = await fetch(own, {method: 'POST', headers, body: '{"task_ref":"busy","timeout_sec":3600}'});
		const {id} = await created.json();
		const keys = isEachAUser ? await makeKeys(servers.files.url, headers) : [key];
		console.log(JSON.stringify(await follow(servers, `${base}/${id}/logs`, {id, keys}), undefined, '\t'));
		await fetch(`${own}/${id}/stop`, {method: 'POST', headers});
	} finally {
		for (const child of children.toReversed()) {
			child.kill('SIGTERM');
			await once(child, 'exit');
		}
	}
});

/** Returns a key for each follower, so that no two of them are the same caller. */
async function makeKeys(url, headers) {
	const keys = [];
	while (keys.length < Number(followers)) {
		const made = Array.from({length: 20}, async () => {
			const response = await fetch(`${url}/api/v1/user/api-keys`, {method: 'POST', headers, body: '{"name":"bench"}'});
			const json = await response.json();
			return json.key ?? json.api_key ?? json.secret;
		});
		keys.push(...(await Promise.all(made)));
	}

	return keys;
}

/** Lets everyone follow a log for a while, and returns what the polls took. */
async function follow(servers, url, {id, keys}) {
	const client = new pg.Client({connectionString: database});
	await client.connect();
	await client.query('create extension if not exists pg_stat_statements');
	const agent = new Agent({keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY});
	const latencies = [];
	const statuses = {};
	const polled = new Set();
	let received = 0;
	let beganAt = Number.POSITIVE_INFINITY;
	let isOver = false;
	const one = async index => {
		const headers = {authorization: `Bearer ${keys[index % keys.length]}`};
		await sleep(Math.random() * 2000);
		for (let after, etag; !isOver; ) {
			const startedAt = performance.now();
			const response = await get(after === undefined ? url : `${url}?after=${after}`, agent, {
				...headers,
				...(etag && {'if-none-match': etag}),
			});
			polled.add(index);
			if (startedAt >= beganAt && !isOver) {
				latencies.push(performance.now() - startedAt);
				received += response.bytes;
			}

			statuses[response.status] = (statuses[response.status] ?? 0) + 1;
			after = response.headers['x-log-offset'] ?? after;
			etag = response.headers.etag ?? etag;
			await sleep(busyMs * (1 - Math.random() / 10));
		}
	};
	const idle = await lookAt(servers);
	const all = Array.from({length: Number(followers)}, (_, index) => one(index));
	while (polled.size < all.length) {
		await sleep(100);
	}

	const logBytes = async () => {
		const {rows} = await client.query(
			`select end_offset::int as bytes from sandbox_logs
				join environments on environments.sandbox_id = sandbox_logs.sandbox_id where environments.id = $1`,
			[id],
		);
		return rows[0].bytes;
	};
	await client.query('select pg_stat_statements_reset()');
	const [before, from] = [await lookAt(servers), await logBytes()];
	const cpu = cpuOf(servers);
	beganAt = performance.now();
	await sleep(measuredMs);
	const [after, to] = [await lookAt(servers), await logBytes()];
	const polls = latencies.length;
	const used = cpuOf(servers) - cpu;
	const {rows: asked} = await client.query('select query, calls::int from pg_stat_statements');
	isOver = true;
	await Promise.all(all);
	const countOf = pattern => asked.filter(({query}) => pattern.test(query)).reduce((sum, {calls}) => sum + calls, 0);
	// Each piece of a log that is appended moves its end once.
	const written = countOf(/^update "sandbox_logs" set "collected"/);
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = part => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
	await client.end();
	agent.destroy();
	const perServer = Object.keys(servers).map(name => {
		const grown = field => after[name][field] - before[name][field];
		const half = Number(followers) / 2;
		return [
			name,
			{
				'timers per poll': grown('created') / (polls / 2),
				'timers alive per follower': (after[name].live - idle[name].live) / half,
				'bytes copied per appended piece': Math.round(grown('copied') / written),
				'memory per follower, kB': Math.round((after[name].used - idle[name].used) / half / 1024),
			},
		];
	});
	return {
		followers: Number(followers),
		'load of the machine': loadavg().map(load => Math.round(load)),
		...{'polls/s': Math.round((polls / measuredMs) * 1000), 'median, ms': at(0.5), 'p99, ms': at(0.99), statuses},
		'ms CPU per poll': used / polls,
		'statements per poll': countOf(/./) / polls,
		'pieces appended': written,
		'reads of the store per piece': countOf(/^select .* from "log_segments" .* "end_offset" > /) / written,
		'bytes of the log': to - from,
		'bytes sent for each byte of the log and follower': received / (to - from) / Number(followers),
		...Object.fromEntries(perServer),
	};
}

async function lookAt(servers) {
	const looks = Object.entries(servers).map(async ([name, {look}]) => [name, await look()]);
	return Object.fromEntries(await Promise.all(looks));
}

function cpuOf(servers) {
	return Object.values(servers).reduce((sum, {pid}) => sum + cpuMs(pid), 0);
}

/** Sends a GET and reads the answer; one that breaks has the status 0. */
function get(url, agent, headers) {
	return new Promise(resolve => {
		request(url, {agent, headers}, response => {
			let bytes = 0;
			response.on('data', part => {
				bytes += part.length;
			});
			response.on('end', () => resolve({status: response.statusCode, headers: response.headers, bytes}));
		})
			.on('error', () => resolve({status: 0, headers: {}, bytes: 0}))
			.end();
	});
}

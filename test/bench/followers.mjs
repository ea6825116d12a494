import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import pg from 'pg';
import {cpuMs, withHome} from './program.mjs';

// Follows one busy log with many followers, each of which polls as the client does, and prints what a poll costs the server:
// `SERVICE_BENCH_DATABASE=postgres://… node test/bench/followers.mjs [followers] [program] [--users]`. The database should be empty.

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
	const data = join(home, 'data');
	const place = ['--data', data, '--database', database];
	const serve = (...words) => execFileSync(process.execPath, [program, 'serve', ...words, ...place, '--json'], {env});
	const names = ['--org', `bench-${randomUUID()}`, '--email', `${randomUUID()}@localhost`];
	const {api_key: key, org, workspace} = JSON.parse(serve('init', ...names));
	const task = join(data, 'tasks', 'busy');
	mkdirSync(task, {recursive: true});
	const about = {name: 'busy', version: '1.0.0', public: true, command: ['node', 'main.mjs']};
	writeFileSync(join(task, 'task.yaml'), JSON.stringify(about));
	writeFileSync(join(task, 'main.mjs'), writer);
	const child = spawn(process.execPath, [program, 'serve', ...place, '--port', '0', '--unsafe-sandboxes', '--json'], {
		env,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	try {
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		const {url} = JSON.parse(line);
		const base = `${url}/api/v1/org/${org}/ws/${workspace}/environments`;
		const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
		const created = await fetch(base, {method: 'POST', headers, body: '{"task_ref":"busy","timeout_sec":600}'});
		const {id} = await created.json();
		const keys = isEachAUser ? await makeKeys(url, headers) : [key];
		console.log(JSON.stringify(await follow(child.pid, `${base}/${id}/logs`, keys), undefined, '\t'));
		await fetch(`${base}/${id}/stop`, {method: 'POST', headers});
	} finally {
		child.kill('SIGTERM');
		await once(child, 'exit');
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
async function follow(pid, url, keys) {
	const client = new pg.Client({connectionString: database});
	await client.connect();
	const agent = new Agent({keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY});
	const latencies = [];
	const statuses = {};
	const polled = new Set();
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
			if (startedAt >= beganAt) {
				latencies.push(performance.now() - startedAt);
			}

			statuses[response.status] = (statuses[response.status] ?? 0) + 1;
			after = response.headers['x-log-offset'] ?? after;
			etag = response.headers.etag ?? etag;
			await sleep(busyMs * (1 - Math.random() / 10));
		}
	};
	const all = Array.from({length: Number(followers)}, (_, index) => one(index));
	while (polled.size < all.length) {
		await sleep(100);
	}

	const statements = await countStatements(client);
	const cpu = cpuMs(pid);
	beganAt = performance.now();
	await sleep(measuredMs);
	const polls = latencies.length;
	const used = cpuMs(pid) - cpu;
	const asked = (await countStatements(client)) - statements;
	isOver = true;
	await Promise.all(all);
	const sorted = latencies.toSorted((a, b) => a - b);
	const at = part => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
	await client.end();
	agent.destroy();
	return {
		followers: Number(followers),
		...{'polls/s': Math.round((polls / measuredMs) * 1000), 'median, ms': at(0.5), 'p99, ms': at(0.99)},
		...{'ms CPU per poll': used / polls, 'statements per poll': asked / polls, statuses},
	};
}

async function countStatements(client) {
	// What connections have counted arrives when they are idle for a moment.
	await sleep(1500);
	const {rows} = await client.query('select xact_commit from pg_stat_database where datname = current_database()');
	return Number(rows[0].xact_commit);
}

/** Sends a GET and reads the answer; one that breaks has the status 0. */
function get(url, agent, headers) {
	return new Promise(resolve => {
		request(url, {agent, headers}, response => {
			response.on('end', () => resolve({status: response.statusCode, headers: response.headers}));
			response.resume();
		})
			.on('error', () => resolve({status: 0, headers: {}}))
			.end();
	});
}

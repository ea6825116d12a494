import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import {freePort, startNginx} from './nginx.mjs';
import {cpuMs, withHome} from './program.mjs';

// Creates environments at once through nginx in front of two servers on one database, and prints what became of them:
// `SERVICE_BENCH_DATABASE=postgres://… node test/bench/environments.mjs [environments] [program]`. The database should be empty.

const [count = '30', program = 'dist/service.js'] = process.argv.slice(2);
const {SERVICE_BENCH_DATABASE: database} = process.env;

/** A service that listens, as a task of a web shop does. */
const listener = `import {createServer} from 'node:http';
createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT), '127.0.0.1');`;

await withHome(async home => {
	const env = {PATH: process.env.PATH, SERVICE_HOME: home, SERVICE_SEAL_KEY: Buffer.alloc(32, 1).toString('base64url')};
	const run = (...words) => execFileSync(process.execPath, [program, 'serve', ...words, '--json'], {env}).toString();
	const first = join(home, 'first');
	const place = ['--data', first, '--database', database];
	const slug = `bench-${randomUUID()}`;
	const made = JSON.parse(run('init', '--org', slug, '--email', `${randomUUID()}@localhost`, ...place));
	run('limits', '--org', slug, '--capacity', count, ...place);
	const port = await freePort();
	const children = [];
	const start = async data => {
		const task = join(data, 'tasks', 'listens');
		mkdirSync(task, {recursive: true});
		const about = {name: 'listens', version: '1.0.0', public: true, command: ['node', 'main.mjs'], services: {web: {}}};
		writeFileSync(join(task, 'task.yaml'), JSON.stringify({...about, memory_mb: 256}));
		writeFileSync(join(task, 'main.mjs'), listener);
		writeFileSync(join(data, '.service-data'), '');
		const flags = ['--data', data, '--database', database, '--port', '0', '--unsafe-sandboxes'];
		const words = ['serve', ...flags, '--public-url', `http://127.0.0.1:${port}`, '--json'];
		const child = spawn(process.execPath, [program, ...words], {env, stdio: ['ignore', 'pipe', 'ignore']});
		children.push(child);
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		return new URL(JSON.parse(line).url).host;
	};
	try {
		const hosts = [await start(first), await start(join(home, 'second'))];
		children.push(await startNginx(home, port, hosts));
		const base = `http://127.0.0.1:${port}/api/v1/org/${made.org}/ws/${made.workspace}/environments`;
		const headers = {authorization: `Bearer ${made.api_key}`, 'content-type': 'application/json'};
		const statuses = {};
		const ask = async (method, path = '', body = undefined) => {
			const response = await fetch(`${base}${path}`, {method, headers, body});
			statuses[response.status] = (statuses[response.status] ?? 0) + 1;
			return {status: response.status, json: await response.json().catch(() => ({}))};
		};
		const startedAt = performance.now();
		const cpu = () => children.slice(0, 2).reduce((sum, {pid}) => sum + cpuMs(pid), 0);
		const before = cpu();
		const body = JSON.stringify({task_ref: 'listens', timeout_sec: 600});
		const created = await Promise.all(Array.from({length: Number(count)}, () => ask('POST', '', body)));
		const answeredMs = Math.round(performance.now() - startedAt);
		const ids = created.flatMap(({json}) => (json.id === undefined ? [] : [json.id]));
		const states = new Map(created.map(({json}) => [json.id, json.state]));
		const isStarting = id => ['building', 'provisioning'].includes(states.get(id));
		while (ids.some(isStarting)) {
			for (const id of ids.filter(isStarting)) {
				states.set(id, (await ask('GET', `/${id}`)).json.state);
			}

			await sleep(500);
		}

		const readyMs = Math.round(performance.now() - startedAt);
		const cpuUsed = Math.round(cpu() - before);
		const ready = [...states.values()].filter(state => state === 'ready').length;
		await Promise.all(ids.map(id => ask('POST', `/${id}/stop`)));
		console.log(
			JSON.stringify({environments: Number(count), ready, answeredMs, readyMs, 'ms CPU of servers': cpuUsed, statuses}),
		);
	} finally {
		for (const child of children) {
			child.kill('SIGTERM');
			await once(child, 'exit');
		}
	}
});

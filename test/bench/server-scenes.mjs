import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import autocannon from 'autocannon';
import {cpuMs, withHome} from './program.mjs';

const connections = 16;
const seconds = 5;

/** The server on SQLite: reads of a list and durable writes, beside a server of Node alone that always says the same. */
export async function serveSqlite(target) {
	const bare = createServer((_, response) => response.end('{"items":[]}')).listen(0, '127.0.0.1');
	await once(bare, 'listening');
	const {requests} = await load({url: `http://127.0.0.1:${bare.address().port}/`});
	bare.close();
	const bench = await withHome(home => serve(target, home, 'SQLite', []));
	return {...bench, 'Node alone, responses/s': requests.average};
}

/** The same on PostgreSQL, if SERVICE_BENCH_DATABASE is the URL of a database. Each round has its own organization there. */
export async function servePostgresql(target) {
	const {SERVICE_BENCH_DATABASE: database} = process.env;
	return database ? await withHome(home => serve(target, home, 'PostgreSQL', ['--database', database])) : {};
}

async function serve({program}, home, name, place) {
	// All rounds share a database, so that they need one key.
	const env = {PATH: process.env.PATH, SERVICE_HOME: home, SERVICE_SEAL_KEY: Buffer.alloc(32, 1).toString('base64url')};
	const args = ['--data', join(home, 'data'), ...place];
	const organization = ['--org', `bench-${randomUUID()}`, '--email', `${randomUUID()}@localhost`];
	const made = execFileSync(process.execPath, [program, 'serve', 'init', ...args, ...organization, '--json'], {env});
	const {api_key: key, org, workspace} = JSON.parse(made);
	const child = spawn(process.execPath, [program, 'serve', ...args, '--port', '0', '--json'], {
		env,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		const {url} = JSON.parse(line);
		const headers = {authorization: `Bearer ${key}`};
		const list = {url: `${url}/api/v1/org/${org}/ws/${workspace}/airt/assessments`, headers};
		const create = {
			url: `${url}/api/v1/user/api-keys`,
			method: 'POST',
			headers: {...headers, 'content-type': 'application/json'},
			body: '{"name":"bench"}',
		};
		return {
			...(await measure(child.pid, `${name}, reads`, list)),
			...(await measure(child.pid, `${name}, durable writes`, create)),
		};
	} finally {
		child.kill('SIGINT');
		await once(child, 'exit');
	}
}

async function measure(pid, what, request) {
	const before = cpuMs(pid);
	const {requests, latency} = await load(request);
	return {
		[`${what}/s`]: requests.average,
		[`${what}, ms (p99)`]: latency.p99,
		[`${what}, ms CPU`]: (cpuMs(pid) - before) / requests.total,
	};
}

/** Sends a request again and again. Throws an error if one fails. */
async function load(request) {
	const result = await autocannon({...request, connections, duration: seconds});
	if (result.non2xx > 0 || result.errors > 0) {
		throw new Error(`${request.url}: ${result.non2xx} responses weren't 2xx, ${result.errors} requests failed.`);
	}

	return result;
}

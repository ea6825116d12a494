// Measures the server from outside: `npm run bench:server`. SQLite, and PostgreSQL too if
// SERVICE_BENCH_DATABASE is the URL of an empty database. Compare medians and ratios, not single numbers.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import autocannon from 'autocannon';
import {cpuMs} from './program.mjs';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/service.js');
const home = mkdtempSync(join(tmpdir(), 'service-bench-'));
const env = {PATH: process.env.PATH, SERVICE_HOME: home};
const seconds = 5;

async function measure(label, place) {
	const made = execFileSync(process.execPath, [program, 'serve', 'init', ...place, '--json'], {env, encoding: 'utf8'});
	const {api_key: key, org, workspace} = JSON.parse(made);
	const begun = performance.now();
	const child = spawn(process.execPath, [program, 'serve', ...place, '--port', '0', '--json'], {
		env,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		const {url} = JSON.parse(line);
		const start = performance.now() - begun;
		await new Promise(resolve => setTimeout(resolve, 500));
		const idle = residentMegabytes(child.pid);

		const headers = {authorization: `Bearer ${key}`};
		const read = await load(child.pid, {url: `${url}/api/v1/org/${org}/ws/${workspace}/airt/assessments`, headers});
		const write = await load(child.pid, {
			url: `${url}/api/v1/user/api-keys`,
			method: 'POST',
			headers: {...headers, 'content-type': 'application/json'},
			body: '{"name":"bench"}',
		});
		const row = [
			label,
			`${start.toFixed(0)} ms`,
			`${idle.toFixed(0)} MB`,
			perSecond(read),
			perSecond(write),
			`${residentMegabytes(child.pid).toFixed(0)} MB`,
		];
		console.log(`| ${row.join(' | ')} |`);
	} finally {
		child.kill('SIGINT');
		await new Promise(resolve => child.once('exit', resolve));
	}
}

/** Sends requests for a while. Returns their figures, with the processor time that the server spends on each. */
async function load(pid, options) {
	const before = cpuMs(pid);
	const result = await autocannon({...options, connections: 16, duration: seconds});
	if (result.non2xx > 0 || result.errors > 0) {
		throw new Error(`${options.url}: ${result.non2xx} responses weren't 2xx, ${result.errors} requests failed.`);
	}

	return {...result, cpu: (cpuMs(pid) - before) / result.requests.total};
}

const perSecond = ({requests, latency, cpu}) =>
	`${requests.average.toFixed(0)}/s, p99 ${latency.p99} ms, ${cpu.toFixed(2)} ms CPU`;

/** Returns the memory of a process in megabytes (Linux). */
function residentMegabytes(pid) {
	const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return Number(kilobytes) / 1024;
}

console.log(`16 connections, ${seconds} s each\n`);
console.log('| database | start to listening | idle memory | reads | durable writes | memory after |');
console.log('| --- | --- | --- | --- | --- | --- |');
try {
	await measure('SQLite', ['--data', join(home, 'sqlite')]);
	const {SERVICE_BENCH_DATABASE: database} = process.env;
	if (database) {
		await measure('PostgreSQL', ['--data', join(home, 'postgres'), '--database', database]);
	}
} finally {
	rmSync(home, {recursive: true, force: true});
}

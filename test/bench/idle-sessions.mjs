/**
 * Measures the memory of a host with idle sessions: `node test/bench/idle-sessions.mjs [sessions] [program]`. Prints the
 * resident memory of the host before and after, in MB, and how much a session adds.
 */
import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';

const [amount = '50', program = 'dist/service.js'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'service-bench-'));
const home = join(folder, 'home');
const env = {PATH: process.env.PATH, HOME: folder, SERVICE_HOME: home, SERVICE_KEYCHAIN: 'off'};

const host = spawn(process.execPath, [resolve(program), 'host', '--json'], {
	cwd: folder,
	env,
	stdio: ['ignore', 'pipe', 'inherit'],
});

/** Returns the resident memory of the host in MB. */
function resident() {
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8')) ?? [];
	return Number(kilobytes) / 1024;
}

try {
	const [line] = await new Promise(done => host.stdout.setEncoding('utf8').once('data', (...args) => done(args)));
	const socket = connect(JSON.parse(line).socket);
	const waiting = new Map();
	createInterface({input: socket}).on('line', text => {
		const {id, result, error} = JSON.parse(text);
		const settle = waiting.get(id);
		waiting.delete(id);
		settle?.(error ? Promise.reject(new Error(error.message)) : result);
	});
	let last = 0;
	const request = (method, params) => {
		last++;
		const id = last;
		const answer = new Promise(done => waiting.set(id, done));
		socket.write(`${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`);
		return answer;
	};
	const token = readFileSync(join(home, 'host/token'), 'utf8').trim();
	const opened = {jsonrpc: '2.0', method: '_service/open', params: {token, environment: env, folder}};
	socket.write(`${JSON.stringify(opened)}\n`);
	const person = {user: 'bench', machine: 'here'};
	const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
	await request('_service/hello', {protocol: 1, version, terminal: randomUUID(), person});
	const before = resident();
	for (let count = 0; count < Number(amount); count++) {
		const {session} = await request('_service/begin', {key: randomUUID()});
		await request('_service/attach', {session, role: 'driver', seq: -1});
	}

	await sleep(3000);
	const after = resident();
	const each = (after - before) / Number(amount);
	console.log(
		`${amount} idle sessions: ${after.toFixed(0)} MB; none: ${before.toFixed(0)} MB; each: ${each.toFixed(2)} MB`,
	);
	socket.destroy();
} finally {
	host.kill('SIGKILL');
	await new Promise(done => (host.exitCode === null && host.signalCode === null ? host.once('exit', done) : done()));
	rmSync(folder, {recursive: true, force: true});
}

import {type ChildProcess, execFile, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {expect, onTestFinished, test} from 'vitest';
import {environmentOf, folderWith, program} from './program.ts';

type Running = {readonly url: string; readonly bytesRead: number; readonly child: ChildProcess};

/** Starts the server of a data folder. Resolves when it prints its address. */
async function serve(data: string): Promise<Running> {
	const child = spawn(process.execPath, [program, 'serve', '--data', data, '--port', '0', '--json'], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: environmentOf({}),
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	for await (const line of createInterface({input: child.stdout})) {
		return {url: JSON.parse(line).url, bytesRead: bytesReadBy(child.pid), child};
	}

	throw new Error('The server ended before it listened.');
}

/** Returns how many bytes a running process has read, of files and everything else: proc(5). */
function bytesReadBy(pid = 0): number {
	return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

async function initialize(data: string): Promise<string> {
	const child = spawn(process.execPath, [program, 'serve', 'init', '--data', data, '--json'], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: environmentOf({}),
	});
	return JSON.parse(await text(child.stdout)).api_key;
}

test('kill -9 while 200 writes a second come in loses none that was acknowledged, and the next start repairs nothing for long', async () => {
	const data = folderWith();
	const key = await initialize(data);
	const {url, child, bytesRead} = await serve(data);
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const acknowledged: string[] = [];
	const write = async (name: string) => {
		const body = JSON.stringify({name});
		const response = await fetch(`${url}/api/v1/user/api-keys`, {method: 'POST', headers, body}).catch(() => undefined);
		if (response?.ok) {
			acknowledged.push(name);
		}
	};

	const begun = performance.now();
	const writes: Array<Promise<void>> = [];
	// 200 a second, until as many were acknowledged, however busy the machine is.
	for (let round = 0; acknowledged.length < 200; round++) {
		writes.push(...(round < 800 ? [0, 1, 2, 3, 4] : []).map(index => write(`${round}-${index}`)));
		await sleep(Math.max(0, begun + round * 25 - performance.now()));
	}

	writes.push(...[0, 1, 2, 3, 4].map(index => write(`last-${index}`)));
	child.kill('SIGKILL');
	await Promise.all([once(child, 'exit'), ...writes]);
	expect(acknowledged.length).toBeGreaterThanOrEqual(200);

	const again = await serve(data);
	const listed = await fetch(`${again.url}/api/v1/user/api-keys`, {headers});
	const names = new Set(((await listed.json()) as Array<{name: string}>).map(({name}) => name));
	expect(acknowledged.filter(name => !names.has(name))).toEqual([]);
	expect(again.bytesRead).toBeLessThan(5 * bytesRead);
});

const noSqlite =
	spawnSync('sqlite3', ['--version']).status === 0 ? '' : ' (skipped: sqlite3 is missing; Debian: sqlite3)';

test.skipIf(noSqlite !== '')(
	`an online backup of SQLite while spans are pushed has each push whole, and all that were confirmed before it${noSqlite}`,
	async () => {
		const data = folderWith();
		const key = await initialize(data);
		const {url, child} = await serve(data);
		const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
		const spansOfPush = 20;
		const push = (trace: number) => {
			const spans = Array.from({length: spansOfPush}, (_, index) => ({
				traceId: trace.toString(16).padStart(32, '0'),
				spanId: (index + 1).toString(16).padStart(16, '0'),
				name: 'work',
				kind: 1,
				startTimeUnixNano: '1772366400000000000',
				endTimeUnixNano: '1772366401000000000',
			}));
			const body = JSON.stringify({resourceSpans: [{scopeSpans: [{spans}]}]});
			return fetch(`${url}/api/v1/org/default/otel/traces`, {method: 'POST', headers, body});
		};
		let pushed = 0;
		let isOver = false;
		const pushing = (async () => {
			while (!isOver) {
				expect((await push(pushed + 1)).status).toBe(200);
				pushed++;
			}
		})();
		await expect.poll(() => pushed).toBeGreaterThan(3);
		const before = pushed;
		const restored = folderWith();
		const copy = join(restored, 'service.db');
		await promisify(execFile)('sqlite3', [join(data, 'service.db'), `.backup ${copy}`]);
		isOver = true;
		await pushing;
		child.kill('SIGTERM');
		await once(child, 'exit');
		cpSync(data, restored, {recursive: true, filter: path => !/service\.db(?:-wal|-shm)?$/.test(path)});

		const again = await serve(restored);
		expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
		const {stdout} = await promisify(execFile)('sqlite3', [
			copy,
			'pragma integrity_check; select count(*), count(distinct trace_id) from spans',
		]);
		const [check, counts = ''] = stdout.trim().split('\n');
		const [spans = 0, traces = 0] = counts.split('|').map(Number);
		expect(check).toBe('ok');
		expect([spans, traces >= before && traces <= pushed]).toEqual([traces * spansOfPush, true]);
		again.child.kill('SIGTERM');
		await once(again.child, 'exit');
	},
);

test.each([
	['SIGINT', 130],
	['SIGTERM', 130],
] as const)('%s ends the server cleanly and quietly', async (signal, status) => {
	const data = folderWith();
	await initialize(data);
	const {url, child} = await serve(data);
	expect(await (await fetch(`${url}/healthz`)).json()).toEqual({status: 'ok'});
	child.kill(signal);
	expect(await once(child, 'exit')).toEqual([status, null]);
});

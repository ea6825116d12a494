import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
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

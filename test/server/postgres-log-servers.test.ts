import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {folderWith} from '../e2e/program.ts';
import {createRandom, drawnSeed} from '../faults/fault.ts';
import {emptyPlace} from './database/engine.ts';
import {inWorkspace} from './harness.ts';
import {initializeProgram, startServeProgram} from './program.ts';
import {addTask} from './sandboxes/task-folder.ts';

const lines = 2000;

/** A program that writes numbered lines, cut anywhere. */
const writer = `
import {setTimeout as sleep} from 'node:timers/promises';
for (let index = 0; index < ${lines}; index += 1) {
	const line = Buffer.from(index + ' grüße 😀\\n');
	const cut = Math.floor(Math.random() * line.length);
	process.stdout.write(line.subarray(0, cut));
	await sleep(1);
	process.stdout.write(line.subarray(cut));
	await sleep(2);
}
await sleep(3_600_000);
`;

const flags = ['--unsafe-sandboxes'];

test(`a log that is followed through a balancer is whole, though the servers that can collect it are killed (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	const place = await emptyPlace();
	const database = place.engine === 'postgres' ? place.url : '';
	const key = await initializeProgram(database);
	const folder = folderWith();
	// Two servers on one machine, and one on another.
	const [first, second, other] = [
		await startServeProgram(database, {data: folder, flags}),
		await startServeProgram(database, {data: folder, flags}),
		await startServeProgram(database, {flags}),
	];
	await addTask({folder}, 'writer', {}, {'main.mjs': writer});
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const body = JSON.stringify({task_ref: 'writer', timeout_sec: 600});
	const created = await fetch(`${first.url}${inWorkspace}/environments`, {method: 'POST', headers, body});
	const {id} = await created.json();
	expect(created.status).toBe(200);

	let servers = [first, second, other];
	let text = '';
	let after = 0;
	for (let _polls = 0; !text.includes(`\n${lines - 1} `) || !text.endsWith('\n'); _polls += 1) {
		if (servers.length === 3 && text.includes('\n300 ')) {
			await Promise.all([first.kill(), second.kill()]);
			servers = [await startServeProgram(database, {data: folder, flags}), other];
		}

		// The other machine's is asked alone in the end, so that all of it must have been collected.
		const isLate = text.includes(`\n${lines - 500} `);
		const {url = ''} = isLate ? other : random.pick(servers);
		const response = await fetch(`${url}${inWorkspace}/environments/${id}/logs?after=${after}`, {headers});
		const {logs} = await response.json();
		const numberOf = (name: string) => Number(response.headers.get(name));
		expect([response.status, numberOf('x-log-start'), response.headers.get('x-log-ended')]).toEqual([200, after, null]);
		expect(numberOf('x-log-offset')).toBe(after + Buffer.byteLength(logs));
		text += logs;
		after = numberOf('x-log-offset');
		await sleep(20);
	}

	const written = text.split('\n').filter(each => !each.startsWith('[sandbox]'));
	expect(written).toEqual([...Array.from({length: lines}, (_, index) => `${index} grüße 😀`), '']);
	await fetch(`${servers[0]?.url}${inWorkspace}/environments/${id}/stop`, {method: 'POST', headers});
	await expect
		.poll(async () => {
			const response = await fetch(`${other.url}${inWorkspace}/environments/${id}/logs?after=${after}`, {headers});
			return [response.headers.get('x-log-ended'), (await response.json()).logs];
		})
		.toEqual(['torn_down', expect.stringMatching(/^\[sandbox\] stopped by the server\n/)]);
});

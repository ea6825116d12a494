import {expect, test} from 'vitest';
import {folderWith} from '../e2e/program.ts';
import {freePort} from '../free-port.ts';
import {emptyPlace} from './database/engine.ts';
import {inWorkspace} from './harness.ts';
import {initializeProgram, startServeProgram} from './program.ts';
import {addTask, listener} from './sandboxes/task-folder.ts';

test('a runtime of one machine is resumed, used, paused and stopped through the server of another one', async () => {
	const place = await emptyPlace();
	const database = place.engine === 'postgres' ? place.url : '';
	const key = await initializeProgram(database);
	const publicUrl = `http://127.0.0.1:${await freePort()}`;
	const flags = ['--public-url', publicUrl, '--unsafe-sandboxes'];
	const start = async () => {
		const data = folderWith();
		const {url} = await startServeProgram(database, {data, flags});
		await addTask({folder: data}, 'listens', {services: {web: {}}}, {'main.mjs': listener});
		return url;
	};
	const [first, second] = [await start(), await start()];
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const send = async (url: string, method: string, path: string, body?: unknown) => {
		const response = await fetch(`${url}${inWorkspace}/runtimes${path}`, {
			method,
			headers,
			...(body !== undefined && {body: JSON.stringify(body)}),
		});
		const json = await response.json();
		expect(response.status, JSON.stringify(json)).toBe(200);
		return json;
	};
	const open = async (url: string, runtime: {readonly instance: {readonly sandbox_url: string}}) => {
		const {origin, pathname} = new URL(runtime.instance.sandbox_url);
		expect(origin).toBe(publicUrl);
		const response = await fetch(`${url}${pathname}`, {headers: {authorization: headers.authorization}});
		return [response.status, await response.text()];
	};

	await send(first, 'POST', '', {key: 'dev', task_ref: 'listens', timeout_sec: 600});
	const started = await send(first, 'POST', '/dev/resume');
	expect(await open(second, started)).toEqual([200, 'ok']);
	const again = await send(second, 'POST', '/dev/resume');
	expect([again.status, again.instance.sandbox_id]).toEqual(['running', started.instance.sandbox_id]);
	expect((await send(second, 'POST', '/dev/stop')).status).toBe('idle');
	expect((await open(first, started))[0]).toBe(409);

	// Without a sandbox, it starts where it was asked.
	const moved = await send(second, 'POST', '/dev/resume');
	expect(moved.instance.sandbox_id).not.toBe(started.instance.sandbox_id);
	expect(await open(first, moved)).toEqual([200, 'ok']);
	expect((await send(first, 'POST', '/dev/stop')).status).toBe('idle');

	await send(first, 'POST', '', {key: 'brief', task_ref: 'listens', timeout_sec: 1});
	const brief = await send(first, 'POST', '/brief/resume');
	const statusAt = async (url: string) => (await send(url, 'GET', '/brief')).status;
	await expect.poll(() => statusAt(second), {interval: 50}).toBe('paused');
	expect((await open(second, brief))[0]).toBe(409);
	const resumed = await send(second, 'POST', '/brief/resume');
	expect([resumed.status, resumed.instance.sandbox_id]).toEqual(['running', brief.instance.sandbox_id]);
	expect(await statusAt(first)).toMatch(/running|paused/);
	expect((await send(second, 'POST', '/brief/stop')).status).toBe('idle');
});

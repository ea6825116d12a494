import {expect, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import type {ServerLogEntry} from '../../../src/server/kit/log.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, send} from '../harness.ts';
import {observed} from './logged.ts';
import {onEngine, simulateEngine} from './simulated.ts';
import {addTask} from './task-folder.ts';

const lock = Object.assign(new Error('canceling statement due to lock timeout'), {code: '55P03'});

/** What databases say when they can't store something, and what that is answered with. */
const faults = [
	{name: 'SQLite is full', error: Object.assign(new Error('database or disk is full'), {errcode: 13}), status: 502},
	{name: 'PostgreSQL is full', error: Object.assign(new Error('could not extend file'), {code: '53100'}), status: 502},
	{name: 'others hold a lock', error: lock, status: 429},
];

/** A server on a simulated engine whose database stores nothing about sandboxes while it has a fault. */
async function withFault() {
	const server = await createTestServer();
	await addTask(server, 'sleeper', {command: ['sleep', '1000']});
	const engine = simulateEngine();
	const fault: {error?: Error | undefined} = {};
	const entries: ServerLogEntry[] = [];
	const database = observed(server.database, (table, kind) => {
		if (fault.error && kind === 'UpdateQueryNode' && ['environments', 'sandboxes'].includes(table)) {
			throw fault.error;
		}
	});
	const log = (entry: ServerLogEntry) => void entries.push(entry);
	const services = {...onEngine(server, engine), database, log};
	const app = createApp({services});
	const ask = (method: string, path: string, body?: unknown) =>
		send(app, `${inWorkspace}${path}`, {method, key: server.owner.key, ...(body !== undefined && {body})});
	const kinds = () => [...engine.states.values()].map(({kind}) => kind);
	return {server, services, fault, entries, ask, kinds};
}

test.each(faults)('whoever stops an environment while $name is told that it has ended', async ({error, status}) => {
	const {services, fault, entries, ask, kinds} = await withFault();
	const {id} = (await ask('POST', '/environments', {task_ref: 'sleeper', timeout_sec: 600})).json;
	fault.error = error;
	const stopped = await ask('POST', `/environments/${id}/stop`);
	expect([stopped.status, stopped.json.detail, kinds()]).toEqual([
		status,
		expect.stringMatching(/^The sandbox has ended, but this server couldn’t store that, .+\. It will do so later\.$/),
		['ended'],
	]);
	expect(entries.filter(({message}) => message === 'sandbox not stored')).toHaveLength(1);
	expect((await ask('GET', `/environments/${id}`)).json.state).toBe('ready');

	fault.error = undefined;
	await updateSandboxes(services);
	expect((await ask('GET', `/environments/${id}`)).json.state).toBe('torn_down');
});

test.each(faults)('whoever resumes or stops a runtime while $name is told what it does', async ({error, status}) => {
	const {services, fault, ask, kinds} = await withFault();
	await ask('POST', '/runtimes', {key: 'dev', task_ref: 'sleeper', timeout_sec: 600});
	fault.error = error;
	const resumed = await ask('POST', '/runtimes/dev/resume');
	expect([resumed.status, resumed.json.detail, kinds()]).toEqual([
		status,
		expect.stringMatching(/^The runtime “dev” is running, but this server couldn’t store that, /),
		['running'],
	]);
	const stopped = await ask('POST', '/runtimes/dev/stop');
	expect([stopped.status, stopped.json.detail, kinds()]).toEqual([
		status,
		expect.stringMatching(/^The sandbox has ended, but this server couldn’t store that, /),
		['ended'],
	]);
	fault.error = undefined;
	await updateSandboxes(services);
	expect((await ask('GET', '/runtimes/dev')).json.status).toBe('idle');
});

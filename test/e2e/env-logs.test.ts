import {once} from 'node:events';
import {expect, test} from 'vitest';
import {httpServer} from '../net/servers.ts';
import {startProgram} from './program.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';

/** A server whose log grows by a line with every answer. */
async function growing() {
	let log = '';
	let count = 0;
	const {origin} = await httpServer((_, response) => {
		log += `line ${++count}\n`;
		response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify({logs: log}));
	});
	return {
		SERVICE_SERVER: origin,
		SERVICE_API_KEY: 'key-0123456789abcd',
		SERVICE_ORG: 'acme',
		SERVICE_WORKSPACE: 'lab',
	};
}

test('Ctrl+C ends a followed log with 130, after its lines are written', async () => {
	const {child, written, ended} = startProgram(['env', 'logs', id, '--follow'], {env: await growing()});
	await expect.poll(() => written()).toContain('line 2\n');
	child.kill('SIGINT');
	const {status, stdout, stderr} = await ended;
	expect([status, stderr]).toEqual([130, '']);
	expect(stdout).toMatch(/^(?:line \d+\n)+$/);
});

test('a closed pipe ends it quietly', async () => {
	const {child, written, ended} = startProgram(['env', 'logs', id, '--follow', '--json'], {env: await growing()});
	await expect.poll(() => written()).toContain('"line 1"');
	child.stdout?.destroy();
	const [status] = await once(child, 'exit');
	expect([status, (await ended).stderr]).toEqual([0, '']);
});

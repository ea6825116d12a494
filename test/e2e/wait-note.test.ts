import {expect, test} from 'vitest';
import {refill} from '../client/server.ts';
import {goodKey} from '../commands/platform.ts';
import {httpServer} from '../net/servers.ts';
import {startProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

/** A server that answers when it is told to. */
async function slow() {
	let goOn: () => void = () => undefined;
	const told = new Promise<void>(resolve => {
		goOn = resolve;
	});
	const server = await httpServer(async (_request, response) => {
		await told;
		response.end(refill);
	});
	const env = {SERVICE_SERVER: server.origin, SERVICE_API_KEY: goodKey, SERVICE_ORG: 'acme'};
	return {env, seen: server.seen, goOn: () => goOn()};
}

test('a slow command says so on a terminal, and removes the line when it ends [21]', async () => {
	const {env, goOn} = await slow();
	const terminal = startTerminal({args: ['credits', 'show'], env});
	await terminal.waitFor('credits show… Ctrl+C cancel');
	goOn();
	await terminal.exit();
	expect(terminal.text()).toContain('auto-refill');
	expect(terminal.text()).not.toContain('Ctrl+C');
});

test('a slow command draws no line without a terminal, with --json, or if lines cannot be redrawn', async () => {
	const {env, seen, goOn} = await slow();
	const piped = startProgram(['credits', 'show'], {env});
	const plain = startTerminal({args: ['credits', 'show'], env: {...env, TERM: 'dumb'}});
	const json = startTerminal({args: ['credits', 'show', '--json'], env});
	await expect.poll(() => seen.length).toBe(3);
	const asked = performance.now();
	await expect.poll(() => performance.now() - asked).toBeGreaterThan(500);
	goOn();
	const ended = await piped.ended;
	await plain.exit();
	await json.exit();
	expect(ended.status).toBe(0);
	// On a busy machine each may have said by now, once, that it waits.
	for (const output of [ended.stderr, plain.output(), json.output()]) {
		expect(output).not.toContain('credits show…');
	}
});

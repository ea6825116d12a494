import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, quit, waitForIdle} from './chat.ts';
import {type ModelHost, startModelHost} from './model-host.ts';
import {folderWith, runProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

/** A state folder whose custom host is `host`, as `keys set` in a shell leaves it. */
async function setUp(home: string, host: ModelHost) {
	const {status} = await runProgram(['keys', 'set', 'custom', apiKey, '--base-url', host.baseUrl], {home});
	expect(status).toBe(0);
}

test('[6] a window stays with its host while another process sets up another one: a watch stops, a message asks', async () => {
	const [own, other] = [await startModelHost(), await startModelHost()];
	const home = join(folderWith(), 'home');
	await setUp(home, own);
	const terminal = startTerminal({home, args: ['--model', 'custom/alpha'], columns: 120, rows: 40});
	await waitForIdle(terminal);
	terminal.type('/env create web-shop --input visits_per_minute:=1200\r');
	await terminal.waitFor(/❯ task of [\w-]+ · Tab insert/);
	terminal.type('/watch level>=info --ask "What happened?" --every 5s\r');
	await terminal.waitFor('Allow it?');
	await setUp(home, other);
	await terminal.waitFor(/y {2}Yes/);
	terminal.type('y');
	await terminal.waitFor(/Watch 1 is paused: Nothing was sent\./);
	expect([own.chats().length, other.chats().length]).toEqual([0, 0]);
	expect(terminal.status()).toContain('custom/alpha');

	terminal.type('/watch stop 1\r');
	await terminal.waitFor('Stopped watch 1.');
	terminal.type('good day\r');
	await terminal.waitFor(`Send this conversation to ${other.baseUrl}?`);
	expect(other.chats()).toEqual([]);
	terminal.press('escape');
	await terminal.waitFor('Nothing was sent.');
	await waitForIdle(terminal);
	expect([own.chats().length, other.chats().length]).toEqual([0, 0]);
	await quit(terminal);
});

test('[6] a session that continues without a screen stays with its host, until a model is named', async () => {
	const [own, other] = [await startModelHost(), await startModelHost()];
	const [home, folder] = [join(folderWith(), 'home'), folderWith()];
	await setUp(home, own);
	const run = (...args: readonly string[]) => runProgram([...args], {home, folder});
	expect((await run('-p', 'One.', '--model', 'custom/alpha')).status).toBe(0);
	await setUp(home, other);
	const stopped = await run('-c', '-p', 'Two.');
	expect(stopped).toMatchObject({status: 1, stdout: ''});
	expect(stopped.stderr).toContain(`This session uses ${own.baseUrl}, but custom/alpha is now at ${other.baseUrl}.`);
	expect(stopped.stderr).toContain('--model custom/alpha');
	expect(other.chats()).toEqual([]);
	expect((await run('-c', '-p', 'Three.', '--model', 'custom/alpha')).status).toBe(0);
	expect((await run('-c', '-p', 'Four.')).status).toBe(0);
	expect([own.chats().length, other.chats().length]).toEqual([1, 2]);
});

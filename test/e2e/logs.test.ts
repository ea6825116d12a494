import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {freePort} from '../free-port.ts';
import {openApp, openChat} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {folderWith, startProgram} from './program.ts';
import {startTerminal} from './terminal.ts';
import type {TerminalView} from './terminal-view.ts';

const ctrlG = '\u0007';
const idOf = (text: string) => /(?:sandbox|environment):? +([0-9a-f]{8}[0-9a-f-]*)/.exec(text)?.[1] ?? '';
const addressOf = (text: string) => /web:? +(http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? '';

/** Creates a web shop. Returns its id and address. */
async function createShop(terminal: TerminalView) {
	terminal.type('/env create web-shop\r');
	await terminal.waitFor(/❯ task of [\w-]+ · Tab insert/);
	await waitForIdle(terminal);
	return {id: idOf(terminal.text()), address: addressOf(terminal.text())};
}

const isOn = (terminal: TerminalView, text: string | RegExp) => () =>
	typeof text === 'string' ? terminal.screen().join('\n').includes(text) : text.test(terminal.screen().join('\n'));

test('a log grows in its panel during an answer; the viewer searches, filters and saves it', async () => {
	const folder = folderWith();
	const {host, terminal} = await openChat({folder, columns: 100, rows: 30});
	const {id, address} = await createShop(terminal);
	terminal.type(`/env logs ${id}`);
	await terminal.waitFor(isOn(terminal, `❯ /env logs ${id}`));
	terminal.press('enter');
	await terminal.waitFor(isOn(terminal, /┄┄ web-shop [0-9a-f]{8} · live, complete/));
	// What a busy machine reads at once with the command would be a paste.
	await terminal.waitFor(isOn(terminal, '❯ task of web-shop · Tab insert'));

	let finish: () => void = () => undefined;
	host.answerWith(async answer => {
		answer.say('The answer begins.\n\n');
		await new Promise<void>(resolve => (finish = resolve));
		answer.say('The answer ends.');
		answer.finish();
	});
	terminal.type('hello\r');
	await terminal.waitFor('The answer begins.');
	// The log is a lively one: what is asked once may have left the panel when a busy machine looks.
	const asking = setInterval(() => void fetch(`${address}/seen-in-the-panel`).catch(() => undefined), 200);
	onTestFinished(() => clearInterval(asking));
	await terminal.waitFor(isOn(terminal, 'path=/seen-in-the-panel'));
	clearInterval(asking);
	expect(terminal.status()).toContain('working');
	finish();
	await terminal.waitFor('The answer ends.');
	await waitForIdle(terminal);

	terminal.type(ctrlG);
	await terminal.waitFor(isOn(terminal, '? help'));
	terminal.type('/seen-in-the-p.nel\r');
	await terminal.waitFor(isOn(terminal, /❯•.*seen-in-the-panel/));
	expect(terminal.screen()[0]).toMatch(/paused \+\d+ · live, complete/);
	terminal.type('&path=/seen\r');
	await terminal.waitFor(isOn(terminal, /filter path=\/seen · \d+ hidden/));
	terminal.type('s\u0015shop.log\r');
	await terminal.waitFor(isOn(terminal, /Saved \d+ lines? to/));
	expect(readFileSync(join(folder, 'shop.log'), 'utf8')).toMatch(/^(?:.*path=\/seen-in-the-panel.*\n)+$/);
	expect(statSync(join(folder, 'shop.log')).mode & 0o777).toBe(0o600);

	terminal.type('a');
	await terminal.waitFor(isOn(terminal, /❯ \[Log [0-9a-f]{8} 1 line\]/));
	terminal.press('ctrl+c');
	terminal.type('/logs close\r');
	await terminal.waitFor(/web-shop: \d+ lines, /);
	expect(await quit(terminal)).toEqual({status: 0, signal: 0});
	expect(terminal.text().match(/web-shop: \d+ lines/g)).toHaveLength(1);
	expect(terminal.text()).not.toContain('┄┄ web-shop');
	expect(terminal.wrapped()).toBe(0);
});

/** A server of its own process, at the same port again and again; its environments outlive it as its data does. */
async function ownServer(home: string, data: string, port: number) {
	// Also where bubblewrap is not installed.
	const args = ['serve', '--port', String(port), '--data', data, '--json', '--unsafe-sandboxes'];
	const {child, written, ended} = startProgram(args, {home});
	await expect.poll(written).toContain('"url"');
	const address: unknown = JSON.parse(written().trim().split('\n')[0] ?? '');
	const url = address && typeof address === 'object' && 'url' in address ? String(address.url) : '';
	// A server that ends stops its sandboxes, even those of the killed one.
	onTestFinished(async () => {
		child.kill('SIGTERM');
		await ended;
	});
	return {child, url, port: Number(new URL(url).port)};
}

test('the tail waits for a killed server and continues when it is back', async () => {
	const folder = folderWith();
	const home = join(folder, 'home');
	const data = join(folder, 'data');
	const scope = ['--org', 'acme', '--workspace', 'main', '--project', 'parser'];
	const made = await runInProcess(['serve', 'init', '--data', data, ...scope, '--email', 'a@b.test', '--json'], {home});
	const {api_key: key} = JSON.parse(made.stdout);
	const first = await ownServer(home, data, await freePort());
	await runInProcess(['login', key, '--server', first.url, ...scope], {home});
	const terminal = openApp({home, columns: 100, rows: 30});
	await waitForIdle(terminal);
	const {id} = await createShop(terminal);
	terminal.type(`/env logs ${id} --follow\r`);
	await terminal.waitFor(isOn(terminal, /┄┄ web-shop .* · live, complete/));
	first.child.kill('SIGKILL');
	await terminal.waitFor(isOn(terminal, /reconnecting in \d+ s \(attempt \d+\)/));
	await ownServer(home, data, first.port);
	await terminal.waitFor(isOn(terminal, /┄┄ web-shop .* · (?:live|ended)/));
	expect(terminal.screen().join('\n')).toMatch(/┄┄ web-shop .* · live/);
});

test('without a screen a log is printed line by line until Ctrl+C', async () => {
	const folder = folderWith();
	const terminal = startTerminal({folder, env: {ACCESSIBLE: '1'}, columns: 200});
	await terminal.waitFor('all commands, in groups');
	terminal.type('/env create web-shop\r');
	await terminal.waitFor(() => addressOf(terminal.text()) !== '');
	await terminal.waitFor(/when you are right\.\s+You:\s*$/);
	terminal.type(`/env logs ${idOf(terminal.text())} --follow\r`);
	await terminal.waitFor(/info {2}request/);
	await fetch(`${addressOf(terminal.text())}/seen-line-by-line`);
	await terminal.waitFor('path=/seen-line-by-line');
	terminal.press('ctrl+c');
	await terminal.waitFor(/Note: web-shop: \d+ lines, /);
	terminal.press('ctrl+d');
	expect(await terminal.exit()).toEqual({status: 0, signal: 0});
});

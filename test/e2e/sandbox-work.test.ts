import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {answer, quit, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';

/**
 * The title of the log's panel once the program of a sandbox has written that it is open, after the line about what contains
 * it. On a busy machine `/env create` has its answer before.
 */
const isOpen = /┄┄ \S+ [0-9a-f]{8} · .* (?:[2-9]|\d{2,}) lines · /;

test('a sandbox is created, its task given to the agent, and its log watched', async () => {
	const terminal = openApp({rows: 40});
	await waitForIdle(terminal);
	terminal.type('/env create ');
	await terminal.waitFor(() => /❯ web-shop\s+broken-cart\s+nightly-import/.test(terminal.screen().join('\n')));
	terminal.type('web-shop --input visits_per_minute:=1200\r');
	await terminal.waitFor(/❯ task of [\w-]+ · Tab insert/);
	expect(terminal.text()).toMatch(/\nweb-shop · (?:building|provisioning|ready)\n/);
	await terminal.waitFor(isOpen);
	expect(terminal.status()).toMatch(/^local · .*sandbox (?:1 h 00 m|5\d min)$/);

	terminal.press('tab');
	await terminal.waitFor(/❯ \[task of web-shop, \d+ lines\]/);
	terminal.press('enter');
	await terminal.waitFor('Its services:\n  - web: http://127.0.0.1:');
	await answer(terminal, 'y', /Send POST to \S+\/checkout/);
	await answer(terminal, 'y', /Send POST to \S+\/diagnosis/);
	await terminal.waitFor(/The task is done: checkouts in GBP fail/);
	await waitForIdle(terminal);
	expect(terminal.text()).toMatch(/✓ Read log of/);

	terminal.type('/watch level>=error --every 5s\r');
	await terminal.waitFor(/Watching web-shop for level>=error\./);
	await terminal.waitFor(() => terminal.status().includes(' · watching · '));
	await terminal.waitFor(/ℹ Watch 1: .* match(?:es)? “level>=error” in the log of/);
	expect(terminal.output()).toContain('\u0007');
	terminal.type('/watch stop\r');
	await terminal.waitFor(/Stopped watch 1\./);
	await terminal.waitFor(() => !terminal.status().includes('watching'));
	expect(terminal.wrapped()).toBe(0);
	expect(await quit(terminal)).toEqual({status: 0, signal: 0});
});

test('the demo model repairs the broken cart in its sandbox, asking before each request', async () => {
	const terminal = openApp({rows: 40});
	await waitForIdle(terminal);
	terminal.type('/env create broken-cart\r');
	await terminal.waitFor(/❯ task of [\w-]+ · Tab insert/);
	await terminal.waitFor(isOpen);
	terminal.press('tab');
	await terminal.waitFor(/❯ \[task of broken-cart, \d+ lines\]/);
	terminal.press('enter');
	await answer(terminal, 'y', /Fetch \S+\/files\/cart\.mjs/);
	await answer(terminal, 'y', /Fetch \S+\/files\/cart\.test\.mjs/);
	await answer(terminal, 'y', /Send PUT to \S+\/files\/cart\.mjs/);
	await answer(terminal, 'y', /Send POST to \S+\/test/);
	await terminal.waitFor('The task is done: all five tests of cart.mjs pass.');
	await waitForIdle(terminal);
	await quit(terminal);
});

test('the demo model writes, tests and fixes a small project of its own, asking each time', async () => {
	const folder = folderWith();
	const terminal = openApp({rows: 40, folder});
	await waitForIdle(terminal);
	terminal.type('fix the failing test\r');
	await answer(terminal, 'y', /Create service-demo\/average\.mjs/);
	await answer(terminal, 'y', /Create service-demo\/average\.test\.mjs/);
	await answer(terminal, 'y', /\$ node --test service-demo/);
	await answer(terminal, 'y', /Change service-demo\/average\.mjs/);
	await answer(terminal, 'y', /\$ node --test service-demo/);
	await terminal.waitFor('All tests pass now.');
	await waitForIdle(terminal);
	expect(readFileSync(join(folder, 'service-demo/average.mjs'), 'utf8')).toContain('let index = 0;');
	await quit(terminal);
});

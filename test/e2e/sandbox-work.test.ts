import {expect, test} from 'vitest';
import {quit, waitForIdle} from './chat.ts';
import {startTerminal} from './terminal.ts';

test('a sandbox is created, its task given to the agent, and its log watched', async () => {
	const terminal = startTerminal({rows: 40});
	await waitForIdle(terminal);
	terminal.type('/env create ');
	await terminal.waitFor(() => /❯ web-shop\s+broken-cart\s+nightly-import/.test(terminal.screen().join('\n')));
	terminal.type('web-shop --input visits_per_minute:=1200\r');
	await terminal.waitFor('Enter send to the agent');
	expect(terminal.text()).toMatch(/\nstate +ready\n/);
	expect(terminal.screen().join('\n')).toContain('Its services:\n  - web: http://127.0.0.1:');
	expect(terminal.status()).toMatch(/^local · .*sandbox (?:1 h 00 m|59 min)$/);

	terminal.press('enter');
	await terminal.waitFor(/✓ Read log of/);
	await waitForIdle(terminal);
	expect(terminal.text()).toMatch(/The last of its lines:/);

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

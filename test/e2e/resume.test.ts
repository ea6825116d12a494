import {describe, expect, test} from 'vitest';
import {quit, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';
import {startTerminal} from './terminal.ts';

describe.each([
	[80, 24],
	[120, 40],
])('/resume with the embedded server, at %i columns and %i rows', (columns, rows) => {
	test('finds a runtime of the demonstration, asks, wakes it, and knows it the next time', async () => {
		const terminal = startTerminal({folder: folderWith(), home: `${folderWith()}/home`, columns, rows});
		await waitForIdle(terminal);
		await terminal.waitFor(() => terminal.status() === 'local · custom/demo · ○ idle');
		terminal.type('/resume\r');
		await terminal.waitFor('filter kind:runtime state:paused');
		expect(terminal.text()).toMatch(/ nightly-import +runtime at local · not looked at yet/);
		// All in one piece: what is typed narrows the list before Enter takes from it.
		terminal.type('kind:runtime web\r');
		await terminal.waitFor('? It may use credits. Wake it? [y/N]');
		expect(terminal.text()).toContain('Wake web-shop: nothing was seen of it yet');
		terminal.type('y');
		// How long it waited decides whether the sentence fits into 80 columns.
		await terminal.waitFor(/running as of\s[\d:]{8}/);
		await terminal.waitFor('limited by credits');

		terminal.type('/resume\r');
		await terminal.waitFor(/❯ Web shop +runtime at local · running · 1 credit · seen now/);
		terminal.press('escape');
		await terminal.waitFor('Nothing changed.');
		expect(await quit(terminal)).toEqual({status: 0, signal: 0});
		expect(terminal.wrapped()).toBe(0);
	});
});

import {expect, test} from 'vitest';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {type Cell, fillWindow} from './cell.ts';
import {startInTerminal} from './contract-app.ts';
import {openEmulated} from './emulated-terminal.ts';
import {kinds, type TerminalKind} from './kinds.ts';
import {opened} from './opened.ts';
import {startVirtualTime} from './virtual-time.ts';
import {survivesWalkWith} from './walks.ts';

const {vte, xterm} = kinds;

/** Starts in a window without a log, and lets an answer fill it. */
async function openFilled(
	kind: TerminalKind,
	[columns, rows]: readonly [columns: number, rows: number],
): Promise<Cell> {
	const time = startVirtualTime();
	const terminal = openEmulated(kind, columns, rows);
	const app = await startInTerminal({kind, terminal, time});
	await app.waitFor('Demo model');
	const cell = {kind, time, app, terminal, columns, rows, open: async () => openEmulated(kind, columns, rows)};
	await fillWindow(cell, 'filled');
	app.finish();
	await app.waitFor(() => app.store.getState().transcript.run === undefined);
	return cell;
}

test('a low panel leaves nothing behind in a window that becomes lower and then narrower', async () => {
	const walk = survivesWalkWith(await openFilled(vte, [80, 24]), opened['a short approval'], [
		[80, 12],
		[40, 12],
		[80, 12],
	]);
	expect(await walk).toBeUndefined();
});

test('rows that a narrower window cut are whole again in a wider one', async () => {
	const cell = await openFilled(xterm, [80, 24]);
	const {app, terminal, time} = cell;
	await app.type('again\r');
	await app.waitFor(() => app.store.getState().transcript.run !== undefined);
	app.say(`A sentence that takes two rows of this window: ${'one more of its words, '.repeat(2)}and “end”.`);
	app.finish();
	await app.waitFor(() => app.store.getState().transcript.run === undefined);
	await time.pass(500);
	const shown = () =>
		terminal
			.window()
			.filter(row => row !== '')
			.slice(-12);
	const before = shown();
	for (const [columns, rows] of [
		[20, 5],
		[80, 24],
		[30, 12],
		[50, 24],
		[80, 24],
	] as const) {
		await terminal.resize(columns, rows);
		await time.pass(500);
	}

	expect(shown()).toEqual(before);
});

test.each([
	['narrower', 48, 24],
	['wider', 120, 24],
	['lower', 80, 12],
])('a window made %s in the turn in which a picker opens keeps nothing of the frame', async (_, columns, rows) => {
	const {app, terminal, time} = await openFilled(vte, [80, 24]);
	await time.pass(500);
	const text = () => [...terminal.scrollback(), ...terminal.window()].join('\n').trimEnd();
	const before = text();
	openPanel(app.store, opened['a picker']);
	await terminal.resize(columns, rows);
	await time.pass(500);
	await terminal.resize(80, 24);
	await time.pass(500);
	app.store.getState().closePanel();
	await time.pass(500);
	expect(text()).toBe(before);
});

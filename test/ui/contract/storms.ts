import {cpSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {temporaryHome} from '../../storage/temporary.ts';
import {type Cell, closePanels, fillWindow, follow, followLog, fullClear, openPanels} from './cell.ts';
import {startInTerminal} from './contract-app.ts';
import {hide, type Opened, show} from './opened.ts';

/** Sizes between 10x2 and 300x100, in an order that looks random and is always the same. */
export const storm = Array.from({length: 30}, (_, step) => {
	const at = (step * 7919 + 13) % 31;
	return step % 5 === 4 ? ([10, 2] as const) : ([10 + Math.round((at * 290) / 30), 2 + ((step * 37) % 99)] as const);
});
/** 20 sizes a second. */
const stormIntervalMs = 50;
/** The promise: so soon after the last size everything is as if it had begun so. */
export const calmMs = 500;

/** Rows that the app draws below the conversation, as they begin. Above the window none of them may be left. */
export const ownRow = /^(?:─+$|❯ (?:Ask|Type|half|$)|local · |Type |Esc )/;

/** Streams, with panels and logs open, through a storm of sizes that ends where it began, and starts afresh beside it. */
export async function survivesStorm(cell: Cell) {
	const {app, terminal, time, columns, rows} = cell;
	openPanels(app);
	await app.type('half');
	await time.pass(50);
	for (const [index, size] of storm.entries()) {
		await terminal.resize(...size);
		app.say(`Storm ${columns}.${index} ${'on and on '.repeat(columns < 30 ? 2 : 9)}\n\n`);
		await time.pass(stormIntervalMs, 25);
	}

	await terminal.resize(columns, rows);
	app.say('The end.');
	app.finish();
	await closePanels(cell);
	await app.type('\u0015');
	await time.pass(calmMs - 100);
	return (await differsFromFresh(cell)) ?? residueAbove(cell);
}

/**
 * Streams through sizes, one after the other. At each the app draws once more for the old size before it is told: a
 * terminal may be resized with frames on their way.
 */
export async function survivesLateFrames(cell: Cell) {
	const {app, terminal, time, columns, rows} = cell;
	await app.type(`go late ${columns}\r`);
	await app.waitFor(() => app.store.getState().transcript.run !== undefined);
	const sizes = storm.filter(([width, height]) => width >= 20 && height >= 5);
	const name = (index: number) => `Late ${columns}.${index} `;
	for (const [index, [width, height]] of sizes.entries()) {
		await terminal.resize(Math.min(width, columns), Math.min(height, rows), async () => {
			app.say(`${name(index)}and on.\n\n`);
			await time.pass(40);
		});
		// Too short for lines to be printed, or long enough.
		await time.pass(index % 2 === 0 ? 200 : 500);
	}

	await terminal.resize(columns, rows);
	app.finish();
	await time.pass(calmMs);
	await terminal.parsed();
	const {above, text} = everything(terminal);
	const left = above.find(row => ownRow.test(row.trimEnd()));
	const wrong = sizes.flatMap((_, index) => {
		const count = text.split(name(index)).length - 1;
		return count === 1 ? [] : [`${index} is there ${count} times`];
	});
	return wrong.length > 0 ? wrong.join() : left && `left above: ${JSON.stringify(left)}`;
}

export async function survivesStormInView(cell: Cell) {
	const {app, terminal, time, columns, rows} = cell;
	await app.type('\u000f');
	await app.waitFor(() => terminal.window()[0]?.startsWith('Transcript') === true);
	for (const size of storm) {
		await terminal.resize(...size);
		await time.pass(stormIntervalMs, 25);
	}

	await terminal.resize(columns, rows);
	await time.pass(calmMs);
	await terminal.parsed();
	const view = terminal.window()[0] ?? '';
	await app.type('\u001b');
	await time.pass(calmMs);
	return view.startsWith('Transcript')
		? ((await differsFromFresh(cell)) ?? residueAbove(cell))
		: `the view shows ${JSON.stringify(view)}`;
}

/** With something open, the window after a storm is what it was before; closed, it is that of a fresh start. */
export async function survivesStormWith(cell: Cell, what: Opened): Promise<string | undefined> {
	const {kind, terminal, time, columns, rows} = cell;
	const window = async () => {
		await time.pass(calmMs);
		await terminal.parsed();
		// GNU Screen doesn't join a row again that it wrapped while the cursor was in it, which leaves a blank one.
		return kind.name === 'screen' ? terminal.window().filter(row => row.trim() !== '') : terminal.window();
	};
	const closed = await window();
	await show(cell, what);
	const before = await window();
	for (const size of storm.slice(0, 15)) {
		await terminal.resize(...size);
		await time.pass(stormIntervalMs, 25);
	}

	await terminal.resize(columns, rows);
	const after = await window();
	await hide(cell, what);
	const end = await window();
	const left = terminal.scrollback().find(row => ownRow.test(row.trimEnd()));
	return before.join() === closed.join()
		? 'it did not open'
		: (differs(before, after) ?? differs(ownRows(closed), end) ?? (left && `left above: ${left}`));
}

/** Returns the prompt and the rows below it: those above may have scrolled. */
function ownRows(rows: readonly string[]): readonly string[] {
	return rows.slice(rows.findLastIndex(row => row.startsWith('❯')));
}

/** Returns the first row, from below, that another window has otherwise. */
function differs(one: readonly string[], other: readonly string[]): string | undefined {
	const [wanted, found] = [withoutEnd(one), withoutEnd(other)];
	const at = wanted.findIndex((_, index) => wanted.at(-1 - index) !== found.at(-1 - index));
	return at < 0 ? undefined : `${JSON.stringify(wanted.at(-1 - at))} became ${JSON.stringify(found.at(-1 - at))}`;
}

const freshWindows = new WeakMap<Cell, Promise<readonly string[]>>();

/** Starts afresh with the same session in another window, once for all checks, and returns the rows of that. */
async function freshWindow(cell: Cell): Promise<readonly string[]> {
	const {app, kind, time, open} = cell;
	const home = temporaryHome();
	await app.saved();
	cpSync(join(app.home.path, 'sessions'), join(home.path, 'sessions'), {recursive: true});
	for (const lock of app.locks()) {
		rmSync(lock.replace(app.home.path, home.path), {force: true});
	}

	const {session} = app.store.getState().transcript;
	const terminal = await open();
	const fresh = await startInTerminal({kind, terminal, time, home, folder: app.folder, session, more: [follow]});
	await fresh.waitFor('The end.');
	await followLog(fresh);
	await time.pass(1000, 50);
	await terminal.parsed();
	const rows = withoutEnd(terminal.window());
	await fresh.quit();
	return rows;
}

/** Returns the first row that a fresh start with the same session has otherwise. */
async function differsFromFresh(cell: Cell): Promise<string | undefined> {
	const {terminal} = cell;
	await terminal.parsed();
	const found = withoutEnd(terminal.window());
	const fresh = freshWindows.get(cell) ?? freshWindow(cell);
	freshWindows.set(cell, fresh);
	const wanted = await fresh;
	const at = wanted.findIndex((_, index) => wanted.at(-1 - index) !== found.at(-1 - index));
	const [own, other] = [found, wanted].map(rows => JSON.stringify(rows.at(-1 - at)));
	return at === -1 ? undefined : `row ${at} from below is ${own}, fresh ${other}`;
}

function withoutEnd(rows: readonly string[]): readonly string[] {
	return rows.slice(0, rows.findLastIndex(row => row.trim() !== '') + 1);
}

/** Returns the rows above the window, and the text of all rows. */
export function everything(terminal: Cell['terminal']) {
	const above = terminal.scrollback();
	return {above, text: [...above, ...terminal.window()].join('\n')};
}

/** Returns a row above the window that belongs below the conversation, or a paragraph that is there twice or not at all. */
function residueAbove({terminal, columns}: Cell): string | undefined {
	const {above, text} = everything(terminal);
	const left = above.find(row => ownRow.test(row.trimEnd()));
	if (left !== undefined) {
		return `left above: ${JSON.stringify(left)}`;
	}

	const counts = storm.map((_, index) => text.split(`Storm ${columns}.${index} `).length - 1);
	const wrong = counts.findIndex(count => count !== 1);
	return wrong === -1 ? undefined : `paragraph ${wrong} is there ${counts[wrong]} times`;
}

/** In a window where nothing can be drawn: as soon as there is room, the screen is as after a fresh start. */
export async function growsFromNothing(cell: Cell): Promise<string | undefined> {
	const {app, terminal, time, columns, rows} = cell;
	await fillWindow({...cell, columns: 80, rows: 4}, 'tiny');
	app.say('The end.');
	app.finish();
	await app.waitFor(() => app.store.getState().transcript.run === undefined);
	await time.pass(100);
	await terminal.resize(columns, rows);
	await time.pass(calmMs);
	const cleared = terminal.written.find(data => fullClear.test(data) || data.includes('\u001b[3J'));
	if (cleared) {
		return `cleared: ${JSON.stringify(cleared)}`;
	}

	const left = terminal.scrollback().find(row => ownRow.test(row.trimEnd()));
	return (await differsFromFresh(cell)) ?? (left && `left above: ${left}`);
}

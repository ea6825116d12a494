import {openPanel} from '../../../src/ui/panels/panels.ts';
import {type Cell, type Check, closePanels, fullClear, openPanels} from './cell.ts';
import type {ContractTerminal} from './emulated-terminal.ts';
import {hide, type Opened, show} from './opened.ts';
import {survivesLateFrames, survivesStorm, survivesStormInView} from './storms.ts';

const written = (terminal: ContractTerminal, from: number) => terminal.written.slice(from).join('');

async function erasesNoScrollback({terminal}: Cell) {
	return written(terminal, 0).includes('\u001b[3J') ? 'erased the scrollback' : undefined;
}

/** What was written, and the rows of the window before it, as far as they are still there, and after it. */
type Frame = {readonly data: string; readonly before: readonly string[]; readonly after: readonly string[]};

/** Streams and types, step by step. */
async function drawFrames({app, time, terminal}: Cell): Promise<readonly Frame[]> {
	const say = (words: string) => () => app.say(words);
	const press = (key: string) => () => void app.type(key);
	const steps = [
		...Array.from({length: 8}, (_, index) => say(`word${index} `)),
		...['h', 'i', 'x'].map(press),
		say('\n\n- one\n- two\n\n> quoted\n'),
		...['\u001b[D', '\u007f', '\u007f', '\u001b[C', '\u007f'].map(press),
		say('> more\n\n'),
	];
	const frames: Frame[] = [];
	for (const step of steps) {
		const before = {at: terminal.written.length, window: terminal.window(), above: terminal.scrollback().length};
		step();
		await time.pass(40, 40);
		await terminal.parsed();
		const scrolled = terminal.scrollback().length - before.above;
		frames.push({
			data: written(terminal, before.at),
			before: before.window.slice(scrolled),
			after: terminal.window(),
		});
	}

	return frames;
}

const drawn = new WeakMap<Cell, Promise<readonly Frame[]>>();

/** The frames of a cell, drawn once for all checks. */
function framesOf(cell: Cell): Promise<readonly Frame[]> {
	const frames = drawn.get(cell) ?? drawFrames(cell);
	drawn.set(cell, frames);
	return frames;
}

const sequences = /\u001b(?:\[[\d;:?<>=]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[78])/g;

async function clearsNothing(cell: Cell) {
	const cleared = (await framesOf(cell)).find(({data}) => fullClear.test(data));
	return cleared && `cleared: ${JSON.stringify(cleared.data)}`;
}

async function leavesRowsAlone(cell: Cell) {
	for (const {data, before, after} of await framesOf(cell)) {
		const shown = data.replaceAll(sequences, '');
		const times = (text: string, parts: readonly string[]) => parts.filter(part => part === text).length;
		const again = before.find(
			(row, index) =>
				row.trim().length > 4 &&
				row === after[index] &&
				shown.split(row.trimEnd()).length - 1 > Math.max(0, times(row, after) - times(row, before)),
		);
		if (again !== undefined) {
			return `wrote again: ${again}`;
		}
	}

	return undefined;
}

/** With everything open that can be, each frame moves up by fewer rows than the window has. */
async function staysBelowWindow(cell: Cell) {
	const {app, terminal, time, rows} = cell;
	const from = terminal.written.length;
	openPanels(app);
	await time.pass(100);
	app.say(Array.from({length: 20}, (_, index) => `| row ${index} | value |\n${index === 0 ? '|-|-|\n' : ''}`).join(''));
	await time.pass(100);
	openPanel(app.store, {
		kind: 'lines',
		title: 'Many',
		lines: () => Array.from({length: 40}, (_, index) => `l${index}`),
	});
	await time.pass(100);
	const ups = [...written(terminal, from).matchAll(/\u001b\[(\d+)A/g)].map(([, count]) => Number(count));
	await closePanels(cell);
	app.say('\n\n');
	await time.pass(100);
	const highest = Math.max(0, ...ups);
	return highest < rows ? undefined : `moved up ${highest} rows`;
}

async function standsAtCaret(cell: Cell) {
	const {app, terminal, time} = cell;
	const typed = '日本 e\u0301x';
	await app.type(typed);
	await app.type('\u001b[D');
	await time.pass(50);
	const {row, column, isShown} = await terminal.cursor();
	const line = terminal.window()[row] ?? '';
	await app.type('\u001b[F');
	await app.type('\u0015');
	await time.pass(50);
	return isShown && column === 8 && (terminal.isLossy || line.startsWith(`❯ ${typed}`))
		? undefined
		: `${row},${column} (${isShown ? 'shown' : 'hidden'}) in ${JSON.stringify(line)}`;
}

async function isQuiet({terminal, time}: Cell) {
	await time.pass(1000);
	const from = terminal.written.length;
	await time.pass(20_000, 500);
	const data = written(terminal, from);
	return data === '' ? undefined : `wrote ${data.length} bytes: ${JSON.stringify(data.slice(0, 200))}`;
}

/** With something open, nothing is written while nothing happens. */
export async function isQuietWith(cell: Cell, what: Opened) {
	await show(cell, what);
	const problem = await isQuiet(cell);
	await hide(cell, what);
	await cell.time.pass(50);
	return problem;
}

const keepsShellOutput = (cell: Cell) => keepsShellOutputWith(cell, undefined);

/** Ctrl+Z with something open, in a window that has another size when the app continues. */
export async function keepsShellOutputWith(cell: Cell, what: Opened | undefined) {
	const {app, terminal, time, columns, rows} = cell;
	const {signals} = app;
	if (what !== undefined) {
		await show(cell, what);
		await time.pass(50);
		await terminal.parsed();
	}

	// Rows of what was open are gone.
	const before = what === undefined ? terminal.scrollback().length + terminal.window().length : 0;
	await app.type('\u001a');
	await time.turns(4);
	const stopped = signals.sent.includes('SIGTSTP');
	terminal.writeAsShell('\r\n[1]+  Stopped\r\nshell $ ls\r\nfile-a  file-b\r\nshell $ fg\r\n');
	if (what !== undefined) {
		await terminal.resize(columns - 5, rows + 3);
	}

	signals.raise('SIGCONT');
	terminal.stdout.emit('resize');
	await time.pass(300);
	if (what !== undefined) {
		await hide(cell, what);
		await time.pass(300);
		await terminal.resize(columns, rows);
		await time.pass(300);
	}

	await terminal.parsed();
	const text = [...terminal.scrollback(), ...terminal.window()];
	const kept = ['[1]+  Stopped', 'shell $ ls', 'file-a  file-b', 'shell $ fg'].filter(line => !text.includes(line));
	const prompts = text.filter(row => /^❯ (?:Ask|Type)/.test(row));
	if (!stopped || kept.length > 0 || before > text.length) {
		return `lost ${JSON.stringify(kept)}${stopped ? '' : ', not stopped'}`;
	}

	return prompts.length === 1 ? undefined : `${prompts.length} prompts`;
}

/** Ctrl+Z with something open on the alternate screen: when the app continues, the window is as before. */
export async function showsAgainWith(cell: Cell, what: Opened) {
	const {app, terminal, time} = cell;
	await show(cell, what);
	await time.pass(600);
	await terminal.parsed();
	const before = terminal.window();
	const isAlternate = (terminal.written.join('').match(/\u001b\[\?1049[hl]/g) ?? []).at(-1)?.endsWith('h');
	await app.type('\u001a');
	await time.turns(4);
	terminal.writeAsShell('\r\n[1]+  Stopped\r\nshell $ fg\r\n');
	app.signals.raise('SIGCONT');
	terminal.stdout.emit('resize');
	await time.pass(900);
	await terminal.parsed();
	const at = terminal.window().findIndex((row, index) => row !== before[index]);
	const after = terminal.window()[at];
	await hide(cell, what);
	await time.pass(300);
	return isAlternate && at !== -1
		? `row ${at} ${JSON.stringify(before[at])} became ${JSON.stringify(after)}`
		: undefined;
}

/** The promises of the screen, in the order in which they are checked. The answer streams until the first storm. */
export const checks: readonly (readonly [name: string, check: Check])[] = [
	['no full clear in the steady state', clearsNothing],
	['unchanged rows are not rewritten', leavesRowsAlone],
	['the live region is lower than the window', staysBelowWindow],
	['the cursor stands at the caret', standsAtCaret],
	['a storm of sizes while streaming ends as a fresh start', survivesStorm],
	['a storm of sizes in a view ends as a fresh start', survivesStormInView],
	['frames on their way at a resize lose nothing', survivesLateFrames],
	['idle writes nothing', isQuiet],
	['Ctrl+Z and fg keep what the shell printed', keepsShellOutput],
	['never ESC[3J', erasesNoScrollback],
];

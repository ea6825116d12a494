import {afterAll, expect, test} from 'vitest';
import {type Cell, fillWindow, follow, followLog, review} from './cell.ts';
import {checks, isQuietWith, keepsShellOutputWith, showsAgainWith} from './checks.ts';
import {startInTerminal} from './contract-app.ts';
import {obeysNothing, survivesStormInLines} from './dumb.ts';
import {type ContractTerminal, openEmulated} from './emulated-terminal.ts';
import {kinds, type TerminalKind} from './kinds.ts';
import {faultsOfLateStorm, randomOf} from './late-storm.ts';
import {isInstalled, openScreen, openTmux} from './multiplexed-terminal.ts';
import {opened} from './opened.ts';
import {growsFromNothing, survivesStormWith} from './storms.ts';
import {startVirtualTime} from './virtual-time.ts';
import {survivesWalkWith} from './walks.ts';

type Size = readonly [columns: number, rows: number];
type Open = (columns: number, rows: number) => Promise<ContractTerminal>;

const sizes: readonly Size[] = [
	[20, 5],
	[40, 10],
	[80, 24],
	[100, 30],
	[120, 40],
	[300, 100],
];

/** Windows in which nothing can be drawn, and 0x0, which means that the size is unknown. */
const tinySizes: readonly Size[] = [
	[10, 2],
	[1, 1],
	[0, 0],
];

/** What was found, by terminal and check, then by size: nothing, or what is wrong. */
const found = new Map<string, Map<string, string | undefined>>();

function note(kind: string, check: string, size: string, problem: string | undefined): readonly string[] {
	const row = `${kind.padEnd(8)}${check}`;
	found.set(row, (found.get(row) ?? new Map()).set(size, problem));
	return problem ? [`${size} ${check}: ${problem}`] : [];
}

afterAll(() => {
	const columns = [...tinySizes, ...sizes].map(size => size.join('x'));
	const width = Math.max(0, ...[...found.keys()].map(row => row.length));
	const rows = [...found].map(([row, cells]) => {
		const signs = columns.map(size => (cells.has(size) ? (cells.get(size) ? '✗' : '✓') : '·').padEnd(size.length));
		return `${row.padEnd(width)}  ${signs.join('  ')}`;
	});
	console.log([`${' '.repeat(width)}  ${columns.join('  ')}`, ...rows].join('\n'));
});

/** Runs one app through the sizes, the smaller ones first: what a terminal pushes up for good can't be taken back. */
async function problemsIn(kind: TerminalKind, sizes: readonly Size[], openWindow: Open): Promise<readonly string[]> {
	const time = startVirtualTime();
	const [[firstColumns, firstRows] = [80, 24]] = sizes;
	const terminal = await openWindow(firstColumns, firstRows);
	const app = await startInTerminal({kind, terminal, time, more: [follow]});
	await app.waitFor('Demo model');
	await followLog(app);
	const problems: string[] = [];
	for (const [columns, rows] of sizes) {
		await terminal.resize(columns, rows);
		await time.pass(200);
		const cell = {kind, time, app, terminal, columns, rows, open: () => openWindow(columns, rows)};
		await fillWindow(cell, `${columns}`);
		for (const [name, check] of checks) {
			problems.push(...note(kind.name, name, `${columns}x${rows}`, await check(cell)));
		}
	}

	return problems;
}

const {xterm, vte, kitty, tmux, screen} = kinds;
const someSizes = sizes.filter(([columns]) => columns === 20 || columns === 80 || columns === 120);

test('the screen keeps its promises in xterm at every size', async () => {
	expect(await problemsIn(xterm, sizes, async (...size) => openEmulated(xterm, ...size))).toEqual([]);
});

test.each([vte, kitty])('the screen keeps its promises in $name', async kind => {
	expect(await problemsIn(kind, someSizes, async (...size) => openEmulated(kind, ...size))).toEqual([]);
});

/**
 * Opens one thing after the other, through storms of sizes and through smaller sizes with time to draw at each. A
 * terminal that cuts rows has no place for those below a view.
 */
async function problemsWithOpened(kind: TerminalKind, [columns, rows]: Size, openWindow: Open) {
	const time = startVirtualTime();
	const terminal = await openWindow(columns, rows);
	const app = await startInTerminal({kind, terminal, time, more: [follow, review]});
	await app.waitFor('Demo model');
	await followLog(app);
	const open = () => openWindow(columns, rows);
	const cell: Cell = {kind, time, app, terminal, columns, rows, open};
	await fillWindow(cell, 'opened');
	app.finish();
	await app.waitFor(() => app.store.getState().transcript.run === undefined);
	const problems: string[] = [];
	const check = async (title: string, problem: Promise<string | undefined>) =>
		problems.push(...note(kind.name, title, `${columns}x${rows}`, await problem));
	for (const [name, what] of Object.entries(opened)) {
		await check(`a storm of sizes over ${name}`, survivesStormWith(cell, what));
		await check(`idle writes nothing over ${name}`, isQuietWith(cell, what));
	}

	const walks = rows > 12 ? Object.entries(opened).filter(([, what]) => kind.reflows || typeof what !== 'string') : [];
	for (const [name, what] of walks) {
		const walk = (title: string, sizes: readonly Size[]) =>
			check(`${title} and back, over ${name}`, survivesWalkWith(cell, what, [...sizes, [columns, rows]]));
		await walk('lower', [[columns, 12]]);
		if (kind.reflows) {
			await walk('narrower', [[columns / 2, rows]]);
			const low = [columns, 12] as const;
			const stays = survivesWalkWith(cell, what, [low, [columns / 2, 12], low]);
			await check(`lower, narrower and wider, over ${name}`, stays);
			await terminal.resize(columns, rows);
		}

		if (kind.name !== 'screen') {
			await walk('ever smaller', [
				[60, 12],
				[20, 5],
				[10, 2],
				[1, 1],
			]);
		}
	}

	for (const [name, what] of Object.entries(opened)) {
		await check(`Ctrl+Z and fg show the same window over ${name}`, showsAgainWith(cell, what));
		await check(`Ctrl+Z and fg keep what the shell printed over ${name}`, keepsShellOutputWith(cell, what));
	}

	return problems;
}

test.each([
	{kind: xterm, columns: 20, rows: 5},
	{kind: xterm, columns: 80, rows: 24},
	// These wrap the rows of a narrower window again.
	{kind: vte, columns: 80, rows: 24},
	{kind: kitty, columns: 80, rows: 24},
])('with anything open, $kind.name of $columns x $rows is as before when its size is', async given => {
	const {kind, columns, rows} = given;
	const openWindow = async (...size: Size) => openEmulated(kind, ...size);
	expect(await problemsWithOpened(kind, [columns, rows], openWindow)).toEqual([]);
});

const withTmux = isInstalled('tmux') ? test : test.skip;
withTmux('the screen keeps its promises in a real tmux', async () => {
	expect(await problemsIn(tmux, someSizes, openTmux)).toEqual([]);
});

withTmux('with anything open, a real tmux is as before when its size is', async () => {
	expect(await problemsWithOpened(tmux, [80, 24], openTmux)).toEqual([]);
});

const withScreen = isInstalled('screen') ? test : test.skip;
withScreen('the screen keeps its promises in a real GNU Screen', async () => {
	expect(await problemsIn(screen, someSizes, openScreen)).toEqual([]);
});

withScreen('with anything open, a real GNU Screen is as before when its size is', async () => {
	expect(await problemsWithOpened(screen, [80, 24], openScreen)).toEqual([]);
});

test.each([xterm, vte, kitty].flatMap(kind => [1, 2, 3, 4].map(seed => ({kind, seed}))))(
	'frames that reach $kind.name late in a storm of sizes (seed $seed) lose no line',
	async ({kind, seed}) => {
		const time = startVirtualTime();
		const random = randomOf(seed);
		const terminal = openEmulated(kind, 100, 30, () => Math.round(random() * 100));
		const app = await startInTerminal({kind, terminal, time});
		await app.waitFor('Demo model');
		const open = async () => openEmulated(kind, 100, 30);
		const cell: Cell = {kind, time, app, terminal, columns: 100, rows: 30, open};
		const {lost, doubled, left} = await faultsOfLateStorm(cell, random);
		expect(lost).toEqual([]);
		expect(left).toEqual([]);
		// Not promised yet: xterm cuts rows, so nobody knows which of them are whole, and some are printed again.
		expect(kind === xterm ? [] : doubled).toEqual([]);
	},
);

test.each([xterm, kitty].flatMap(kind => tinySizes.map(([columns, rows]) => ({kind, columns, rows}))))(
	'a window of $columns x $rows in $kind.name is drawn as soon as there is room',
	async ({kind, columns, rows}) => {
		const time = startVirtualTime();
		// A terminal that does not tell its size has some.
		const terminal = columns === 0 ? openEmulated(kind, 80, 24) : openEmulated(kind, columns, rows);
		Object.assign(terminal.stdout, {columns, rows});
		const app = await startInTerminal({kind, terminal, time, more: [follow]});
		await app.waitFor(() => app.store.getState().connection.state === 'ready');
		await followLog(app);
		const size = columns === 0 ? {columns: 80, rows: 24} : {columns: 100, rows: 30};
		const open = async () => openEmulated(kind, size.columns, size.rows);
		const cell: Cell = {kind, time, app, terminal, ...size, open};
		const problem = await growsFromNothing(cell);
		expect(note(kind.name, 'a window without room leaves nothing behind', `${columns}x${rows}`, problem)).toEqual([]);
	},
);

test.each(sizes)(
	'a dumb terminal of %i x %i gets lines and a bell, and nothing else that it would have to obey',
	async (columns, rows) => {
		const problem = await obeysNothing(columns, rows);
		expect(note('dumb', 'lines without control characters but the bell', `${columns}x${rows}`, problem)).toEqual([]);
	},
);

test('a dumb terminal gets each line once while its size changes, at the width that it has by then', async () => {
	const problem = await survivesStormInLines();
	expect(note('dumb', 'a storm of sizes while streaming and over an approval', '80x24', problem)).toEqual([]);
});

import {randomUUID} from 'node:crypto';
import {expect, onTestFinished, test} from 'vitest';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';
import {startInTerminal} from '../ui/contract/contract-app.ts';
import {type ContractTerminal, openEmulated} from '../ui/contract/emulated-terminal.ts';
import {kinds, type TerminalKind} from '../ui/contract/kinds.ts';
import {isInstalled, openTmux} from '../ui/contract/multiplexed-terminal.ts';
import {startVirtualTime} from '../ui/contract/virtual-time.ts';
import {coveredSinks} from './covered-sinks.ts';
import {screenDrives} from './screen-drives.ts';
import {shellDrives} from './shell-drives.ts';
import {sourceSinks} from './source-sinks.ts';
import {hostileJson, hostileTrace, hugeJson} from './structured-texts.ts';
import {hostileTexts, obeyedIn, tricks} from './tricks.ts';

test('each place where text reaches the terminal is listed with its hostile input, and no other', () => {
	expect(Object.keys(coveredSinks).sort()).toEqual(sourceSinks());
	const drives = Object.values(coveredSinks).flatMap(covered => ('own' in covered ? [] : covered));
	expect(drives.filter(drive => !(drive in screenDrives) && !(drive in shellDrives))).toEqual([]);
	const known = [...Object.keys(screenDrives), ...Object.keys(shellDrives)];
	expect(known.filter(drive => !drives.includes(drive))).toEqual([]);
});

/** What the commands of the test say at the moment. */
let said = '';

const named = (name: string, run: () => unknown) =>
	command({name, summary: 'Hostile', args: z.object({}), run: run as never});

/** Follows a log of its own. */
const logOf = (text: string) => ({
	kind: 'panel',
	panel: {
		show: 'log',
		log: {
			environment: randomUUID(),
			server: 'http://127.0.0.1:1',
			profile: 'local',
			title: said,
			follow: true,
			source: async () => ({kind: 'window', text}),
		},
	},
});

const commands = [
	named('hostile', () => ({
		kind: 'group',
		data: null,
		parts: [
			{kind: 'text', text: said, hint: said},
			{kind: 'record', title: said, fields: [[said, said]], data: null},
			{kind: 'lines', lines: [said], colored: true},
			{kind: 'table', title: said, columns: [{label: said}], rows: [[said]], empty: said, notes: [said], data: null},
		],
	})),
	named('hostile-table', () => ({
		kind: 'table',
		title: said,
		columns: [{label: said}],
		rows: Array.from({length: 120}, () => [said]),
		empty: said,
		notes: [said],
		data: null,
	})),
	named('hostile-error', () => {
		throw new AppError('failed', said, {hint: said});
	}),
	named('hostile-log', () => logOf(`${said}\n${said}\n`)),
	named('hostile-json-log', () =>
		logOf(
			[hugeJson(said), hostileTrace(said), hostileJson(said), `level=error msg="${said}" ${said}=1`, ''].join('\n'),
		),
	),
];

/** How often a text is looked for that isn't shown yet. */
const maxTurns = 500;

const screenText = ({scrollback, window}: ContractTerminal) => [...scrollback(), ...window()].join('\n');

/** Brings every hostile text to every place on the screen. Returns what was obeyed, and where no text arrived. */
async function driveScreen(kind: TerminalKind, terminal: ContractTerminal, only?: readonly string[]) {
	const time = startVirtualTime();
	onTestFinished(() => {
		said = '';
	});
	const app = await startInTerminal({kind, terminal, time, more: commands});
	await app.waitFor('Demo model');
	const problems: string[] = [];
	const drives = Object.entries(screenDrives).filter(([name]) => only?.includes(name) ?? true);
	for (const [index, [name, drive]] of drives.entries()) {
		const before = app.store.getState();
		// A view shows what is there; its texts came by the others.
		const texts = name.includes('view') ? ['mark x'] : hostileTexts(`mark${index}n`);
		for (const text of texts) {
			const from = terminal.written.length;
			const mark = text.split(' ')[0] ?? '';
			const written = () => terminal.written.slice(from).join('');
			// What is written may show it only beside what the screen had, which takes much longer to read.
			const isShown = () => written().includes(mark) || screenText(terminal).includes(mark);
			said = text;
			await drive(app, text);
			const isShownBefore = isShown();
			await time.pass(120, 40);
			await terminal.parsed();
			// What a command needs is loaded first, which takes no time of these clocks.
			for (let count = 0; count < maxTurns && !isShownBefore && !isShown(); count++) {
				await time.turns();
				await time.pass(count % 10 === 9 ? 40 : 0, 40);
				await terminal.parsed();
			}

			problems.push(...obeyedIn(written()).map(trick => `${name}: ${trick}`));
			problems.push(...(isShownBefore || isShown() ? [] : [`${name}: ${mark} did not arrive`]));
		}

		await app.type('\u001b');
		await time.pass(600, 100);
		const {connection, model, queue, composer} = before;
		app.store.setState({
			connection,
			model,
			queue,
			composer,
			panel: undefined,
			manner: undefined,
			toast: '',
			unsaved: undefined,
		});
		app.store.getState().setBusy(false);
		await time.pass(50, 50);
	}

	return problems;
}

test('[1] [2] no hostile text is obeyed, wherever it reaches the screen', async () => {
	const terminal = openEmulated(kinds.xterm, 320, 60);
	expect(await driveScreen(kinds.xterm, terminal)).toEqual([]);
});

test.each(Object.entries(shellDrives))('[1] [2] no hostile text is obeyed as %s', async (name, drive) => {
	const time = startVirtualTime();
	const problems: string[] = [];
	for (const text of [...hostileTexts('mark'), ...tricks.map(({bytes}) => bytes)]) {
		const output = await drive(text, time.pass);
		problems.push(...obeyedIn(output).map(trick => `${name}: ${trick}`));
	}

	expect([...new Set(problems)]).toEqual([]);
});

const withTmux = isInstalled('tmux') ? test : test.skip;
withTmux('[1] [2] a real tmux keeps its buffers, title and modes, whatever reaches the screen', async () => {
	const terminal = await openTmux(320, 60);
	const state = () =>
		[
			terminal.ask('show-buffer'),
			terminal.ask('display', '-p', '#{alternate_on} #{mouse_any_flag} #{insert_flag} #{origin_flag}'),
			terminal.ask('display', '-p', '#{scroll_region_upper} #{scroll_region_lower} #{keypad_flag} #{pane_in_mode}'),
		].join('\n');
	const before = state();
	const few = ['answer', 'call', 'command', 'notice', 'log panel', 'picker', 'question', 'error of a host'];
	expect(await driveScreen(kinds.tmux, terminal, few)).toEqual([]);
	expect(state()).toBe(before);
	expect(terminal.ask('display', '-p', '#{pane_title}')).toMatch(/^\S+ · service\n$/);
});

import {chmodSync, readdirSync, readlinkSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {connectedTo, waitForStart} from '../e2e/chat.ts';
import {type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {folderWith, program} from '../e2e/program.ts';
import {startTerminal, type TestTerminal} from '../e2e/terminal.ts';
import {createRandom, createTally, type Fault, needs, type Random} from './fault.ts';
import {descendantsOf} from './secret-search.ts';

const throwing = fileURLToPath(new URL('throwing.mjs', import.meta.url));

/** What a program runs that ends only when it is told to, known from others of this machine by its folder. */
const endless = 'sleep 86400';

/** A terminal with a shell that runs the app, then says how the terminal is. */
type Scene = {readonly terminal: TestTerminal; readonly host: ModelHost; readonly random: Random};

/** Brings the app to a moment of its life. */
const moments: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
	async start({terminal, random}) {
		const bytes = random.pick([1, 30, 100, 400]);
		await terminal.waitFor(() => terminal.output().length >= bytes);
	},
	idle: async ({terminal}) => waitForStart(terminal),
	async 'an answer'({terminal, host}) {
		host.answerWith(({say}) => say('First half. '.repeat(40)));
		await waitForStart(terminal);
		terminal.type('Hello\r');
		await terminal.waitFor('First half.');
	},
	async 'a question'({terminal, host}) {
		host.answerWith(({call, finish}) => {
			call('write_file', {path: 'new.txt', content: 'text'});
			finish();
		});
		await waitForStart(terminal);
		terminal.type('Hello\r');
		await terminal.waitFor('Yes, once');
	},
	async 'a list'({terminal}) {
		await waitForStart(terminal);
		terminal.type('/model\r');
		await terminal.waitFor('Esc cancel');
	},
	async 'the alternate screen'({terminal}) {
		await waitForStart(terminal);
		terminal.type('\u000f');
		await terminal.waitFor(() => terminal.emulator.buffer.active.type === 'alternate');
	},
	async 'a paste on its way'({terminal}) {
		await waitForStart(terminal);
		terminal.type(`\u001b[200~${'pasted text\r'.repeat(200)}`);
	},
	async 'a command of the user'({terminal}) {
		await waitForStart(terminal);
		terminal.type(`! echo begun; ${endless}\r`);
		await terminal.waitFor(/^begun/m);
	},
	// As others do, it ends with its terminal.
	async 'an editor'({terminal}) {
		await waitForStart(terminal);
		terminal.type('\u0018\u0005');
		await terminal.waitFor('editing');
	},
};

type Ending = Scene & {
	/** Returns the process of the app that runs now. */
	readonly app: () => number;
};

const signalled =
	(signal: NodeJS.Signals) =>
	async ({app, terminal}: Ending) => {
		process.kill(app(), signal);
		await terminal.waitFor('how it ended');
	};

/** Ends the app, in the end: what comes before that is over, too. */
const ends: Readonly<Record<string, (scene: Ending) => Promise<void>>> = {
	SIGINT: signalled('SIGINT'),
	SIGTERM: signalled('SIGTERM'),
	SIGHUP: signalled('SIGHUP'),
	SIGQUIT: signalled('SIGQUIT'),
	'a throw': signalled('SIGUSR2'),
	'a rejection': signalled('SIGUSR2'),
	async 'Ctrl+Z, fg and SIGTERM'(scene) {
		const {terminal} = scene;
		terminal.press('ctrl+z');
		await terminal.waitFor('it stopped');
		await terminal.waitFor('that is how');
		assertRestored(terminal.output(), 'it stopped');
		terminal.press('enter');
		await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
		await signalled('SIGTERM')(scene);
	},
	async 'kill -9, and SIGTERM after the next start'(scene) {
		const {app, terminal} = scene;
		process.kill(app(), 'SIGKILL');
		await terminal.waitFor('it was killed');
		await terminal.waitFor(() => terminal.output().split('it was killed').at(-1)?.includes('\u001b[?2004h') === true);
		await signalled('SIGTERM')(scene);
	},
	async 'a killed editor, and SIGTERM'(scene) {
		const {app, terminal} = scene;
		for (const pid of descendantsOf(app())) {
			process.kill(pid, 'SIGKILL');
		}

		await terminal.waitFor(/The editor/);
		await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
		await signalled('SIGTERM')(scene);
	},
	async 'the terminal is closed'({terminal}) {
		terminal.hangUp();
	},
};

/** Moments at which a key is not for the app. */
const keepsKeys = ['start', 'a paste on its way', 'an editor'];

/** False for a way to end the app that means something else at a moment. */
function isPossible(moment: string, end: string): boolean {
	switch (end) {
		// What Ctrl+C and Ctrl+\\ send in an editor is for the editor.
		case 'SIGINT':
		case 'SIGQUIT':
			return moment !== 'an editor';
		case 'Ctrl+Z, fg and SIGTERM':
			return !keepsKeys.includes(moment);
		case 'a killed editor, and SIGTERM':
			return moment === 'an editor';
		// Nothing heals what was killed before it had begun.
		case 'kill -9, and SIGTERM after the next start':
			return moment !== 'start';
		default:
			return true;
	}
}

/** Runs the app as a shell does: again when it was killed, and on when it was stopped as a job and Enter is pressed. */
const shellScript = `trap : INT QUIT; "$0" "$@"
while status=$?; do
	if [ -n "$(jobs -s)" ]; then echo it stopped; stty -a; echo that is how; read line; fg
	elif [ $status = 137 ]; then stty sane; echo it was killed; "$0" "$@"
	else break
	fi
done
echo how it ended; stty -a`;

/** Each mode: what switches it on and off, as a terminal reads it. */
const switches: ReadonlyArray<readonly [string, RegExp, RegExp]> = [
	['the alternate screen', /\u001b\[\?(?:1049|47)h/g, /\u001b\[\?(?:1049|47)l/g],
	['bracketed paste', /\u001b\[\?2004h/g, /\u001b\[\?2004l/g],
	['focus reports', /\u001b\[\?1004h/g, /\u001b\[\?1004l/g],
	['mouse reports', /\u001b\[\?100[023]h/g, /\u001b\[\?100[023]l/g],
	['a hidden cursor', /\u001b\[\?25l/g, /\u001b\[\?25h/g],
	['rows that do not wrap', /\u001b\[\?7l/g, /\u001b\[\?7h/g],
	['synchronized output', /\u001b\[\?2026h/g, /\u001b\[\?2026l/g],
	['keys with modifiers', /\u001b\[>4;1m/g, /\u001b\[>4m/g],
];
/** Returns the keyboard protocol of kitty that is on: what was pushed, popped and set. */
function keyboardFlags(output: string): number {
	const stack: number[] = [];
	let flags = 0;
	for (const [, how, digits] of output.matchAll(/\u001b\[([<=>])(\d*)u/g)) {
		if (how === '>') {
			stack.push(flags);
		}

		flags = how === '<' ? (stack.pop() ?? 0) : Number(digits);
	}

	return flags;
}

const lastOf = (text: string, expression: RegExp) => [...text.matchAll(expression)].at(-1)?.index ?? -1;
const countOf = (text: string, expression: RegExp) => [...text.matchAll(expression)].length;

/** Throws for a mode that was left on. `stty -a` follows the last line with `marker`. */
export function assertRestored(output: string, marker: string): void {
	const titles = countOf(output, /\u001b\[22;2t/g) - countOf(output, /\u001b\[23;2t/g);
	const left = [
		...switches.filter(([, on, off]) => lastOf(output, on) > lastOf(output, off)).map(([name]) => name),
		...(keyboardFlags(output) === 0 ? [] : ['a keyboard protocol']),
		// What is killed while it shows a title leaves one, which the next one can't tell from the user's own.
		...(titles >= 0 && titles <= countOf(output, /it was killed/g) ? [] : ['titles']),
	];
	const lines = /(?:^|\s)(-icanon|-echo|-isig|-icrnl|-opost)(?=\s)/g;
	const raw = [...output.slice(output.lastIndexOf(marker)).matchAll(lines)].map(([, mode = '']) => mode);
	if (left.length + raw.length > 0) {
		throw new Error(`left behind: ${[...left, ...raw].join(', ')}`);
	}
}

/** Returns the processes that work in a folder. */
function processesIn(folder: string): readonly number[] {
	return readdirSync('/proc')
		.map(Number)
		.filter(pid => {
			try {
				return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === folder;
			} catch {
				return false;
			}
		});
}

const polls = 400;

/** Waits until no process works in a folder. Throws if some stay. */
export async function waitUntilEmpty(folder: string): Promise<void> {
	for (let poll = 0; processesIn(folder).length > 0; poll += 1) {
		if (poll === polls) {
			throw new Error(`still there: ${processesIn(folder).join(', ')}`);
		}

		await sleep(25);
	}
}

const anyEnd: Fault = {
	name: 'a signal, a throw, a rejection, Ctrl+Z, kill -9 or a closed terminal at any moment of the app: the terminal is as before, at the latest after the next start, and no process is left',
	rules: [5, 15],
	amounts: {test: 10, full: 400},
	lacks: needs(['stty', '--version'], ['bash', '--version']),
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const pairs = Object.keys(moments)
			.flatMap(moment => Object.keys(ends).map(end => ({moment, end})))
			.filter(({moment, end}) => isPossible(moment, end));
		const order = pairs.map(pair => [random.below(1e9), pair] as const).toSorted(([a], [b]) => a - b);
		for (let turn = 0; turn < amount; turn += 1) {
			const {moment, end} = order[turn % order.length]?.[1] ?? random.pick(pairs);
			await tally.attempt(`${end} at ${moment}`, async () => {
				const folder = folderWith();
				const editor = join(folderWith({editor: `#!/bin/sh\necho editing\ncat\n`}), 'editor');
				chmodSync(editor, 0o755);
				const host = await startModelHost();
				const {env, args} = connectedTo(host);
				const terminal = startTerminal({
					folder,
					env: {...env, EDITOR: editor, THROWING: end === 'a rejection' ? 'reject' : ''},
					args: [process.execPath, '--import', throwing, program, ...args],
					shell: {file: 'bash', args: ['--norc', ...(end.startsWith('Ctrl+Z') ? ['-m'] : []), '-c', shellScript]},
				});
				const app = () => {
					const [pid] = descendantsOf(terminal.pid);
					if (pid === undefined) {
						throw new Error('The app did not run.');
					}

					return pid;
				};
				const scene = {terminal, host, random, app};
				await moments[moment]?.(scene);
				await ends[end]?.(scene);
				await terminal.exit();
				if (end !== 'the terminal is closed') {
					assertRestored(terminal.output(), 'how it ended');
				}

				await waitUntilEmpty(folder);
			});
		}

		return tally.figure();
	},
};

export const terminal: readonly Fault[] = [anyEnd];

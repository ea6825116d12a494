import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, onTestFailed, test} from 'vitest';
import {createRandom, needs, type Random} from '../faults/fault.ts';
import {descendantsOf} from '../faults/secret-search.ts';
import {assertRestored, waitUntilEmpty} from '../faults/terminal.ts';
import {folderWith, program} from './program.ts';
import {startTerminal, type TestTerminal} from './terminal.ts';

/** What a start is about when it is interrupted: the files of the folder, and what is typed before anything is drawn. */
const scenes: Readonly<Record<string, {readonly files?: Record<string, string>; readonly typed?: string}>> = {
	'a welcome': {},
	'a question for trust': {files: {'AGENTS.md': 'Be brief.\n'}},
	'a message that was typed at once': {typed: 'list the files here\r'},
	'a message that waits for an answer about trust': {files: {'AGENTS.md': 'Be brief.\n'}, typed: 'hello\r'},
	'the embedded server': {typed: '/env list\r'},
};

/** Returns the processor time that the first thread of a process has used, in milliseconds. Undefined once it has ended. */
function usedMs(pid: number): number | undefined {
	try {
		return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
	} catch {
		return undefined;
	}
}

/** Returns whether a process is the program already: what a shell forks is the shell until it has been replaced, and ends with it. */
function isProgram(pid: number | undefined): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0', 1)[0] === process.execPath;
	} catch {
		return false;
	}
}

/** Turns after which a start that uses no more processor time is over. */
const stillTurns = 300;

/** Waits until the program in a terminal has used so much processor time. Returns how much it has, and what it wrote by then. */
async function untilUsed(terminal: TestTerminal, wantedMs: number): Promise<string> {
	let pid: number | undefined;
	for (let turns = 0; !isProgram(pid) && turns < 10_000; turns += 1) {
		[pid] = descendantsOf(terminal.pid);
		await sleep(1);
	}

	let used = 0;
	for (let still = 0; used < wantedMs && still < stillTurns; still += 1) {
		const now = usedMs(pid ?? 0);
		if (now === undefined) {
			break;
		}

		still = now > used ? 0 : still;
		used = now;
		await sleep(1);
	}

	return `after ${Math.round(used)} ms and ${terminal.output().length} characters`;
}

/** Presses Ctrl+C once or twice at random moments of a start, earlier ones more often. Returns the moments. */
async function interrupt(terminal: TestTerminal, random: Random): Promise<string> {
	const moments = Array.from({length: 1 + random.below(2)}, () => random.below(22) ** 2).toSorted((a, b) => a - b);
	const pressed: string[] = [];
	for (const moment of moments) {
		pressed.push(await untilUsed(terminal, moment));
		terminal.press('ctrl+c');
	}

	return pressed.join(', ');
}

const endText = 'how it ended';
const hasEnded = (terminal: TestTerminal) => terminal.output().includes(endText);
const isTrustAsked = (terminal: TestTerminal) => /\by {2}Trust$/m.test(terminal.screen().join('\n'));

/** Types into what is left after a press that ended nothing, then quits. Does nothing once the press has ended it. */
async function typeAndQuit(terminal: TestTerminal): Promise<void> {
	const waitFor = (holds: () => boolean) => terminal.waitFor(() => hasEnded(terminal) || holds());
	const isIdle = () => /· ○ idle/.test(terminal.status());
	await waitFor(() => isTrustAsked(terminal) || isIdle());
	if (isTrustAsked(terminal)) {
		terminal.press('ctrl+c');
		await waitFor(() => !isTrustAsked(terminal) && isIdle());
	}

	terminal.type('live');
	await waitFor(() => /^❯ .*live$/m.test(terminal.text()));
	// One clears the prompt, one interrupts what was sent, and two quit.
	for (let presses = 0; presses < 4 && !hasEnded(terminal); presses += 1) {
		const before = terminal.output().length;
		terminal.press('ctrl+c');
		await waitFor(() => terminal.output().length > before);
	}

	await waitFor(() => false);
}

/** What a write or a lock leaves in the state folder if it isn't ended. */
function unfinishedIn(home: string): readonly string[] {
	return existsSync(home)
		? readdirSync(home, {recursive: true, encoding: 'utf8'}).filter(name => /\.(?:tmp|lock)$|\.tmp-/.test(name))
		: [];
}

const rounds = 12;
const seed = 20_261_130;
const missing = needs(['bash', '--version'], ['stty', '--version'], ['cat', '/proc/self/schedstat'])();
const name = `Ctrl+C at a random moment of a start ends it with 130, or leaves a prompt that works; nothing is left behind (seed ${seed}) [5] [10] [15]`;

test.skipIf(missing)(missing ? `${name}: skipped, because ${missing}` : name, async () => {
	const random = createRandom(seed);
	let what = '';
	onTestFailed(() => console.error(what));
	for (let round = 0; round < rounds; round += 1) {
		const scene = Object.keys(scenes)[round % Object.keys(scenes).length] ?? '';
		const {files = {}, typed = ''} = scenes[scene] ?? {};
		const home = join(folderWith(), 'home');
		const folder = folderWith(files);
		const terminal = startTerminal({
			folder,
			home,
			args: [process.execPath, program],
			shell: {
				file: 'bash',
				// The kernel would discard what is not read yet at Ctrl+C: how it ended, if that is pressed too late.
				args: [
					'--norc',
					'-c',
					`trap : INT QUIT; stty noflsh; "$0" "$@"; echo "${endText} $?"; trap "" INT QUIT; stty -a`,
				],
			},
		});
		terminal.type(typed);
		what = `round ${round}, ${scene}, ${await interrupt(terminal, random)}`;
		await typeAndQuit(terminal);
		await terminal.exit();
		const status = Number(/how it ended (\d+)/.exec(terminal.output())?.[1]);
		expect([0, 130], what).toContain(status);
		assertRestored(terminal.output(), endText);
		await waitUntilEmpty(folder);
		expect(unfinishedIn(home), what).toEqual([]);
	}
});

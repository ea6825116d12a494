import {PassThrough} from 'node:stream';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {runCompletion} from '../../src/headless/complete-shell.ts';
import {printAnswer, printError, printJson, printResult, printWarning} from '../../src/headless/print.ts';
import {printStream} from '../../src/headless/print-stream.ts';
import {createRunProgress} from '../../src/headless/run-progress.ts';
import {createTerminalQuestions} from '../../src/headless/terminal-questions.ts';
import {createWaitNote} from '../../src/headless/wait-note.ts';
import {copySequence} from '../../src/terminal/clipboard.ts';
import {obeysCodes} from '../../src/terminal/input/ask-terminal.ts';
import {readTerminalLine} from '../../src/terminal/input/read-line.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {noticeSequence, titleSequence} from '../../src/ui/attention/attention.ts';
import {createLineTerminal} from '../../src/ui/line-terminal.ts';
import {farewell} from '../../src/ui/opening/greet.ts';
import {messageLines} from '../../src/ui/transcript/message-lines.ts';
import {welcomeLines} from '../../src/ui/welcome.ts';

/** Waits on the clock of the test. */
type Pass = (milliseconds: number) => Promise<void>;

/** Returns what a hostile text made a part of the program write to a terminal. */
export type ShellDrive = (text: string, pass: Pass) => Promise<string> | string;

function terminal() {
	let written = '';
	const output = {
		isTTY: true,
		columns: 400,
		write(data: string) {
			written += data;
			return true;
		},
	};
	return {output, written: () => written};
}

const keyboard = () => {
	const stdin = new PassThrough();
	return Object.assign(stdin, {isTTY: true as const, setRawMode: () => stdin});
};

const style = {width: 400, palette: createPalette({color: true})};
const print =
	(run: (text: string, output: ReturnType<typeof terminal>['output']) => unknown): ShellDrive =>
	async text => {
		const {output, written} = terminal();
		await run(text, output);
		return written();
	};

/** By the place, what brings text there. */
export const shellDrives: Readonly<Record<string, ShellDrive>> = {
	'result in a shell': print((text, output) => {
		const options = {json: false, env: {}};
		printResult({kind: 'text', text, hint: text}, output, options);
		printResult({kind: 'record', title: text, fields: [[text, text]], data: null}, output, options);
		printResult({kind: 'lines', lines: [text], colored: true}, output, options);
		printResult({kind: 'lines', lines: [text]}, output, options);
		printResult(
			{kind: 'table', title: text, columns: [{label: text}], rows: [[text]], empty: text, notes: [text], data: null},
			output,
			options,
		);
	}),
	'answer in a shell': print((text, output) => printAnswer(text, output)),
	JSON: print((text, output) => printJson({[text]: text}, output)),
	'warning in a shell': print((text, output) => {
		printWarning(text, output, text);
		printError({code: 'failed', message: text, hint: text}, output, {json: false});
	}),
	stream: print((text, output) =>
		printStream(
			(async function* () {
				yield [
					{kind: 'line', text, data: null},
					{kind: 'note', text, data: null},
				] as never;
			})(),
			{stdout: output, stderr: output, signal: new AbortController().signal},
			{json: false, env: {}},
		),
	),
	async progress(text, pass) {
		const {output, written} = terminal();
		const progress = createRunProgress(output);
		progress.follow({type: 'tool-call', id: 'c', messageId: 'm', name: text, arguments: {path: text}});
		await pass(5000);
		progress.end();
		return written();
	},
	async note(text, pass) {
		const {output, written} = terminal();
		const note = createWaitNote(output, {command: text, waitsFor: () => text});
		await pass(5000);
		note.end();
		return written();
	},
	async 'question in a shell'(text, pass) {
		const {output, written} = terminal();
		const stdin = keyboard();
		const questions = createTerminalQuestions({stdin: stdin as never, stderr: output as never});
		const answers = (async () => [
			await questions.ask({label: text, masked: false}),
			await questions.choose({title: text, choices: [{id: 'a', label: text, detail: text}]}),
			await questions.confirm(text, {title: text, facts: [[text, text]]}),
		])();
		questions.say(text);
		questions.progress?.(text);
		for (const answer of ['x\r', '1\r']) {
			await new Promise(resolve => setImmediate(resolve));
			stdin.write(answer);
			await new Promise(resolve => setImmediate(resolve));
		}

		// What is typed before that question is dropped.
		while (!written().includes('[y/N]')) {
			await pass(10);
		}

		stdin.write('y\r');
		await answers;
		return written();
	},
	async 'typed line'(text) {
		const {output, written} = terminal();
		const stdin = keyboard();
		const line = readTerminalLine({stdin: stdin as never, output}, false);
		// Escape alone cancels, and line ends end the line.
		stdin.write(text.replaceAll(/[\u0003\u0004\r\n]/g, ''));
		stdin.write('\r');
		await line;
		return written().replaceAll('\b \b', '');
	},
	async 'type of the terminal'(text) {
		const {output, written} = terminal();
		const stdin = Object.assign(new PassThrough(), {setRawMode: () => undefined});
		stdin.end();
		await obeysCodes({stdin: stdin as never, stdout: output, env: {TERM: text}});
		return written().replace('\u001b[c\r    \r', '');
	},
	completion: print((text, output) => {
		const hostile = command({name: 'hostile', summary: text, args: z.object({}), run: () => ({kind: 'text', text})});
		return runCompletion(['hos'], {env: {}, stdout: output, entries: [hostile]} as never);
	}),
	'line mode': print(async (text, output) => {
		const stdin = keyboard();
		const lines = createLineTerminal({
			stdin: stdin as never,
			output: output as never,
			onLine: () => undefined,
			now: () => 0,
		});
		const answer = lines.question(text, false);
		await new Promise(resolve => setImmediate(resolve));
		stdin.write('x\r');
		await answer;
	}),
	farewell: text =>
		farewell({store: {getState: () => ({unsaved: text, background: [], transcript: {}})} as never}) +
		farewell({
			store: {
				getState: () => ({
					unsaved: '',
					background: [],
					transcript: {session: text, settled: [{kind: 'user'}], open: []},
				}),
			} as never,
		}),
	welcome: text =>
		welcomeLines({
			version: '1',
			folder: text,
			place: {branch: text, trusted: text, hasInstructions: false, last: {id: text, title: text, age: text}},
			insertKey: text,
			model: `x/${text}`,
			isDemo: false,
			lacksKey: false,
			server: text,
			isBrief: false,
			...style,
		}).join('\n'),
	warning: text => messageLines('!', style.palette.warning, text, text, style).join('\n'),
	'title of the window': text => titleSequence(text).slice('\u001b]2;'.length, -'\u001b\\'.length),
	notification: text =>
		[{}, {TERM_PROGRAM: 'iTerm.app'}, {TERM: 'xterm-kitty'}, {TERM: 'rxvt-unicode'}, {TERM: 'tmux-256color', TMUX: 'x'}]
			.map(env => noticeSequence(text, env))
			.join('\n'),
	'copied text': text => String(copySequence(text, {})),
};

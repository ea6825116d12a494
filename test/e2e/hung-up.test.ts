import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {connectedTo, waitForIdle} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {folderWith, program} from './program.ts';
import {startTerminal} from './terminal.ts';

/** Lets the terminal hang up before the first line of the program runs, once Node has looked at it. */
const early = `import {writeFileSync} from 'node:fs'; import {isatty} from 'node:tty';
writeFileSync('begun', ''); while (isatty(0)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)`;

/** Starts the program from a shell that survives its terminal and keeps what the program ends with. `after` is what follows its arguments. */
async function startIn(args: readonly string[], after = '', nodeArgs: readonly string[] = []) {
	const host = await startModelHost();
	const {env, args: model} = connectedTo(host);
	const folder = folderWith();
	const line = `trap : HUP; { "$0" "$@" 2> errors; echo $? > status; } ${after}`;
	const shell = {file: 'sh', args: ['-c', line, process.execPath, ...nodeArgs, program]};
	const terminal = startTerminal({folder, env, args: args[0] === 'keys' ? args : [...args, ...model], shell});
	const read = (name: string) =>
		existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
	const waitFor = (name: string, words: RegExp) => expect.poll(() => read(name) ?? '-', {interval: 25}).toMatch(words);
	return {
		host,
		terminal,
		waitFor,
		read,
		/** Hangs up, unless the terminal is gone already. Returns what the program ended with. */
		async end() {
			terminal.hangUp();
			await waitFor('status', /\d\n/);
			return {status: Number(read('status')), errors: read('errors') ?? ''};
		},
	};
}

type Ended = {readonly status: number; readonly errors: string};

/** Node's abort is status 134, and a trace; an error that nothing catches is a bug. */
function expectSentence({status, errors}: Ended) {
	expect(errors).toMatch(/^(?:(?:service: | {2}|stdin is |API key )[^\n]*\n)*$/);
	expect(errors).not.toContain('inside service');
	expect([0, 1, 2, 130], errors).toContain(status);
}

test.each(['', '| cat > out'])(
	'a terminal that hangs up before the program begins ends it with a sentence (output %j)',
	async after => {
		const {waitFor, end} = await startIn([], after, ['--import', `data:text/javascript,${encodeURIComponent(early)}`]);
		await waitFor('begun', /^$/);
		expectSentence(await end());
	},
);

test.each(['', '| cat > out'])(
	'one that hangs up at a hidden question ends it with a sentence (output %j)',
	async after => {
		const {waitFor, end} = await startIn(['keys', 'set', 'openai'], after);
		await waitFor('errors', /typing is hidden/);
		expectSentence(await end());
	},
);

test.each(['idle', 'in the middle of an answer', 'quitting'])(
	'one that hangs up ends the app with a sentence: %s',
	async moment => {
		const {host, terminal, end} = await startIn([]);
		host.answerWith(({say}) => say('Half an answer'));
		await waitForIdle(terminal);
		if (moment === 'quitting') {
			terminal.press('ctrl+c');
			await terminal.waitFor('Press Ctrl+C again');
			terminal.press('ctrl+c');
		} else if (moment !== 'idle') {
			terminal.type('Hi');
			terminal.press('enter');
			await terminal.waitFor('Half an answer');
		}

		expectSentence(await end());
	},
);

test('-p ends its answer in a pipe although the terminal of its input hangs up', async () => {
	const {host, terminal, read, waitFor} = await startIn(['-p', 'Hi'], '| cat > out');
	let finish: () => void = () => undefined;
	host.answerWith(async ({say, finish: end}) => {
		say('A whole answer.');
		await new Promise<void>(resolve => {
			finish = resolve;
		});
		end();
	});
	await expect.poll(() => host.chats().length, {interval: 25}).toBe(1);
	terminal.hangUp();
	finish();
	await waitFor('status', /\d\n/);
	await waitFor('out', /answer/);
	expect([read('status'), read('out'), read('errors')]).toEqual(['0\n', 'A whole answer.\n', '']);
});

import {once} from 'node:events';
import {PassThrough} from 'node:stream';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createTerminalQuestions} from '../../src/headless/terminal-questions.ts';

/** Returns questions on a terminal, and a way to type keys. */
function terminal() {
	const modes: boolean[] = [];
	const stream = new PassThrough();
	const stdin: NodeJS.ReadStream = Object.assign(Object.create(stream), {
		isTTY: true,
		fd: 0,
		on: stream.on.bind(stream),
		off: stream.off.bind(stream),
		pause: stream.pause.bind(stream),
		resume: stream.resume.bind(stream),
		setRawMode(mode: boolean) {
			modes.push(mode);
			return stdin;
		},
	});
	const stderr = new PassThrough();
	const shown: string[] = [];
	stderr.on('data', data => shown.push(String(data)));
	return {
		...createTerminalQuestions({stdin, stderr}),
		modes,
		type: (keys: string) => stream.write(keys),
		shown: async () => {
			if (shown.length === 0) {
				await once(stderr, 'data');
			}

			return shown.join('');
		},
	};
}

const field = {label: 'Key:', masked: true};

test('a masked line is read key by key and never echoed [11]', async () => {
	const {ask, type, modes, shown} = terminal();
	const asked = ask(field);
	type('sk-');
	type('123x\u007F\r');
	expect(await asked).toBe('sk-123');
	expect(modes).toEqual([true, false]);
	expect(await shown()).toBe('Key: \n');
});

test('an unmasked line is echoed and can be erased', async () => {
	const {ask, type, shown} = terminal();
	const asked = ask({label: 'Server:', masked: false});
	type('ab\u007Fc\u0015http://a\n');
	expect(await asked).toBe('http://a');
	expect(await shown()).toBe('Server: ab\b \bc\b \b\b \bhttp://a\n');
});

test('a paste is read without its marks, and arrows do nothing', async () => {
	const {ask, type} = terminal();
	const asked = ask(field);
	type('\u001B[200~sk-1\u001B[201~\u001B[A\u001B[1;5C\u001BOP2\r');
	expect(await asked).toBe('sk-12');
});

test.each([
	['Ctrl+C', '\u0003'],
	['Escape', '\u001B'],
	['Ctrl+D at the beginning', '\u0015\u0004'],
])('%s interrupts the command and restores the terminal', async (_name, key) => {
	const {ask, type, modes} = terminal();
	const asked = ask(field);
	type(`sk-${key}`);
	await expect(asked).rejects.toMatchObject({code: 'interrupted'});
	expect(modes).toEqual([true, false]);
});

test('Ctrl+D ends the line as it is', async () => {
	const {ask, type} = terminal();
	const asked = ask(field);
	type('sk-1\u0004');
	expect(await asked).toBe('sk-1');
});

test.each([
	['y\r', true],
	['YES\r', true],
	['n\r', false],
	['\r', false],
	['yep\r', false],
])('%j answers a question with %s', async (keys, answer) => {
	const {confirm, type, shown} = terminal();
	const asked = confirm('Forget it?');
	await shown();
	type(keys);
	expect(await asked).toBe(answer);
});

test('[4] what was typed before a question does not answer it', async () => {
	const {confirm, type, shown} = terminal();
	type('y\r');
	const asked = confirm('Forget it?');
	await expect.poll(shown, {interval: 5}).toContain('[y/N] ');
	type('n\r');
	expect(await asked).toBe(false);
	expect(await shown()).toBe('Ignored: you typed that before the question appeared.\nForget it? [y/N] n\n');
});

const pick = {
	title: 'Select a model',
	choices: [
		{id: 'a/1', label: 'One'},
		{id: 'b/2', label: 'Two', detail: 'new\u001B'},
	],
};

test('a choice is selected by its number', async () => {
	const {choose, type, shown} = terminal();
	const asked = choose(pick);
	type('2\r');
	expect(await asked).toBe('b/2');
	expect(await shown()).toBe('Select a model\n1. One\n2. Two, new␛\nNumber, 1 to 2: 2\n');
});

test.each(['0', '3', '', 'One', '1.5', '-1'])('%j is not a valid choice', async answer => {
	const {choose, type} = terminal();
	const asked = choose(pick);
	type(`${answer}\r`);
	await expect(asked).rejects.toMatchObject({code: 'usage', message: `Invalid number “${answer}”.`});
});

test('notes and questions are printed safely [1]', async () => {
	const {say, shown} = terminal();
	say('Hello\u001B[2J');
	expect(await shown()).toBe('Hello␛[2J\n');
});

test('questions without a terminal are refused with a hint', async () => {
	const stdin: NodeJS.ReadStream = Object.assign(Object.create(new PassThrough()), {isTTY: false, fd: 9999});
	const {ask, choose, confirm} = createTerminalQuestions({stdin, stderr: new PassThrough(), hasYes: true});
	await expect(ask(field)).rejects.toMatchObject({code: 'usage', message: 'Key is missing.'});
	expect(await ask({...field, optional: true})).toBe('');
	await expect(choose({title: 'Choose', choices: []})).rejects.toMatchObject({code: 'usage'});
	await expect(confirm('Forget it?')).rejects.toMatchObject({
		code: 'usage',
		message: 'Refusing to continue without confirmation (not interactive): Forget it?',
		hint: 'Pass --yes to skip the question.',
	});
	// A flag that a command doesn't have is no help.
	await expect(createTerminalQuestions({stdin, stderr: new PassThrough()}).confirm('Forget it?')).rejects.toMatchObject(
		{
			hint: 'Run it in a terminal, which can ask.',
		},
	);
});

test('a browser login prints its page and code on their own lines, safely [1]', async () => {
	const {showLogin, shown} = terminal();
	vi.useFakeTimers({toFake: ['Date']});
	onTestFinished(() => void vi.useRealTimers());
	const page = 'https://a.test/device';
	const login = {server: 'https://a.test', page, pageWithCode: page, expiresAt: Date.now() + 900_000};
	showLogin({...login, code: 'WDJB\u001b[2J'}, () => undefined)();
	expect(await shown()).toBe(
		[
			'To log in to https://a.test, open this page:',
			page,
			'and type this code there, within 15 m 00 s:',
			'WDJB␛[2J',
			'Press Ctrl+C to cancel.',
			'',
		].join('\n'),
	);
});

test('progress overwrites one line, cut to the terminal and safe [1]; a pipe gets none', () => {
	const {stdin} = process;
	const stderr = Object.assign(new PassThrough(), {isTTY: true, columns: 12});
	const {progress} = createTerminalQuestions({stdin, stderr});
	progress?.('Saving: \u001B 12 MB');
	progress?.('');
	expect(String(stderr.read())).toBe('\r\u001B[KSaving: ␛ …\r\u001B[K');
	expect(createTerminalQuestions({stdin, stderr: new PassThrough()}).progress).toBeUndefined();

	// Some terminals don't report their width.
	const silent = Object.assign(new PassThrough(), {isTTY: true, columns: 0});
	createTerminalQuestions({stdin, stderr: silent}).progress?.('Saving');
	expect(String(silent.read())).toBe('\r\u001B[KSaving');
});

test('a terminal has no piped input, and an empty pipe is read once', async () => {
	expect(terminal().piped).toBe(undefined);
	const stdin: NodeJS.ReadStream = Object.assign(Object.create(new PassThrough()), {isTTY: false, fd: 9999});
	const {piped, ask} = createTerminalQuestions({stdin, stderr: new PassThrough()});
	expect(await piped?.()).toBe('');
	await expect(ask(field)).rejects.toMatchObject({code: 'usage', message: 'Key is missing.'});
});

test('facts are printed above a question, safely [1]', async () => {
	const {confirm, type, shown} = terminal();
	const about = {title: 'Wake box', facts: [['state', 'pau\u001b[2Jsed']]} as const;
	const asked = confirm('Wake it?', about);
	await expect.poll(shown, {interval: 5}).toContain('[y/N] ');
	type('y\r');
	expect(await asked).toBe(true);
	expect(await shown()).toBe('Wake box\nstate: pau␛[2Jsed\nWake it? [y/N] y\n');
});

test('a typed filter narrows a list, and an empty line cancels it', async () => {
	const {choose, type, shown} = terminal();
	const choices = ['running', 'paused'].map(state => ({id: state, label: `box ${state}`, fields: {state}}));
	const filters = [{name: 'state', compares: 'text', example: 'state:paused'}] as const;
	const chosen = choose({title: 'Resume', choices, filters});
	type('state:pau\r');
	await expect.poll(shown, {interval: 5}).toContain('Resume, state:pau: 1 of 2\n1. box paused\nNumber, 1, or name');
	type('1\r');
	expect(await chosen).toBe('paused');
	const left = choose({title: 'Resume', choices, filters});
	type('\r');
	expect(await left).toBe(undefined);
});

test('--json prints standard error as a JSON object a line', async () => {
	const stderr = Object.assign(new PassThrough(), {isTTY: true, columns: 80});
	const stdin: NodeJS.ReadStream = Object.assign(Object.create(new PassThrough()), {isTTY: false, fd: 0});
	const {say, progress} = createTerminalQuestions({stdin, stderr, json: true});
	say('Trying again in 3 s.');
	say('a\u001B[2J\u202Eb');
	expect(progress).toBeUndefined();
	const lines = String(stderr.read()).trimEnd().split('\n');
	expect(lines.map(line => JSON.parse(line))).toEqual([
		{notice: 'Trying again in 3 s.'},
		{notice: 'a\u001B[2J\u202Eb'},
	]);
	expect(lines.join('')).not.toMatch(/[\u001B\u202E]/);
});

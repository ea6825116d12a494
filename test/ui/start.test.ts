import {expect, onTestFinished, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {cellWidths, defaultCellWidths, sampleNames, setCellWidths} from '../../src/terminal/text/cell-widths.ts';
import {finish, scriptedModel, text} from '../agent/scripted.ts';
import {call} from './canvas.ts';
import {runApp} from './running-app.ts';

const prompt = ['─'.repeat(80), '❯ Ask something, or / for commands', 'local · custom/demo · ○ idle'];

test('/clear starts a new session, so the model sees nothing of the old one', async () => {
	const {ask, asked} = scriptedModel([text('First.'), finish('stop')], [text('Second.'), finish('stop')]);
	const {type, waitFor, store, sessions} = runApp({ask});
	await waitFor('Demo model');
	type('one\r');
	await waitFor('First.');
	await waitFor('idle');
	const before = store.getState().transcript.session;
	type('/clear\r');
	await expect.poll(() => store.getState().transcript.session).not.toBe(before);
	type('two\r');
	await waitFor('Second.');
	expect(JSON.stringify(asked.at(-1))).not.toContain('one');
	expect((await sessions.list(false)).map(({id}) => id)).toContain(before);
});

test('/clear clears the screen and the scrollback, and the prompt moves to the top', async () => {
	const {type, lines, settle, waitFor} = runApp();
	await waitFor('Demo model');
	type('/clear\r');
	await expect.poll(lines, {interval: 10}).toEqual(['', ...prompt]);
	await settle(50);
	expect(lines()).toEqual(['', ...prompt]);
	type('/usage\r');
	await waitFor('Usage of this session');
	expect(lines()[0]).toBe('❯ /usage');
});

test('Ctrl+L redraws the same screen', async () => {
	const {type, lines, window, settle, waitFor} = runApp();
	await waitFor('Demo model');
	await settle();
	const before = window();
	type('\u000c');
	await settle(50);
	expect(window()).toEqual(before);
	type('/clear\r');
	await settle(50);
	type('\u000c');
	await settle(50);
	expect(lines()).toEqual(['', ...prompt]);
});

test('input before loading is kept, and a failure to load is thrown once', async () => {
	let fail: (error: Error) => void = () => undefined;
	const {type, status, settle} = runApp({
		compose: () => new Promise((_, reject) => (fail = reject)),
	});
	type('hello\r');
	await settle();
	fail(new AppError('usage', 'No profile “x”.'));
	await expect(status).rejects.toThrow('No profile “x”.');
});

test('/quit asks before sandboxes of the built-in server end, and Escape keeps the app open', async () => {
	const {type, waitFor, store, status} = runApp();
	await waitFor('Demo model');
	store.getState().setOwnSandboxes(2);
	type('/quit\r');
	await waitFor('2 running sandboxes will end with the app. Quit?');
	type('\u001b');
	await expect.poll(() => store.getState().panel).toBeUndefined();
	type('/usage\r');
	await waitFor('Usage of this session');
	store.getState().setOwnSandboxes(0);
	type('/quit\r');
	expect(await status).toBe(0);
});

test('the app ends with how to resume, and the cursor below that', async () => {
	const {type, status, waitFor, settle, lines, cursor} = runApp({
		ask: scriptedModel([text('Hello.'), finish('stop')]).ask,
	});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Hello.');
	await waitFor('idle');
	type('\u0004');
	expect(await status).toBe(0);
	await settle();
	expect(lines().slice(8)).toEqual(['', '❯ hi', '', '● Hello.', 'Resume this session with: service --resume 0f9b4e6a']);
	expect(cursor()).toEqual({row: 13, column: 0});
});

test('a narrower window shows the same text, wrapped again', async () => {
	const ask = scriptedModel([text('Hello. '.repeat(20)), finish('stop')]).ask;
	const {type, waitFor, resize, settle, window} = runApp({ask});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Hello.');
	resize(40, 20);
	await settle(300);
	expect(window().slice(1)).toEqual([
		// What may be above the window by now stays as the terminal broke it.
		'find, fix and test a bug',
		'  /keys set anthropic   your own model, ',
		'with its API key',
		'  /connect <url>        your own server',
		'  /env create web-shop  a sandbox with a',
		' task, and its live log',
		'  /help                 all commands, in',
		' groups',
		'',
		'❯ hi',
		'',
		'● Hello. Hello. Hello. Hello. Hello.',
		...Array.from({length: 3}, () => 'Hello. Hello. Hello. Hello. Hello.'),
		'',
		'─'.repeat(40),
		...prompt.slice(1),
	]);
});

test.each([8, 5])('a window of %i rows loses neither the prompt nor the status', async rows => {
	const {waitFor, resize, settle, window, store} = runApp();
	await waitFor('Demo model');
	const {transcript, applyRecords} = store.getState();
	applyRecords(
		Array.from({length: 12}, (_, index) => ({
			v: 1,
			seq: index,
			at: '2026-01-01T00:00:00.000Z',
			session: transcript.session,
			server: 'local',
			event: call(`c${index}`),
		})),
	);
	await settle();
	resize(80, rows);
	await settle(300);
	expect(window().filter(line => /^❯|idle$/.test(line))).toEqual(prompt.slice(1));
});

test('a narrower window loses no line and repeats only those that the terminal pushed above it', async () => {
	const ask = scriptedModel([
		text(Array.from({length: 40}, (_, index) => `- item ${index}\n`).join('')),
		finish('stop'),
	]).ask;
	const {type, waitFor, resize, settle, lines} = runApp({ask});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('item 39');
	await waitFor('idle');
	resize(60, 24);
	await settle(300);
	const items = lines().filter(line => line.includes('item'));
	// The rule over the prompt is as wide as the window was: wrapped, it takes another row.
	expect(items.length).toBeLessThanOrEqual(41);
	expect([...new Set(items)]).toEqual(Array.from({length: 40}, (_, index) => `• item ${index}`));
});

test.each([
	['', 10],
	['41;390;0', 10],
	['0;276;0', 3],
])('a narrower window of a terminal that answers %j is erased from %i rows above the prompt', async (version, up) => {
	const before = Array.from({length: 6}, (_, index) => `shell ${index}\r\n`).join('');
	const {waitFor, resize, settle, lines, written} = runApp({before, version});
	await waitFor('Demo model');
	await settle();
	const count = written.length;
	resize(79, 24);
	await settle(300);
	// A blank row and the rule, which takes two rows if the terminal breaks it; otherwise the welcome as well.
	expect(written.slice(count).join('')).toContain(`\u001b[${up}A\r\u001b[K\u001b[C\u001b[J`);
	expect(lines().filter(line => line.startsWith('shell'))).toHaveLength(6);
});

test('newly measured widths redraw in place, keep what the shell wrote above, and repeat no line', async () => {
	onTestFinished(() => setCellWidths(defaultCellWidths));
	const before = Array.from({length: 6}, (_, index) => `shell ${index}\r\n`).join('');
	const ask = scriptedModel([text('One.\n\nTwo.\n\nThree.'), finish('stop')]).ask;
	const {type, waitFor, settle, lines, written} = runApp({before, ask});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Three.');
	await waitFor('idle');
	const above = lines().slice(0, -3);
	const count = written.length;
	const place = (column: number) => `\u001b[7;${column + 1}R`;
	type(place(0) + sampleNames.map(name => place(name === 'ambiguous' ? 2 : 1)).join(''));
	await expect.poll(() => cellWidths().ambiguous).toBe(2);
	await settle(50);
	expect(written.slice(count).join('')).not.toMatch(/\u001b\[(?:H|[23]J)/);
	expect(lines().slice(0, -3)).toEqual(above);
	expect(lines().at(-2)).toContain('Ask something');
});

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, onTestFinished, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {startReplay} from '../../../src/ui/start-replay.ts';
import {answered, called, done, said, start, toRecords, user} from '../../core/records.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {createEmulator} from '../emulator.ts';

const talk = [start, user('Read it'), said('# It\n\nsays **hello**.\n'), called('one'), answered('one'), done];

function replay(events: readonly AgentEvent[], {speed = 100, isTTY = true, columns = 60, env = {}} = {}) {
	const emulator = createEmulator(columns, 20);
	emulator.stdout.write('$ ls\nfile\n');
	Object.assign(emulator.stdout, {isTTY});
	const keyboard = new PassThrough();
	const modes: boolean[] = [];
	Object.assign(keyboard, {
		isTTY,
		setRawMode: (raw: boolean) => modes.push(raw),
		ref: () => keyboard,
		unref: () => keyboard,
	});
	const status = startReplay(
		{records: toRecords(events), speed},
		{
			stdin: keyboard,
			stdout: emulator.stdout as NodeJS.WriteStream,
			env: {NO_COLOR: '1', TERM: 'xterm-256color', ...env},
			process: {pid: 1, on: () => undefined, off: () => undefined, kill: () => undefined},
		},
	);
	onTestFinished(async () => {
		keyboard.end();
		await status;
		emulator.dispose();
	});
	return {emulator, keyboard, status, modes};
}

const first = ['$ ls', 'file', '❯ Read it'];

test('a replay ends with what the app showed, below what the shell printed, and restores the terminal', async () => {
	const {emulator, status, modes} = replay(talk);
	expect(await status).toBe(0);
	await emulator.settle();
	const lines = emulator.lines();
	expect(lines.slice(0, 3)).toEqual(first);
	expect(lines).toContain('says **hello**.');
	expect(lines.findIndex(line => line.startsWith('✓ Read one'))).toBeGreaterThan(5);
	expect(lines.at(-1)).toBe('Replayed 6 events.');
	expect(lines.join('\n')).not.toContain('Space pause');
	expect(modes).toEqual([true, false]);
	expect(emulator.written.join('')).not.toContain('\u001B[3J');
});

test('keys pause, change the speed and quit', async () => {
	const {emulator, keyboard, status} = replay(talk, {speed: 0.1});
	const until = async (text: string) => {
		while (!emulator.lines().some(line => line.includes(text))) {
			await emulator.settle(5);
		}
	};
	await until('1 of 6 events · 0.1x · Space pause');
	keyboard.write(' ');
	await until('paused · 0.1x · Space continue');
	keyboard.write('\u001B[C++');
	await until('paused · 0.34x');
	keyboard.write('-q');
	expect(await status).toBe(0);
	await emulator.settle();
	expect(emulator.lines().at(-1)).toBe('Replay stopped after 1 of 6 events.');
});

test('the keys of the user work, and are named', async () => {
	const home = temporaryFolder();
	const own = {'replay.pause': 'p', 'replay.faster': 'F', 'replay.slower': [], 'replay.stop': 'ctrl+x'};
	writeFileSync(join(home, 'settings.json'), JSON.stringify({keys: own}));
	const {emulator, keyboard, status} = replay(talk, {speed: 0.1, columns: 80, env: {SERVICE_HOME: home}});
	const screen = async () => {
		await emulator.settle(5);
		return emulator.lines().join('\n');
	};
	const shows = (text: string) => expect.poll(screen, {interval: 5}).toContain(text);
	await shows('1 of 6 events · 0.1x · p pause · F faster · Ctrl+X quit');
	keyboard.write(' q+\u001B[C');
	keyboard.write('p');
	await shows('paused · 0.1x · p continue · F faster · Ctrl+X quit');
	keyboard.write('FF\u0018');
	expect(await status).toBe(0);
});

test.each([
	['a pipe', {isTTY: false}],
	['a screen reader', {env: {ACCESSIBLE: '1'}}],
])('%s gets everything at once, without keys', async (_, options) => {
	const {emulator, status, modes} = replay(talk, {speed: 0.1, ...options});
	expect(await status).toBe(0);
	await emulator.settle();
	expect(emulator.lines().join('\n')).toMatch(/❯ Read it\n.*says \*\*hello\*\*\.\n.*Read one/s);
	expect(emulator.written.join('')).not.toContain('\u001B');
	expect(modes).toEqual([]);
});

test('nothing in a session is obeyed by the terminal, and one that was cut off is shown to its end [2]', async () => {
	const hostile = 'x\u001B[2J\u001B]0;title\u0007\u202Ey';
	const {emulator, status} = replay([start, user(hostile), called(hostile), said(`${hostile} and no end`, 'm2')], {
		isTTY: false,
	});
	await status;
	await emulator.settle();
	expect(emulator.written.join('')).not.toMatch(/\u001B|\u0007|\u202E/);
	expect(emulator.lines().join('\n')).toContain('and no end');
});

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as tick} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createRandom, drawnSeed} from '../faults/fault.ts';
import {openChat} from './app-in-process.ts';
import {quit, startChat, waitForIdle} from './chat.ts';
import {folderWith, program} from './program.ts';

test('Escape ends an answer at once; its text stays, and the prompt works; what was queued returns to it', async () => {
	const {host, terminal} = await openChat();
	let closed = false;
	host.answerWith(
		async answer => {
			answer.say('The first half');
			await answer.closed;
			closed = true;
		},
		({say, finish}) => {
			say('And another one.');
			finish();
		},
	);
	terminal.type('tell me\r');
	await terminal.waitFor('The first half');
	expect(terminal.status()).toContain('● working');
	terminal.press('escape');
	await terminal.waitFor(/The first half\n\n■ Interrupted\./);
	await terminal.waitFor(() => closed);
	await waitForIdle(terminal);

	terminal.type('again\r');
	await terminal.waitFor('And another one.');
	expect(host.chats().at(-1)?.slice(1)).toEqual(['user: tell me', 'assistant: The first half', 'user: again']);
	await waitForIdle(terminal);

	host.answerWith(async answer => {
		answer.say('Going on and on');
		await answer.closed;
	});
	terminal.type('go\r');
	await terminal.waitFor('Going on');
	terminal.type('one more thing\r');
	await terminal.waitFor('queued: one more thing');
	terminal.press('escape');
	await terminal.waitFor(/■ Interrupted\.[\s\S]*❯ one more thing/);
	expect(host.chats()).toHaveLength(3);
});

test(`Ctrl+C right after Enter ends the run, or sends nothing, at any moment; it never quits (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	const {host, terminal} = await openChat();
	for (let turn = 0; turn < 50; turn += 1) {
		const before = host.chats().length;
		host.answerWith(async ({closed}) => closed);
		terminal.type(`Go-${turn}\r`);
		const turns = random.below(random.pick([2, 30, 300]));
		for (let passed = 0; passed < turns; passed += 1) {
			await tick();
		}

		terminal.press('ctrl+c');
		const what = `turn ${turn}, after ${turns}`;
		const isBack = () => /─\n❯ Go-\d+$/m.test(terminal.screen().join('\n'));
		await terminal.waitFor(() => isBack() || new RegExp(`Go-${turn}\\s+■ Interrupted`).test(terminal.text()), 15_000);
		await waitForIdle(terminal);
		expect(terminal.text(), what).not.toContain('again to quit');
		if (isBack()) {
			expect(host.chats(), what).toHaveLength(before);
			terminal.press('ctrl+u');
			await terminal.waitFor(() => !isBack());
		}
	}

	host.answerWith(({say, finish}) => {
		say('Here again.');
		finish();
	});
	terminal.type('And now?\r');
	await terminal.waitFor('Here again.');
	await waitForIdle(terminal);
	await quit(terminal);
});

test('a message during a run is shown as queued and joins at the next turn', async () => {
	const folder = folderWith({'apple.txt': 'a'});
	const {host, terminal} = await openChat({folder});
	let goOn: () => void = () => undefined;
	const gate = new Promise<void>(resolve => {
		goOn = resolve;
	});
	host.answerWith(
		async ({say, call, finish}) => {
			say('Looking.');
			await gate;
			call('list_files', {});
			finish();
		},
		({say, finish}) => {
			say('Both done.');
			finish();
		},
	);
	terminal.type('what is here?\r');
	await terminal.waitFor('Looking.');
	terminal.type('and be brief\r');
	await terminal.waitFor('queued: and be brief');
	goOn();
	await terminal.waitFor(/✓ List .*\n\n❯ and be brief\n\n● Both done\./);
	await waitForIdle(terminal);
	expect(terminal.text()).not.toContain('queued:');
	expect(host.chats().at(-1)?.slice(-2)).toEqual(['tool: apple.txt', 'user: and be brief']);
});

test('a kill in the middle of an answer resets the terminal, and the session can be resumed [5] [17]', async () => {
	const folder = folderWith({'apple.txt': 'a'});
	const home = join(folderWith(), 'home');
	const {host, terminal} = await startChat({folder, home});
	host.answerWith(
		({say, call, finish}) => {
			say('I look around.');
			call('list_files', {});
			finish();
		},
		async answer => {
			answer.say('This is cut he');
			await answer.closed;
		},
	);
	terminal.type('go\r');
	await terminal.waitFor('This is cut he');
	terminal.kill('SIGTERM');
	expect(await terminal.exit()).toEqual({status: 0, signal: 15});
	const last = (sequence: string) => terminal.output().lastIndexOf(sequence);
	expect(last('\u001b[<u')).toBeGreaterThan(last('\u001b[>5u'));
	expect(last('\u001b[?2004l')).toBeGreaterThan(last('\u001b[?2004h'));
	expect(terminal.modes()).toMatchObject({bracketedPasteMode: false, synchronizedOutputMode: false});

	const again = await openChat({folder, home, args: ['-c']});
	await again.terminal.waitFor(/❯ go\n\n● I look around\.\n\n✓ List[\s\S]*This is cut he\n\n■ Interrupted\./);
	again.terminal.type('go on\r');
	await again.terminal.waitFor('Hello from the host.');
	expect(again.host.chats().at(-1)?.slice(1)).toEqual([
		'user: go',
		'assistant: I look around.',
		'tool: apple.txt',
		'assistant: This is cut he',
		'user: go on',
	]);
});

test('a tool call without a result is shown as interrupted, and is not run again [17]', async () => {
	const folder = folderWith({'apple.txt': 'a'});
	const home = join(folderWith(), 'home');
	const {host, terminal} = await startChat({folder, home});
	host.answerWith(({call, finish}) => {
		call('list_files', {});
		finish();
	});
	terminal.type('go\r');
	const journal = () =>
		readdirSync(home, {recursive: true, encoding: 'utf8'})
			.filter(name => name.endsWith('.jsonl') && name.startsWith('sessions'))
			.map(name => join(home, name))
			.join();
	// The screen may be ahead of the disk.
	await terminal.waitFor(() => journal() !== '' && readFileSync(journal(), 'utf8').includes('"tool-call"'));
	terminal.kill('SIGKILL');
	await terminal.exit();
	const records = readFileSync(journal(), 'utf8').split('\n');
	const call = records.findIndex(record => record.includes('"tool-call"'));
	writeFileSync(journal(), `${records.slice(0, call + 1).join('\n')}\n{"v":1,"seq":`);

	const again = await openChat({folder, home, args: ['-c']});
	await again.terminal.waitFor(/❯ go\n\n■ List files · interrupted/);
	await again.terminal.waitFor(/! The last record of this session was cut off/);
	again.terminal.type('go on\r');
	await again.terminal.waitFor('Hello from the host.');
	expect(again.host.chats()).toEqual([
		[
			expect.stringMatching(/^system: /),
			'user: go',
			'assistant: null',
			'tool: Error: This call was interrupted before it had a result.',
			'user: go on',
		],
	]);
});

test('Ctrl+Z returns the terminal to the shell, and fg continues the app', async () => {
	const {terminal} = await startChat({
		shell: {
			file: 'bash',
			args: [
				'--norc',
				'--noprofile',
				'-c',
				`set -m; node ${program} "$@"; echo stopped; read; fg; echo status $?`,
				'bash',
			],
		},
	});
	terminal.type('half a thought');
	await terminal.waitFor('❯ half a thought');
	terminal.press('ctrl+z');
	await terminal.waitFor(/stopped\s*$/);
	expect(terminal.text()).not.toMatch(/half a thought|○ idle/);
	terminal.press('enter');
	// Nothing of ours is below the caret, where the shell continues.
	expect(terminal.output().split('stopped', 1)[0]?.slice(-160)).toContain('\u001B[J');
	await terminal.waitFor(() => terminal.modes().bracketedPasteMode);
	await terminal.waitFor(/❯ half a thought\n.*○ idle/);
	terminal.type(' or two');
	await terminal.waitFor('❯ half a thought or two');
	terminal.press('ctrl+c');
	await quit(terminal);
	expect(terminal.text()).toContain('status 0');
});

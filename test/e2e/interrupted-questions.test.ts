import {readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import {openLines} from './lines-in-process.ts';
import type {Answer} from './model-host.ts';
import {folderWith} from './program.ts';

const calls = {
	'an approval': {name: 'run_command', args: {command: 'touch one'}, shown: 'y  Yes, once', spoken: '1. Yes, once'},
	'a question': {
		name: 'ask_user',
		args: {question: 'Which one?', choices: [{label: 'Left'}]},
		shown: '2. Something else',
		spoken: '1. Left',
	},
	'a question without choices': {
		name: 'ask_user',
		args: {question: 'Which one?'},
		shown: 'answer:',
		spoken: 'Your answer',
	},
} as const;

const asking =
	({name, args}: (typeof calls)[keyof typeof calls]) =>
	({call, finish}: Answer) => {
		call(name, args);
		finish();
	};

const done = ({say, finish}: Answer) => {
	say('That is all.');
	finish();
};

test.each(Object.entries(calls))(
	'Ctrl+C at %s refuses it and interrupts the run; Esc refuses it alone [4]',
	async (_, asked) => {
		const folder = folderWith();
		const {host, terminal} = await openChat({folder});
		host.answerWith(asking(asked), done, asking(asked), done);
		terminal.type('ask me\r');
		await terminal.waitFor(asked.shown);
		terminal.press('ctrl+c');
		await terminal.waitFor('■ Interrupted.');
		await waitForIdle(terminal);
		expect(host.chats()).toHaveLength(1);
		terminal.type('well?\r');
		await terminal.waitFor('That is all.');
		expect(host.chats().at(-1)?.at(-2)).toContain(
			asked.name === 'ask_user' ? 'interrupted before it had a result' : 'The user did not allow this call',
		);
		await waitForIdle(terminal);

		terminal.type('ask again\r');
		await terminal.waitFor(() => terminal.screen().some(row => row.includes(asked.shown)));
		terminal.press('escape');
		await terminal.waitFor(/That is all\.[\s\S]*That is all\./);
		expect(readdirSync(folder)).toEqual([]);
		await waitForIdle(terminal);
		await quit(terminal);
	},
);

test.each(['e', 'r'])('Ctrl+C in the field that %s opens interrupts the run, too [4]', async key => {
	const {host, terminal} = await openChat();
	host.answerWith(asking(calls['an approval']), done);
	terminal.type('ask me\r');
	await terminal.waitFor('r  No, and say why');
	terminal.type(key);
	await terminal.waitFor('Esc back');
	terminal.press('ctrl+c');
	await terminal.waitFor('■ Interrupted.');
	await waitForIdle(terminal);
	expect(host.chats()).toHaveLength(1);
	await quit(terminal);
});

test('Ctrl+C at a question of another agent interrupts its turn [4]', async () => {
	const fixture = fileURLToPath(new URL('../agent/external/fixture-agent.mjs', import.meta.url));
	const {terminal} = await openChat({args: ['--agent', `${process.execPath} ${fixture}`]});
	terminal.type('scene:asked\r');
	await terminal.waitFor('y  Yes, once');
	terminal.press('ctrl+c');
	await terminal.waitFor('■ Interrupted.');
	await waitForIdle(terminal);
	await quit(terminal);
});

test.each(Object.entries(calls))('line by line, Ctrl+C at %s interrupts the run [4]', async (_, asked) => {
	const {host, answer, type, waitFor} = await openLines();
	host.answerWith(asking(asked), done);
	type('ask me');
	await answer(asked.spoken, '\u0003');
	await waitFor(/Interrupted\.[\s\S]*Ready\./);
	expect(host.chats()).toHaveLength(1);
	type('well?');
	await waitFor('That is all.');
});

test('line by line, a question ends with its run: the next line is a message [4]', async () => {
	const {host, interrupt, type, waitFor} = await openLines();
	host.answerWith(asking(calls['an approval']), done);
	type('ask me');
	await waitFor(calls['an approval'].spoken);
	interrupt();
	await waitFor(/Interrupted\.[\s\S]*Ready\./);
	type('y');
	await waitFor('That is all.');
	expect(host.chats().at(-1)?.at(-1)).toBe('user: y');
});

import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';

test('/compact shows what it freed, keeps a pinned message, and /compact undo restores what the model reads', async () => {
	const {host, terminal} = await openChat();
	/** Returns the messages of the last request. */
	const texts = () => (host.chats().at(-1) ?? []).map(message => message.replace(/^\w+: /, ''));
	host.answerWith(
		({say, finish}) => {
			say('I will not touch it.');
			finish();
		},
		({say, finish}) => {
			say('The user has a rule.');
			finish();
		},
		({say, finish}) => {
			say('From the summary.');
			finish();
		},
		({say, finish}) => {
			say('From the whole.');
			finish();
		},
	);
	terminal.type('never touch main\r');
	await terminal.waitFor('I will not touch it.');
	await waitForIdle(terminal);
	terminal.type('/pin touch main\r');
	await terminal.waitFor('Pinned: never touch main');

	terminal.type('/compact keep the rule\r');
	await terminal.waitFor('Undo: /compact undo');
	expect(texts().at(-1)).toMatch(/^Stop here[\s\S]*The user asks for this summary: keep the rule\n/);
	expect(terminal.screen().join('\n')).toMatch(
		/⇣ Conversation compacted: [\d.]+k? → about [\d.]+k? tokens\. 1 pinned message kept\./,
	);
	await waitForIdle(terminal);

	terminal.type('what now?\r');
	await terminal.waitFor('From the summary.');
	expect(texts().slice(-2)).toEqual([
		expect.stringMatching(/The user has a rule\.[\s\S]*never touch main$/),
		'what now?',
	]);
	await waitForIdle(terminal);

	terminal.type('/compact undo\r');
	await terminal.waitFor('Compaction undone');
	terminal.type('and now?\r');
	await terminal.waitFor('From the whole.');
	expect(texts().slice(-5)).toEqual([
		'never touch main',
		'I will not touch it.',
		'what now?',
		'From the summary.',
		'and now?',
	]);
	await waitForIdle(terminal);
	await quit(terminal);
});

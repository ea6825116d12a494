import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {answer} from './chat.ts';
import {halves} from './model-host.ts';

test('/bg sends a run to the background, says when it has ended, and quitting asks while it runs', async () => {
	const {host, terminal} = await openChat();
	const {release, script} = halves();
	host.answerWith(script);
	terminal.type('Do the long thing\r');
	await terminal.waitFor('First half.');
	terminal.type('/bg\r');
	await terminal.waitFor('continues in the background. This is a new session.');
	terminal.type('/quit\r');
	await terminal.waitFor('1 background run will end with the app. Quit?');
	terminal.press('escape');
	release();
	await terminal.waitFor('has ended');
	expect(terminal.screen().join('\n')).not.toContain('Second half.');
});

test('a strip shows the open sessions, what they do and how much is new, and Ctrl+X B goes to the one that waits', async () => {
	const {host, terminal} = await openChat();
	const [first, second] = [halves(), halves()];
	host.answerWith(first.script);
	terminal.type('Fix the login\r');
	await terminal.waitFor('First half.');
	terminal.type('/bg\r');
	await terminal.waitFor(/● Fix the login · Ctrl\+X B next\n─+\n❯/);
	host.answerWith(async script => {
		script.say('I write.');
		await second.script({...script, say: () => undefined, finish: () => undefined});
		script.call('write_file', {path: 'a.txt', content: 'x\n'});
		script.finish();
	});
	terminal.type('Write a file\r');
	await terminal.waitFor('I write.');
	terminal.type('/bg\r');
	await terminal.waitFor(/● Fix the login · ● Write a file · Ctrl\+X B next\n/);
	first.release();
	await terminal.waitFor('○ Fix the login 1 new');
	second.release();
	await terminal.waitFor(/○ Fix the login 1 new · ● Write a file waits for you · Ctrl\+X B next\n/);

	// An empty session is not kept.
	terminal.type('\u0018b');
	await terminal.waitFor('a.txt');
	await terminal.waitFor(/○ Fix the login 1 new · Ctrl\+X B next\n/);
	await answer(terminal, 'n', /a\.txt/);
	terminal.type('\u0018b');
	await terminal.waitFor('First half. Second half.');
	await terminal.waitFor(/[○●] Write a file.* · Ctrl\+X B next\n/);
	terminal.type('\u0018b');
	await terminal.waitFor(/[○●] Fix the login · Ctrl\+X B next\n/);
});

test('without another session, the key says how to have one', async () => {
	const {terminal} = await openChat();
	terminal.type('\u0018b');
	await terminal.waitFor('No other session is open. /bg sends a run to the background.');
});

test('/resume goes to an open session while the agent works in the one in front, which stays open', async () => {
	const {host, terminal} = await openChat();
	const [first, second] = [halves(), halves()];
	host.answerWith(first.script);
	terminal.type('Fix the login\r');
	await terminal.waitFor('First half.');
	terminal.type('/bg\r');
	await terminal.waitFor(/Session [\da-f]{8} continues/);
	const [, id = ''] = /Session ([\da-f]{8}) continues/.exec(terminal.screen().join('\n')) ?? [];
	host.answerWith(second.script);
	terminal.type('Write the docs\r');
	await terminal.waitFor(/● Fix the login · Ctrl\+X B next\n/);
	await terminal.waitFor(/❯ Write the docs[\s\S]*First half\./);
	terminal.type(`/resume ${id}\r`);
	await terminal.waitFor(/● Write the docs · Ctrl\+X B next\n/);

	// Without an id, only those are offered that an agent at work can be left for.
	terminal.type('/resume\r');
	await terminal.waitFor(/Open here\n❯ Write the docs +running · [\da-f]{8}/);
	terminal.type('\r');
	await terminal.waitFor(/● Fix the login · Ctrl\+X B next\n/);
	terminal.type('/resume 00000000\r');
	await terminal.waitFor("/resume can't run while the agent works.");
	first.release();
	second.release();
	await terminal.waitFor('First half. Second half.');
});

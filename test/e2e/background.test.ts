import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
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

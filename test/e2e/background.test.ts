import {expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {waitForIdle} from './chat.ts';
import {startModelHost} from './model-host.ts';

test('/bg sends a run to the background, says when it has ended, and quitting asks while it runs', async () => {
	const host = await startModelHost();
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(async ({say, finish}) => {
		say('First half.');
		await gate;
		say(' Second half.');
		finish();
	});
	const terminal = openApp({
		args: ['--model', 'custom/alpha'],
		env: {CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: 'sk-0123456789-wxyz', NO_PROXY: '127.0.0.1'},
	});
	await waitForIdle(terminal);
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

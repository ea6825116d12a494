import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {quit, startChat} from './chat.ts';

const env = {TERM: 'xterm-256color', TERM_PROGRAM: 'ghostty'};
const pushed = '\u001b[22;2t';
const restored = '\u001b]2;\u001b\\\u001b[23;2t';

/** The titles that were written, oldest first. */
const titlesIn = (output: string) => [...output.matchAll(/\u001b\]2;([^\u001b]*)\u001b\\/g)].map(([, title]) => title);

test('[5] the title follows a run, reports of the focus are no input, and the end restores the terminal', async () => {
	const {host, terminal} = await openChat({env});
	host.answerWith(async ({say, finish}) => {
		say('All of it.');
		await terminal.waitFor(() => titlesIn(terminal.output()).at(-1)?.startsWith('working') ?? false);
		finish();
	});
	await terminal.waitFor(() => terminal.output().includes('\u001b[?1004h'));
	terminal.type('\u001b[OGo\u001b[I on\u001b[O\r');
	await terminal.waitFor('❯ Go on');
	await terminal.waitFor('All of it.');
	await terminal.waitFor(() => terminal.output().includes('\u001b]9;4;0;0\u001b\\'));
	expect(terminal.text()).not.toMatch(/\[[IO]/);
	expect(terminal.output().split(pushed)).toHaveLength(2);
	expect(titlesIn(terminal.output()).slice(-3)).toEqual([
		expect.stringMatching(/^\S+ · service$/),
		expect.stringMatching(/^working · \S+ · service$/),
		expect.stringMatching(/^\S+ · service$/),
	]);
	await quit(terminal);
	const {output} = terminal;
	expect(output().lastIndexOf(restored)).toBeGreaterThan(output().lastIndexOf('service\u001b\\'));
	expect(terminal.modes().sendFocusMode).toBe(false);
});

test('[5] a signal in the middle of a run restores the title and ends the progress', async () => {
	const {host, terminal} = await startChat({env});
	host.answerWith(async ({say, closed}) => {
		say('On and on');
		await closed;
	});
	terminal.type('Go\r');
	await terminal.waitFor('On and on');
	await terminal.waitFor(() => titlesIn(terminal.output()).at(-1)?.startsWith('working') ?? false);
	terminal.kill('SIGTERM');
	await terminal.exit();
	const end = terminal.output().slice(terminal.output().lastIndexOf('working'));
	expect(end).toContain(restored);
	expect(end).toContain('\u001b]9;4;0;0\u001b\\');
	expect(terminal.modes().sendFocusMode).toBe(false);
});

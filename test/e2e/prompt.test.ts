import {expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {waitForIdle} from './chat.ts';

/** What the host was last told by the user. */
function lastPrompt(chats: readonly (readonly string[])[]): string | undefined {
	return chats.at(-1)?.findLast(message => message.startsWith('user: '));
}

test('a backslash before Enter, Alt+Enter and Ctrl+J break the line, a paste is never sent by itself, and Enter sends everything', async () => {
	const {host, terminal} = await openChat();
	// Each line is drawn before the next is typed: what a busy machine reads at once would be a paste.
	terminal.type('one\\\r');
	await terminal.waitFor(/❯ one\n *\n/);
	terminal.type('two');
	terminal.press('alt+enter');
	await terminal.waitFor(/❯ one\n {2}two\n/);
	terminal.type('three');
	terminal.press('ctrl+j');
	await terminal.waitFor(/\n {2}three\n/);
	terminal.type('four');
	await terminal.waitFor(/❯ one\n {2}two\n {2}three\n {2}four\n/);
	expect(terminal.cursor()).toEqual({column: 6, row: terminal.screen().indexOf('  four')});
	terminal.press('enter');
	await terminal.waitFor('Hello from the host.');
	expect(lastPrompt(host.chats())).toBe('user: one\ntwo\nthree\nfour');
	await waitForIdle(terminal);

	// Fifty lines are one placeholder on the screen, and are sent in full.
	const pasted = Array.from({length: 50}, (_, index) => `pasted line ${index + 1}`).join('\n');
	terminal.type('look: ');
	terminal.paste(pasted);
	await terminal.waitFor(/❯ look: \[.*50 lines.*\]/);
	expect(terminal.text()).not.toContain('pasted line');
	terminal.type(' please');
	terminal.press('enter');
	await terminal.waitFor(() => host.chats().length === 2);
	await waitForIdle(terminal);
	expect(lastPrompt(host.chats())).toBe(`user: look: ${pasted} please`);

	terminal.paste('rm -rf nothing\n');
	await terminal.waitFor('❯ rm -rf nothing');
	await new Promise(resolve => setTimeout(resolve, 50));
	expect(host.chats()).toHaveLength(2);
	terminal.press('enter');
	await terminal.waitFor(() => host.chats().length === 3);
	await waitForIdle(terminal);

	// Lines that arrive together without brackets are a paste, too.
	terminal.type('first line\rsecond line\r');
	await terminal.waitFor(/❯ first line\n {2}second line\n/);
	await new Promise(resolve => setTimeout(resolve, 50));
	expect(host.chats()).toHaveLength(3);
	terminal.press('enter');
	await terminal.waitFor(() => host.chats().length === 4);
	expect(lastPrompt(host.chats())).toBe('user: first line\nsecond line\n');
});

test('a slash shows the commands; arrows select, Tab completes, Escape closes, and an unknown one suggests another', async () => {
	const {host, terminal} = await openChat();
	terminal.type('/');
	await terminal.waitFor(/❯ \/\n❯ \/new .*\n {2}\/session .*\n/);
	terminal.press('down');
	await terminal.waitFor(/\n❯ \/session /);
	terminal.press('up', 'up');
	await terminal.waitFor(/\n❯ \/quit /);
	terminal.type('mod');
	await terminal.waitFor(/❯ \/mod\n❯ \/model /);
	terminal.press('tab');
	await terminal.waitFor(/❯ \/model\n❯ \/model .*Select or list models/);
	terminal.press('escape');
	await terminal.waitFor(() => !/Select or list models/.test(terminal.screen().join('\n')));
	expect(terminal.text()).toMatch(/\n❯ \/model/);

	terminal.press('ctrl+c');
	await terminal.waitFor(() => !/❯ \/model/.test(terminal.screen().join('\n')));
	terminal.type('/modle\r');
	await terminal.waitFor(/✗ Unknown command “modle”\.\s+→ Did you mean \/model\?/);
	expect(host.received).toEqual([]);
	await waitForIdle(terminal);
	expect(terminal.text()).toMatch(/❯ \/modle\n/);
	terminal.press('ctrl+u');
	terminal.type('still here\r');
	await terminal.waitFor('Hello from the host.');
});

test('Up recalls prompts of earlier sessions', async () => {
	const {terminal} = await openChat();
	terminal.type('the first\r');
	await terminal.waitFor('Hello from the host.');
	await waitForIdle(terminal);
	terminal.type('a draft');
	terminal.press('up');
	await terminal.waitFor(/❯ the first\n.*custom\/alpha/);
	terminal.press('down');
	await terminal.waitFor(/❯ a draft\n.*custom\/alpha/);
});

test('lines that are typed ahead take effect in order', async () => {
	const {host, terminal} = await openChat();
	terminal.type('the old session\r');
	await terminal.waitFor('Hello from the host.');
	await waitForIdle(terminal);
	// Lines alone would be a paste; with a key in it, it was typed.
	const end = '\u001b[F';
	terminal.type(`/model use custom/beta${end}\r/new${end}\rthe new session${end}\r/keys list${end}\r`);
	await terminal.waitFor('custom    …wxyz');
	await terminal.waitFor(() => host.chats().length === 2);
	expect(host.chats().at(-1)?.slice(1)).toEqual(['user: the new session']);
	expect(JSON.parse(host.received.at(-1)?.body ?? '').model).toBe('beta');
	expect(terminal.text()).toMatch(/❯ \/model use[\s\S]*❯ \/new[\s\S]*\/keys list/);
});

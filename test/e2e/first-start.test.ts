import {expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import {folderWith} from './program.ts';
import {startTerminal} from './terminal.ts';

/** What the screen shows between the welcome and the prompt. */
function conversation(text: string): readonly string[] {
	const lines = text.split('\n').map(line => line.trimEnd());
	const from = lines.findIndex(line => line.startsWith('❯ list'));
	const rule = lines.findLastIndex(line => line.startsWith('────'));
	const to = rule < from ? lines.findIndex(line => line.startsWith('Resume this session')) : rule;
	return lines.slice(from, to).filter(Boolean);
}

test('a new user chats with a tool, quits to a clean terminal, and resumes the session', async () => {
	const folder = folderWith({'apple.txt': 'a', 'pear.md': '# pear'});
	const home = `${folderWith()}/home`;
	const terminal = startTerminal({folder, home});
	await waitForIdle(terminal);
	expect(terminal.text()).toMatch(/Demo model, no AI · built-in server\n\n {2}fix the failing test {2}watch/);
	expect(terminal.status()).toBe('local · demo/demo · ○ idle');
	expect(terminal.modes().bracketedPasteMode).toBe(true);

	terminal.type('list the files here\r');
	await terminal.waitFor(/✓ List.*\n[\s\S]*I found 2 files/);
	await waitForIdle(terminal);
	expect(terminal.status()).toMatch(/context \d+% · \$0\.00$/);
	const said = [...conversation(terminal.text())];
	expect(said.join('\n')).toMatch(/^❯ list the files here\n✻ Thought.*\n✓ List .*\n/);

	expect(await quit(terminal)).toEqual({status: 0, signal: 0});
	const lines = terminal.screen().filter(Boolean);
	// The line contains the path of the program, and wraps if that is long.
	const hint = lines.slice(lines.findLastIndex(line => line.startsWith('Resume this session with: '))).join('');
	expect(hint).toMatch(/: node \S+service\.js --resume [\da-f]{8}$/);
	expect(lines.join('\n')).not.toMatch(/Ask something|○ idle|^────────|Press Ctrl\+C/m);
	expect(terminal.cursor()).toEqual({column: 0, row: terminal.screen().findLastIndex(Boolean) + 1});
	expect(terminal.modes().bracketedPasteMode).toBe(false);
	expect(terminal.output()).toMatch(/\u001b\[>5u[\s\S]*\u001b\[<u/);
	expect(terminal.output().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.output().lastIndexOf('\u001b[?25l'));
	expect(conversation(terminal.text())).toEqual(said);

	const id = hint.slice(-8);
	for (const [args, prompt, answer] of [
		[['-c'], 'thanks', 'You are welcome'],
		[['--resume', id], 'hello', 'Hello. Demo model'],
	] as const) {
		const again = openApp({folder, home, args});
		await again.waitFor(said.at(-1) ?? '');
		await waitForIdle(again);
		expect(again.text()).toMatch(/Demo model, no AI · built-in server\n\n❯ list/);
		expect(conversation(again.text())).toEqual(said);
		again.type(`${prompt}\r`);
		await again.waitFor(answer);
		await waitForIdle(again);
		said.push(...conversation(again.text()).slice(said.length));
		expect(await quit(again)).toEqual({status: 0, signal: 0});
	}
});

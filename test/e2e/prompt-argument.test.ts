import {expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost} from './model-host.ts';

test('a prompt as the only argument starts the app with it', async () => {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const terminal = openApp({env, args: [...args, 'explain this']});
	await terminal.waitFor('❯ explain this');
	await terminal.waitFor('Hello from the host.');
	await waitForIdle(terminal);
	expect(host.chats().at(-1)?.at(-1)).toBe('user: explain this');
	expect(await quit(terminal)).toEqual({status: 0, signal: 0});
});

test('a single word is a command, never a prompt', async () => {
	const {status, stderr} = await runInProcess(['statsu']);
	expect([status, stderr]).toEqual([2, expect.stringMatching(/^service: Unknown command “statsu”\./)]);
});

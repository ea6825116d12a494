import {expect, test} from 'vitest';
import {deviceCode, granted, loginServer, pending, userCode} from '../client/login-server.ts';
import {quit, waitForIdle} from './chat.ts';
import {startTerminal} from './terminal.ts';

const toClipboard = (text: string) => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u001b\\`;

test('a login through the browser: shown, copied, left with Esc, then approved, while the conversation stays', async () => {
	let isApproved = false;
	const server = await loginServer({
		tokens: () => (isApproved ? granted() : pending),
		device: {interval: 1},
		api: ({headers}) =>
			headers.authorization === 'Bearer access-1-0123456789'
				? {body: '{"models":[]}'}
				: {status: 401, body: '{"detail":"No"}'},
	});
	const {host} = new URL(server.origin);
	const terminal = startTerminal();
	await waitForIdle(terminal);
	terminal.type(`/login --server ${server.origin}\r`);
	await terminal.waitFor(userCode);
	const screen = terminal.screen().map(line => line.trimEnd());
	const page = screen.indexOf(`${server.origin}/device`);
	expect(screen[page - 1]).toBe(`? Log in to ${server.origin}: open the page, then type the code.`);
	expect(screen[page + 1]).toBe(userCode);
	expect(screen[page + 2]).toMatch(/^1[45] m \d\d s left · Esc cancels · c copies the code, u the page$/);

	terminal.type('c');
	await terminal.waitFor('The code was given to the terminal’s clipboard.');
	terminal.type('u');
	await terminal.waitFor('The address was given to the terminal’s clipboard.');
	expect(terminal.output()).toContain(toClipboard(userCode));
	expect(terminal.output()).toContain(toClipboard(`${server.origin}/device`));

	terminal.press('escape');
	await terminal.waitFor('Nothing changed: the login was cancelled.');
	await waitForIdle(terminal);

	isApproved = true;
	terminal.type(`/login --server ${server.origin}\r`);
	await terminal.waitFor(`Logged in to ${server.origin}.`);
	await terminal.waitFor(() => terminal.status().includes(host));
	expect(server.polls.at(-1)?.get('device_code')).toBe(deviceCode);
	await quit(terminal);
	expect(terminal.output()).not.toMatch(/access-1|refresh-1|device-code/);
}, 30_000);

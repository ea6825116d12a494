import {expect, test} from 'vitest';
import {deviceCode, granted, loginServer, pending, userCode} from '../client/login-server.ts';
import {openApp} from './app-in-process.ts';
import {quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startProgram} from './program.ts';

const toClipboard = (text: string) => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u001b\\`;

test('a browser login is shown, copied, canceled with Esc, then approved, while the conversation stays', async () => {
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
	const terminal = openApp();
	await waitForIdle(terminal);
	terminal.type(`/login --server ${server.origin}\r`);
	await terminal.waitFor(userCode);
	const screen = terminal.screen().map(line => line.trimEnd());
	const page = screen.indexOf(`${server.origin}/device`);
	expect(screen[page - 1]).toBe(`? Log in to ${server.origin}: open this page and enter the code.`);
	expect(screen[page + 1]).toBe(userCode);
	expect(screen[page + 2]).toMatch(/^1[45] m \d\d s left · c copy code · u copy URL · k API key · Esc cancel$/);

	terminal.type('c');
	await terminal.waitFor('Copied the code (OSC 52).');
	terminal.type('u');
	await terminal.waitFor('Copied the URL (OSC 52).');
	expect(terminal.output()).toContain(toClipboard(userCode));
	expect(terminal.output()).toContain(toClipboard(`${server.origin}/device`));

	terminal.press('escape');
	await terminal.waitFor('With an API key: /login --with-token');
	await waitForIdle(terminal);

	isApproved = true;
	terminal.type(`/login --server ${server.origin}\r`);
	await terminal.waitFor(`Logged in to ${server.origin}.`);
	await terminal.waitFor(() => terminal.status().includes(host));
	expect(server.polls.at(-1)?.get('device_code')).toBe(deviceCode);
	await quit(terminal);
	expect(terminal.output()).not.toMatch(/access-1|refresh-1|device-code/);
});

const anyToken = () => ({body: '{"models":[]}'});

test('in a shell the page and the code are printed to stderr, and the result after the approval', async () => {
	const server = await loginServer({tokens: [pending, granted()], device: {interval: 1}, api: anyToken});
	const {status, stdout, stderr} = await runInProcess(['login', '--server', server.origin, '--json']);
	expect({status, stdout: JSON.parse(stdout)}).toEqual({
		status: 0,
		stdout: {profile: new URL(server.origin).host, server: server.origin},
	});
	expect(
		stderr
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line).notice),
	).toEqual([
		`To log in to ${server.origin}, open this page:`,
		`${server.origin}/device`,
		'and type this code there, within 15 m 00 s:',
		userCode,
		'Press Ctrl+C to cancel.',
	]);
});

test('Ctrl+C ends a waiting login with status 130', async () => {
	const server = await loginServer({tokens: [pending], device: {interval: 1}});
	const {child, ended} = startProgram(['login', '--server', server.origin]);
	await expect.poll(() => server.polls.length).toBeGreaterThan(0);
	child.kill('SIGINT');
	expect(await ended).toMatchObject({status: 130, stdout: ''});
});

test('a piped key is used even if a browser login is possible [11]', async () => {
	const server = await loginServer({api: anyToken});
	for (const flags of [[], ['--with-token']]) {
		const {status} = await runInProcess(['login', '--server', server.origin, ...flags], {input: 'key-0123456789\n'});
		expect(status).toBe(0);
	}

	expect(server.polls).toEqual([]);
	// Whether it is a server is asked before the key is sent.
	const login = [undefined, 'Bearer key-0123456789'];
	expect(server.asked.map(({headers}) => headers.authorization)).toEqual([...login, ...login]);
});

test('an empty pipe is not a key', async () => {
	const server = await loginServer({metadata: () => ({token_endpoint: 7}), api: anyToken});
	const {status, stderr} = await runInProcess(['login', '--server', server.origin], {input: ''});
	expect(status).toBe(2);
	expect(stderr).toMatch(/^service: API key for [\d.:]+ is missing\.\n {2}Pass it as an argument, or pipe it in\.\n$/);
});

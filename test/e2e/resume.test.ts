import {describe, expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';

describe.each([
	[80, 24],
	[120, 40],
])('/resume with the embedded server, at %i columns and %i rows', (columns, rows) => {
	test('finds a demo runtime, asks, resumes it, and knows it the next time', async () => {
		const terminal = openApp({folder: folderWith(), home: `${folderWith()}/home`, columns, rows});
		await waitForIdle(terminal);
		await terminal.waitFor(() => terminal.status() === 'local · demo/demo · ○ idle');
		terminal.type('/resume\r');
		await terminal.waitFor('filter a word, or kind:runtime state:paused');
		expect(terminal.text()).toMatch(/ Nightly import +runtime · [a-z]+ · on local/);
		// In one piece: the filter narrows the list before Enter selects.
		terminal.type('kind:runtime web\r');
		await terminal.waitFor(/\? It uses credits while it runs\. Resume it\?\n {2}y {2}Yes\n❯ n {2}No\n/);
		expect(terminal.text()).toContain('Resume runtime Web shop');
		terminal.type('y');
		// How long it waited decides whether the sentence fits into 80 columns.
		await terminal.waitFor(/running as of\s[\d:]{8}/);
		await terminal.waitFor('limited by credits');

		terminal.type('/resume\r');
		await terminal.waitFor(/❯ Web shop +runtime · running · on local · seen now/);
		terminal.press('escape');
		await terminal.waitFor(() => !terminal.text().includes('Esc cancel'));
		expect(await quit(terminal)).toEqual({status: 0, signal: 0});
		expect(terminal.wrapped()).toBe(0);
	});
});

test('-p refuses a session of another folder, says whose it is, and reads nothing [13]', async () => {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const [home, there, here] = [`${folderWith()}/home`, folderWith(), folderWith({'secret.txt': 'x'})];
	const first = await runInProcess(['-p', 'Hi', '--output-format', 'json', ...args], {env, home, folder: there});
	const {session_id: id} = JSON.parse(first.stdout);
	const elsewhere = await runInProcess(['-p', 'And now?', '--resume', id, ...args], {env, home, folder: here});
	expect(elsewhere).toEqual({
		status: 2,
		stdout: '',
		stderr: `service: Session ${id.slice(0, 8)} belongs to another folder: ${there}\n  Change to that folder, then resume it.\n`,
	});
	expect(host.chats()).toHaveLength(1);
	const back = await runInProcess(['-p', 'And now?', '--resume', id, ...args], {env, home, folder: there});
	expect([back.status, back.stderr]).toEqual([0, '']);
});

test('-p in the home folder warns about what the agent can read', async () => {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const folder = folderWith();
	const {status, stderr} = await runInProcess(['-p', 'Hi', ...args], {env, home: `${folder}/home`, folder});
	expect([status, stderr]).toEqual([
		0,
		'service: The agent can read your home folder. Run this in a project folder to narrow that.\n',
	]);
});

test('a session of -p alone is a run, which -c continues, until the app continues it', async () => {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const place = {env, home: `${folderWith()}/home`, folder: folderWith()};
	const saved = async () => JSON.parse((await runInProcess(['sessions', '--json'], place)).stdout);
	await runInProcess(['-p', 'Count the files', ...args], place);
	expect((await runInProcess(['-p', 'And the folders', '-c', ...args], place)).status).toBe(0);
	expect(await saved()).toMatchObject([{preview: 'Count the files', messages: 4, printed: true}]);
	expect((await runInProcess(['sessions'], place)).stdout).toContain('Count the files (-p run)');

	const terminal = openApp({...place, args: ['-c', ...args]});
	await waitForIdle(terminal);
	terminal.type('Why so many?\r');
	await expect.poll(() => host.chats().length).toBe(3);
	await waitForIdle(terminal);
	await quit(terminal);
	const sessions = await saved();
	expect([sessions.length, 'printed' in sessions[0]]).toEqual([1, false]);

	await runInProcess(['-p', 'And the folders again', '-c', ...args], place);
	expect('printed' in (await saved())[0]).toBe(false);
});

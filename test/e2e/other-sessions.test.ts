import {expect, test} from 'vitest';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {folderWith, runProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

/** Starts two apps in one folder, each a process of its own. The answer of the model never comes. */
async function twoApps() {
	const host = await startModelHost();
	host.answerWith(() => new Promise(() => undefined));
	const {env, args} = connectedTo(host);
	const place = {env, home: `${folderWith()}/home`, folder: folderWith(), args};
	const [one, two] = [startTerminal(place), startTerminal({...place, columns: 120, rows: 40})];
	await Promise.all([waitForIdle(one), waitForIdle(two)]);
	return {one, two, place, host};
}

test('an agent of another process in the folder is shown while it works, and no more once it is killed', async () => {
	const {one, two, place, host} = await twoApps();
	one.type('Fix the login. It fails.\r');
	await two.waitFor('● another session works in this folder: Fix the login.');
	two.type('Write the docs\r');
	await one.waitFor('● another session works in this folder: Write the docs');
	expect(two.wrapped()).toBe(0);
	// Whoever asks later gets another answer, and ends.
	await expect.poll(() => host.received.filter(({method}) => method === 'POST').length).toBe(2);

	host.answerWith(({say, finish}) => {
		say('Hello.');
		finish();
	});
	const third = await runProgram([...place.args, '-p', 'And now?'], place);
	expect(third.stderr).toMatch(/^service: 2 other sessions work in this folder: (?:Fix the login\.|Write the docs), /);

	one.kill('SIGKILL');
	await two.waitFor(() => !two.screen().some(line => line.includes('another session')));
	const fourth = await runProgram([...place.args, '-p', 'And now?'], place);
	expect(fourth.stderr).toMatch(/^service: Another session works in this folder: Write the docs\n/);
	two.press('escape');
	await waitForIdle(two);
	await quit(two);
	const last = await runProgram([...place.args, '-p', 'And now?'], place);
	expect([last.status, last.stderr]).toEqual([0, '']);
});

test('line by line, the first agent of another process is said in a line', async () => {
	const {one, two, place} = await twoApps();
	const lines = startTerminal({...place, env: {...place.env, TERM: 'dumb'}});
	await waitForIdle(two);
	one.type('Fix the login\r');
	await lines.waitFor('Another session works in this folder: Fix the login');
});

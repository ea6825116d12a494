import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import {homeAt} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {hasSshd, startSshd} from './sshd.ts';

/** A machine behind ssh, where a host runs, and what a terminal of another one starts with. */
async function openMachine({hosts = true} = {}) {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = join(folderWith(), 'home');
	const env = {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey, SERVICE_KEYCHAIN: 'off'};
	const host = hosts ? startProgram(['host', '--json'], {home, folder, env}) : undefined;
	const sshd = await startSshd({...env, SERVICE_HOME: home});
	if (host) {
		await expect.poll(host.written).toContain('"socket"');
	}

	// The terminal's own machine has neither the model nor the session.
	const place: Place = {env: {PATH: sshd.path}};
	return {model, folder, home, host, sshd, place};
}

async function records(home: string) {
	const [file] = await sessionFiles(homeAt(home));
	const lines = file ? readFileSync(file.path, 'utf8').split('\n') : [];
	return lines.flatMap(line => parseRecorded(parseJson(line)) ?? []);
}

describe.skipIf(!hasSshd)('behind ssh', () => {
	test('[33] a terminal draws a session, drives it and approves, and loses nothing when ssh dies', async () => {
		const {model, folder, home, sshd, place} = await openMachine();
		const terminal = startTerminal({
			...place,
			args: ['attach', '--at', sshd.place, '--new'],
		});
		await terminal.waitFor('○ idle');
		// A password would be asked for with each.
		expect(sshd.logins()).toBe(1);
		model.answerWith(
			({call, finish}) => {
				call('write_file', {path: 'new.txt', content: 'new\n'});
				finish();
			},
			({say, finish}) => {
				say('Written as wanted.');
				finish();
			},
		);
		terminal.type('Write it\r');
		await terminal.waitFor('y  Yes, once');
		expect(sshd.cut()).toBeGreaterThan(0);
		await terminal.waitFor('reconnecting');
		await terminal.waitFor(() => !terminal.status().includes('reconnecting'));
		await terminal.waitFor('y  Yes, once');
		terminal.type('y');
		await terminal.waitFor('Written as wanted.');
		expect(existsSync(join(folder, 'new.txt'))).toBe(true);

		model.answerWith(({say, finish}) => {
			say('While you were away.');
			finish();
		});
		await sshd.stop();
		sshd.cut();
		terminal.type('And now?\r');
		await sshd.start();
		await terminal.waitFor('While you were away.');
		await quit(terminal);
		const shown = terminal.output();
		expect(shown).toContain('The session continues on');

		const kept = await records(home);
		expect(kept.map(({seq}) => seq)).toEqual(kept.map((_, index) => index));
		expect(kept.flatMap(({event}) => (event.type === 'user-message' ? [event.text] : []))).toEqual([
			'Write it',
			'And now?',
		]);

		const listed = await runProgram(['attach', '--at', sshd.place, '--json'], place);
		expect(JSON.parse(listed.stdout)).toMatchObject([{state: 'idle', folder}]);
	});

	test('what is wrong at the other end is said in a sentence, with what to do', async () => {
		const {sshd, place, host} = await openMachine();
		const attach = async () => {
			const {status, stderr} = await runProgram(['attach', '--at', sshd.place], place);
			return {status, stderr};
		};
		host?.child.kill('SIGKILL');
		await host?.ended;
		expect(await attach()).toMatchObject({status: 5, stderr: expect.stringMatching(/No host runs on .*\n.*host/)});
		sshd.uninstall();
		expect(await attach()).toMatchObject({
			status: 5,
			stderr: expect.stringMatching(/The program is not installed on .*\n.*Install it there/),
		});
		sshd.refuse();
		expect(await attach()).toMatchObject({
			status: 4,
			stderr: expect.stringMatching(/refused the login .*\n.*in a shell with ssh/),
		});
		await sshd.replaceKey();
		expect(await attach()).toMatchObject({
			status: 4,
			stderr: expect.stringMatching(/The key of .* is not the one that ssh knows\.\n.*Ask who runs it/),
		});
		await sshd.stop();
		expect(await attach()).toMatchObject({
			status: 6,
			stderr: expect.stringMatching(/Couldn't reach .*refused.*\n.*attach again/),
		});
	});
});

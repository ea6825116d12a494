import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, quit} from '../e2e/chat.ts';
import {halves, startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {endHostOf, hostProcess} from './host-process.ts';
import {openHost} from './open-host.ts';

test('[33] a host of another version is named, and replaced on request once its run has ended', async () => {
	const world = await openHost({version: '0.0.9'});
	const home = world.env['SERVICE_HOME'] ?? '';
	endHostOf(home);
	const {release, script} = halves();
	world.model.answerWith(script);
	const old = await world.connect({version: '0.0.9'});
	const {session} = await old.request('_service/begin', {key: randomUUID(), prompt: 'Work'});
	const place: Place = {home, folder: world.folder, env: world.env};

	const refused = await runProgram(['attach', session, '--json'], place);
	expect(refused.status).toBe(9);
	expect(refused.stderr).toContain('The host runs version 0.0.9; this is 0.1.0.');
	const ended = await runProgram(['host', 'end', session], place);
	expect(ended.stderr).toContain('The host runs version 0.0.9; this is 0.1.0.');
	expect(world.host.list()).toMatchObject([{id: session, state: 'running'}]);

	const terminal = startTerminal({...place, args: ['attach', '--new']});
	await terminal.waitFor('Replace it when its runs have ended?');
	terminal.type('y\r');
	// What runs there ends first.
	await expect
		.poll(() => old.request('_service/begin', {key: randomUUID()}).catch(String))
		.toContain('begins no session');
	expect(world.host.list().find(({id}) => id === session)).toMatchObject({state: 'running'});
	release();
	await world.drained;
	await terminal.waitFor('○ idle');
	const pid = hostProcess(home);
	expect(pid).not.toBe(process.pid);
	await quit(terminal);
	const {stdout} = await runProgram(['attach', '--json'], place);
	// What ended with the old host does not come back by itself.
	expect(JSON.parse(stdout).map(({id}: {id: string}) => id)).not.toContain(session);
	const stopped = await runProgram(['host', 'stop'], place);
	expect(stopped.status).toBe(0);
	await expect.poll(() => hostProcess(home)).toBeUndefined();
});

test('detaching starts a host on request, and a question that is asked while nobody is attached waits', async () => {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = join(folderWith(), 'home');
	endHostOf(home);
	const place: Place = {home, folder, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	const {release, script} = halves();
	model.answerWith(
		({say, finish}) => {
			say('At your service.');
			finish();
		},
		script,
		({call, finish}) => {
			call('write_file', {path: 'new.txt', content: 'new\n'});
			finish();
		},
		({say, finish}) => {
			say('Written as wanted.');
			finish();
		},
	);
	const app = startTerminal({...place, args: ['--model', 'custom/alpha']});
	await app.waitFor('○ idle');
	app.type('Hello\r');
	await app.waitFor('At your service.');
	app.type('Write it\r');
	await app.waitFor('First half.');
	const confirm = async (question: string) => {
		await app.waitFor(question);
		await app.waitFor(() => app.screen().some(line => /\by {1,2}Yes/.test(line)));
		app.type('y');
	};
	app.type('/detach\r');
	await confirm('The agent works.');
	await confirm('No host runs on this machine.');
	const {status} = await app.exit();
	expect(status).toBe(0);
	release();

	const session = async () => JSON.parse((await runProgram(['attach', '--json'], place)).stdout)[0];
	await expect.poll(session).toMatchObject({state: 'waiting', questions: 1, terminals: []});
	expect(existsSync(join(folder, 'new.txt'))).toBe(false);
	const terminal = startTerminal({...place, args: ['attach', (await session()).id]});
	await terminal.waitFor('y  Yes, once');
	terminal.type('y');
	await terminal.waitFor('Written as wanted.');
	expect(existsSync(join(folder, 'new.txt'))).toBe(true);
	await quit(terminal);
	expect(await session()).toMatchObject({state: 'idle', terminals: []});
});

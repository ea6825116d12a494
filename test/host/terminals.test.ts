import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import {homeAt} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {halves, startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';

/** A host in a folder, with a model that the test scripts, and what its terminals start with. */
async function startHost(settings?: object) {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = settings
		? folderWith({'config.json': JSON.stringify({version: 1, settings})})
		: join(folderWith(), 'home');
	const place: Place = {home, folder, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	const host = startProgram(['host', '--json'], place);
	await expect.poll(host.written).toContain('"socket"');
	return {model, folder, home, place, host};
}

/** Returns the records of the only session. */
async function records(home: string) {
	const [file] = await sessionFiles(homeAt(home));
	const lines = file ? readFileSync(file.path, 'utf8').split('\n') : [];
	return lines.flatMap(line => parseRecorded(parseJson(line)) ?? []);
}

const session = async (place: Place) => {
	const {stdout} = await runProgram(['attach', '--json'], place);
	return JSON.parse(stdout)[0];
};

test('[33] one terminal drives, another one approves; both show the same, and the journal says who did what', async () => {
	const {model, folder, home, place} = await startHost();
	const one = startTerminal({...place, args: ['attach', '--new']});
	await one.waitFor('○ idle');
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
	one.type('Write it\r');
	await one.waitFor('y  Yes, once');
	const {id, state, questions} = await session(place);
	expect({state, questions}).toEqual({state: 'waiting', questions: 1});

	const two = startTerminal({...place, args: ['attach', id.slice(0, 8)]});
	await two.waitFor('Write it');
	await two.waitFor('y  Yes, once');
	await two.waitFor('drives');
	two.type('y');
	await two.waitFor('Written as wanted.');
	await one.waitFor('Written as wanted.');
	expect(existsSync(join(folder, 'new.txt'))).toBe(true);
	two.type('Also me\r');
	await two.waitFor('drives this session.');
	two.type('\u0015/drive take\r');
	await two.waitFor('You drive this session.');
	await one.waitFor('drives now.');
	// The message that was refused is back.
	await two.waitFor(/^❯ Also me$/m);
	two.type('\u0015');
	await two.waitFor('❯ Ask something');
	await quit(one);
	await quit(two);

	const kept = await records(home);
	expect(kept.map(({seq}) => seq)).toEqual(kept.map((_, index) => index));
	const done = kept.flatMap(({event}) => (event.type === 'presence' ? [event.act] : []));
	expect(done).toEqual(expect.arrayContaining(['attach', 'drive', 'answer', 'detach']));
	expect((await session(place)).state).toBe('idle');
});

test('a new session of a host has the model that the terminal names, and its welcome says so', async () => {
	const {place} = await startHost();
	const one = startTerminal({...place, args: ['attach', '--new', '--model', 'custom/alpha']});
	await one.waitFor('○ idle');
	await one.waitFor(/^custom\/alpha · built-in server/m);
	await quit(one);
	const refused = await runProgram(['attach', '--model', 'custom/alpha'], place);
	expect(refused).toMatchObject({status: 2, stderr: expect.stringContaining('--model is for a new session.')});
});

test('Ctrl+C at a question in an attached terminal refuses it and interrupts the run, for all terminals [4]', async () => {
	const {model, folder, place} = await startHost();
	const one = startTerminal({...place, args: ['attach', '--new']});
	await one.waitFor('○ idle');
	model.answerWith(({call, finish}) => {
		call('write_file', {path: 'new.txt', content: 'new\n'});
		finish();
	});
	one.type('Write it\r');
	await one.waitFor('y  Yes, once');
	const {id} = await session(place);
	const two = startTerminal({...place, args: ['attach', id.slice(0, 8)]});
	await two.waitFor('y  Yes, once');
	one.press('ctrl+c');
	await one.waitFor('■ Interrupted.');
	await two.waitFor('■ Interrupted.');
	expect(model.chats()).toHaveLength(1);
	expect(existsSync(join(folder, 'new.txt'))).toBe(false);
	expect((await session(place)).state).toBe('idle');
	await quit(one);
	await quit(two);
});

test('a session of the app moves to the host with its run, which goes on there without a terminal', async () => {
	const {model, place, folder} = await startHost();
	const {release, script} = halves();
	model.answerWith(script, ({say, finish}) => {
		say('Continued there.');
		finish();
	});
	const app = startTerminal({...place, args: ['--model', 'custom/alpha']});
	await app.waitFor('○ idle');
	app.type('Do the long thing\r');
	await app.waitFor('First half.');
	app.type('/detach\r');
	await app.waitFor('The agent works.');
	await app.waitFor(() => app.screen().some(line => line.includes('y  Yes') || line.includes('y Yes')));
	app.type('y');
	release();
	const {status} = await app.exit();
	expect(status).toBe(0);
	const shown = app.output();
	expect(shown).toContain('The session runs on the host.');
	const {id, folder: at} = await session(place);
	expect(at).toBe(folder);
	const again = startTerminal({...place, args: ['attach', id.slice(0, 8)]});
	await again.waitFor('First half.');
	await again.waitFor('Continued there.');
	await quit(again);
});

test('while a message is typed in an attached terminal, the host opens what it needs; not for one that watches', async () => {
	const {model, place} = await startHost({model: 'custom/alpha'});
	const one = startTerminal({...place, args: ['attach', '--new']});
	await one.waitFor('○ idle');
	const {id} = await session(place);
	const watching = startTerminal({...place, args: ['attach', id.slice(0, 8), '--observe']});
	await watching.waitFor('○ idle');
	let knocks = await model.knock();
	const opened = async () => (await model.knock()) - ++knocks;
	watching.type('H');
	await watching.waitFor(/^❯ H$/m);
	watching.type('\u0015');
	await quit(watching);
	expect(await opened()).toBe(0);
	one.type('H');
	await expect.poll(opened).toBe(1);
	one.type('ello\r');
	await one.waitFor(/○ idle .*context 150/);
	expect(await opened()).toBe(1);
	await quit(one);
});

test('[33] a second host is told of the first one, and a socket that a killed host left is replaced', async () => {
	const {host, place} = await startHost();
	const second = await runProgram(['host', '--json'], place);
	expect(second.status).toBe(8);
	expect(second.stderr).toContain('A host runs already');
	host.child.kill('SIGKILL');
	await host.ended;
	const gone = await runProgram(['attach'], place);
	expect({status: gone.status, stderr: gone.stderr}).toMatchObject({status: 5});
	expect(gone.stderr).toContain('No host runs on this machine.');
	const third = startProgram(['host', '--json'], place);
	await expect.poll(third.written).toContain('"socket"');
});

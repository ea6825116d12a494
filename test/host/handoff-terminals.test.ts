import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {twoClones} from '../agent/handoff/clones.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';

test('[33] /handoff moves the session on screen to the host of this machine, and typed there, back', async () => {
	const model = await startModelHost(['alpha']);
	const {one, other} = twoClones({'a.txt': 'a\n'});
	writeFileSync(join(one, 'a.txt'), 'changed\n');
	const home = join(folderWith(), 'home');
	const place: Place = {home, folder: one, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	const host = startProgram(['host', '--json'], {...place, folder: other});
	await expect.poll(host.written).toContain('"socket"');
	model.answerWith(({say, finish}) => {
		say('Looked at it.');
		finish();
	});
	const app = startTerminal({...place, args: ['--model', 'custom/alpha']});
	const answer = async (question: string) => {
		await app.waitFor(question);
		// Keys that were pressed before a question was in sight answer nothing.
		await app.waitFor(() => app.screen().some(line => /❯ n +No/.test(line)));
		app.type('y');
	};
	await app.waitFor('○ idle');
	app.type('Look at it\r');
	await app.waitFor('Looked at it.');
	await app.waitFor('○ idle');
	app.type('/handoff\r');
	await answer('Send this session to');
	await answer('continue there?');
	await app.waitFor('Handed over by');
	expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('changed\n');
	// Neither the folder nor the branch of this terminal is that of the session.
	expect(app.screen().findLast(line => line.startsWith('service '))).toMatch(/^service \S+ · \S+@\S+$/);

	writeFileSync(join(other, 'there.txt'), 'there\n');
	await app.waitFor('○ idle');
	app.type('/handoff\r');
	await answer('Bring this session here');
	await answer('continue here?');
	await app.waitFor(() => existsSync(join(one, 'there.txt')));
	await app.waitFor(() => app.screen().filter(line => line.includes('Handed over by')).length > 1);
	expect(readFileSync(join(one, 'a.txt'), 'utf8')).toBe('changed\n');
	await quit(app);
});

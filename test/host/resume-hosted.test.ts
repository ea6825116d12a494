import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';

test('/resume lists what runs on the host of this machine beside saved sessions, and attaches to it', async () => {
	const model = await startModelHost(['alpha']);
	const env = {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey};
	const place: Place = {home: join(folderWith(), 'home'), folder: folderWith({'a.txt': 'a'}), env};
	const host = startProgram(['host', '--json'], place);
	await expect.poll(host.written).toContain('"socket"');
	const saved = startTerminal({...place, args: ['--model', 'custom/alpha']});
	await saved.waitFor('○ idle');
	saved.type('Kept here\r');
	await saved.waitFor(/○ idle .*context 150/);
	await quit(saved);
	const attached = startTerminal({...place, args: ['attach', '--new']});
	await attached.waitFor('○ idle');
	attached.type('Runs there\r');
	await attached.waitFor(/○ idle .*context 150/);
	await quit(attached);

	const app = startTerminal({...place, args: ['--model', 'custom/alpha']});
	await app.waitFor('○ idle');
	app.type('/resume\r');
	await app.waitFor('On the host of this machine');
	await app.waitFor('On the host of this machine');
	await app.waitFor('Kept here');
	// The offer above the prompt names it, too.
	expect(app.screen().filter(line => /Runs there .* · /.test(line))).toHaveLength(1);
	app.type('\r');
	await app.waitFor('Hello from the host.');
	await app.waitFor(/○ idle · @\S+@\S+ .*context 150/);
	await quit(app);

	const [{id}] = JSON.parse((await runProgram(['attach', '--json'], place)).stdout);
	const named = startTerminal({...place, args: ['--model', 'custom/alpha']});
	await named.waitFor('○ idle');
	named.type(`/resume ${id.slice(0, 8)}\r`);
	await named.waitFor(/○ idle · @\S+@\S+ .*context 150/);
	await quit(named);
});

import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, connectedTo, quit, startChat} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {folderWith, runProgram, startProgram} from './program.ts';

type Line = {readonly at: string; readonly kind: string; readonly [field: string]: unknown};

function linesOf(text: string): readonly Line[] {
	return text
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
}

/** Words that are content: of prompt, answer, reasoning and file. */
const content = ['zebra', 'walrus', 'ocelot', 'narwhal'];
const stray = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

test('[8] the debug file of a run has sizes and times, and no content or credential', async () => {
	const host = await startModelHost();
	host.answerWith(
		({think, say, call, finish}) => {
			think('I think of an ocelot.');
			say(`The walrus has ${apiKey}.`);
			call('read_file', {path: 'notes.txt'});
			finish();
		},
		({refuse}) => refuse(400, 'application/json', JSON.stringify({error: {message: `walrus ${apiKey} ${stray}`}})),
	);
	const {env, args} = connectedTo({baseUrl: `${host.baseUrl}?api-key=${apiKey}`});
	const folder = folderWith({'notes.txt': `a narwhal with ${stray}`});
	const path = join(folderWith(), 'debug.jsonl');
	const {status} = await runProgram([...args, '-p', `zebra ${stray}`], {
		env: {...env, SERVICE_DEBUG: path},
		folder,
	});
	expect(status).toBe(6);

	const text = readFileSync(path, 'utf8');
	for (const word of [...content, apiKey, stray]) {
		expect(text).not.toContain(word);
	}

	expect(statSync(path).mode & 0o777).toBe(0o600);
	const lines = linesOf(text);
	const [answered, ...refused] = lines.filter(({kind, method}) => kind === 'request' && method === 'POST');
	const url = `${host.baseUrl}/chat/completions?api-key=***`;
	expect(answered).toMatchObject({url, status: 200, bytes: expect.any(Number)});
	expect(refused.length).toBeGreaterThan(0);
	expect(refused.every(request => request['url'] === url && request['status'] === 400)).toBe(true);
	const events = lines.filter(({kind}) => kind === 'event');
	expect(events.map(({type}) => type)).toEqual(expect.arrayContaining(['text-delta', 'tool-call', 'run-end']));
	expect(events.every(({bytes}) => typeof bytes === 'number')).toBe(true);
});

test('the debug file of the app has its frames, and a warning of Node that stays off the screen', async () => {
	const path = join(folderWith(), 'debug.jsonl');
	// Once the app listens for what ends it, it draws.
	const warn = `process.on('newListener', name => {
		if (name === 'SIGCONT') setTimeout(() => process.emitWarning('walrus', 'TestWarning'), 100);
	})`;
	const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(warn)}`;
	const {terminal} = await startChat({env: {SERVICE_DEBUG: path, NODE_OPTIONS}});
	await expect.poll(() => readFileSync(path, 'utf8')).toContain('"kind":"warning"');
	terminal.type('hello zebra');
	terminal.press('enter');
	await terminal.waitFor('Hello from the host.');
	await quit(terminal);

	const text = readFileSync(path, 'utf8');
	expect([text, terminal.text()].join()).not.toMatch(/walrus|trace-warnings/);
	expect(linesOf(text)).toContainEqual({at: expect.any(String), kind: 'warning', name: 'TestWarning'});
	expect(text).not.toContain('zebra');
	const kinds = linesOf(text).map(({kind}) => kind);
	expect(new Set(kinds)).toEqual(new Set(['frame', 'request', 'event', 'warning']));
	expect(linesOf(text).find(({kind}) => kind === 'frame')).toEqual({
		at: expect.any(String),
		kind: 'frame',
		durationMs: expect.any(Number),
		bytes: expect.any(Number),
	});
});

test('the debug file of a server has the requests that it served', async () => {
	const folder = folderWith();
	const path = join(folder, 'debug.jsonl');
	const server = startProgram(['serve', '--data', join(folder, 'data'), '--port', '0', '--json'], {
		env: {SERVICE_DEBUG: path},
	});
	await expect.poll(server.written).toContain('\n');
	const {url} = JSON.parse(server.written());
	const response = await fetch(`${url}/api/v1/user/preferences?org=${stray}`, {
		headers: {authorization: `Bearer ${apiKey}`},
	});
	await response.text();
	server.child.kill('SIGTERM');
	await server.ended;

	const text = readFileSync(path, 'utf8');
	expect(text).not.toContain(apiKey);
	expect(text).not.toContain(stray);
	expect(linesOf(text)).toMatchObject([
		{kind: 'served', method: 'GET', url: `${url}/api/v1/user/preferences?org=***`, status: 401},
	]);
});

test('a debug file that cannot be written is said once, with the status of a wrong setting', async () => {
	const path = join(folderWith(), 'none', 'debug.jsonl');
	for (const args of [['-p', 'hello'], ['whoami'], ['serve', '--port', '0'], []]) {
		expect(await runProgram(args, {env: {SERVICE_DEBUG: path}})).toEqual({
			status: 2,
			stdout: '',
			stderr: `service: Invalid SERVICE_DEBUG: Can't write ${path}: no such file or folder.\n  Set SERVICE_DEBUG to a file that you can write, or unset it.\n`,
		});
	}
});

import {execFile} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, connectedTo} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {environmentOf, folderWith, type Place} from './program.ts';

const stray = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

/** Runs a script of `.scripts/` to its end. */
function run(script: string, args: readonly string[], place: Place) {
	const path = join(import.meta.dirname, '../../.scripts', script);
	return new Promise<{readonly status: number; readonly stdout: string; readonly stderr: string}>(resolve => {
		const options = {cwd: place.folder ?? folderWith(), env: environmentOf(place)};
		const child = execFile(process.execPath, [path, ...args], options, (_, stdout, stderr) =>
			resolve({status: child.exitCode ?? -1, stdout, stderr}),
		);
		child.stdin?.end();
	});
}

/** Returns what a run did, without what each run has of its own. */
function transcriptOf(stdout: string) {
	const {session_id: _, ...result} = JSON.parse(stdout);
	return result;
}

const prompt = ['-p', 'what is in the notes?', '--output-format', 'json'];

test('a recorded run is replayed with the same transcript', async () => {
	const host = await startModelHost();
	host.answerWith(
		({think, say, call, finish}) => {
			think('I should look.');
			say('I’ll read ');
			say('the größte notes.');
			call('read_file', {path: 'notes.txt'});
			finish();
		},
		({say, finish}) => {
			say('They say “hello”.');
			finish();
		},
	);
	const {env, args} = connectedTo(host);
	const folder = folderWith({'notes.txt': 'hello'});
	const file = join(folderWith(), 'run.jsonl');
	const recorded = await run('record.mjs', [file, ...args, ...prompt], {env, folder});
	expect(recorded).toMatchObject({status: 0, stderr: expect.stringContaining(`Recorded to ${file}.`)});
	expect(transcriptOf(recorded.stdout)).toMatchObject({
		text: expect.stringContaining('They say “hello”.'),
		tool_calls: [{name: 'read_file', arguments: {path: 'notes.txt'}}],
	});

	const replayed = await run('replay.mjs', ['--fast', file, ...prompt], {folder});
	expect(replayed).toMatchObject({status: 0, stderr: ''});
	expect(transcriptOf(replayed.stdout)).toEqual(transcriptOf(recorded.stdout));
});

test('[8] a recording holds no key, prompt or file, also where an answer repeats a key in pieces', async () => {
	const host = await startModelHost();
	host.answerWith(
		({say, call, finish}) => {
			say(`Key ${apiKey.slice(0, 7)}`);
			say(`${apiKey.slice(7)} and ${stray.slice(0, 20)}`);
			say(`${stray.slice(20)} end.`);
			call('read_file', {path: 'notes.txt'});
			finish();
		},
		({refuse}) =>
			refuse(401, 'application/json', JSON.stringify({error: {message: `bad key ${apiKey}, token=abcdef123456`}})),
	);
	const {env, args} = connectedTo({baseUrl: `${host.baseUrl}?secret=query-secret-1`});
	const folder = folderWith({'notes.txt': 'a narwhal in a file'});
	const file = join(folderWith(), 'run.jsonl');
	await run('record.mjs', [file, ...args, '-p', `a zebra with ${stray}`], {env, folder});

	const text = readFileSync(file, 'utf8');
	const lines = text
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
	expect(lines).toMatchObject([
		{provider: 'custom', model: 'alpha', path: '/chat/completions', status: 200, isCut: false},
		{provider: 'custom', status: 401},
	]);
	// Read as a replay would show it: events joined.
	const said = lines
		.flatMap(({chunks}) => chunks.map(([, chunk]: [number, string]) => chunk))
		.join('')
		.matchAll(/"content":"([^"]*)"/g);
	const answer = [...said].map(([, part]) => part).join('');
	for (const secret of [apiKey, stray, 'query-secret-1', 'abcdef123456', 'zebra', 'narwhal']) {
		expect(text).not.toContain(secret);
		expect(answer).not.toContain(secret);
	}

	expect(answer).toContain(' end.');
	expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('record and replay refuse a file that they cannot use', async () => {
	const folder = folderWith({'there.jsonl': '', 'other.jsonl': '{"a":1}\n'});
	for (const [script, path] of [
		['record.mjs', 'there.jsonl'],
		['replay.mjs', 'none.jsonl'],
		['replay.mjs', 'there.jsonl'],
		['replay.mjs', 'other.jsonl'],
	] as const) {
		const {status, stdout, stderr} = await run(script, [path], {folder});
		expect({status, stdout}).toEqual({status: 2, stdout: ''});
		expect(stderr).toContain(path);
	}
});

import {execFile} from 'node:child_process';
import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import process from 'node:process';
import {promisify} from 'node:util';
import {afterAll, expect, test} from 'vitest';
import {connectedTo, waitForIdle} from './chat.ts';
import {unusedAddress} from './model-host.ts';
import {environmentOf, folderWith, program, runProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

/** Writes the files of the program that were read, when it ends. */
const listFiles = `const fs = require('node:fs');
const {readFileSync} = fs;
const files = new Set();
fs.readFileSync = (path, ...options) => {
	files.add(String(path));
	return readFileSync(path, ...options);
};
process.on('exit', () => {
	const read = [...Object.keys(require.cache), ...files].filter(path => /[/]dist[/].*[.]js$/.test(path));
	fs.writeFileSync(process.env.LOADED, [...new Set(read)].map(path => path + '\\n').join(''));
});`;

/** Returns the environment that lists the files of the program that a run reads, and the function that returns their names. */
function listed(folder: string) {
	const list = join(folder, 'loaded');
	writeFileSync(join(folder, 'list.cjs'), listFiles);
	return {
		env: {NODE_OPTIONS: `--require ${join(folder, 'list.cjs')}`, LOADED: list},
		files: () =>
			readFileSync(list, 'utf8')
				.trim()
				.split('\n')
				.map(path => basename(path, '.js').replace(/-[\da-f]{8}$/, '')),
	};
}

test('--version reads one file, a command at most ten, and neither reads the screen or the server', async () => {
	const {env, files} = listed(folderWith());
	const {stdout: printed} = await runProgram(['--version'], {env});
	expect(printed).toMatch(/^\d+\.\d+\.\d+\n$/);
	expect(files()).toEqual(['service']);
	// Where it writes a log, the program itself answers.
	const log = join(folderWith(), 'debug.jsonl');
	expect((await runProgram(['--version'], {env: {...env, SERVICE_DEBUG: log}})).stdout).toBe(printed);
	expect(files()).toContain('main');
	for (const args of [['keys', 'list'], ['sessions'], ['help'], ['-p', 'Hi', '--model', 'groq/none']]) {
		await runProgram(args, {env});
		expect(files().length, args.join(' ')).toBeLessThanOrEqual(10);
		expect(files(), args.join(' ')).not.toContain('screen');
		expect(files(), args.join(' ')).not.toContain('server');
	}
});

const first = mkdtempSync(join(tmpdir(), 'service-first-'));
afterAll(() => rmSync(first, {recursive: true, force: true}));

/** With this setting, V8 refuses the code that the build keeps, so that a start keeps its own. */
const refusing = {NODE_OPTIONS: '--stack-trace-limit=20'};
const keysList = (home: string) => runProgram(['keys', 'list'], {home, env: refusing});

let stdout = '';

/** A copy of the state folder, with the compiled code, that a first run of all tests made. */
async function filledHome() {
	const made = join(first, 'home');
	if (!stdout) {
		mkdirSync(made, {mode: 0o700});
		({stdout} = await keysList(made));
	}

	const home = join(folderWith(), 'home');
	cpSync(made, home, {recursive: true});
	const cache = join(home, 'cache');
	const run = () => keysList(home);
	const files = () =>
		readdirSync(cache, {recursive: true, withFileTypes: true})
			.filter(entry => entry.isFile())
			.map(entry => join(entry.parentPath, entry.name));
	return {home, cache, files, run, expected: {status: 0, stdout, stderr: ''}};
}

test('the first start finds the compiled code that the build keeps', async () => {
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	const {status, stderr} = await runProgram(['keys', 'list'], {home});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
	expect(existsSync(join(home, 'cache'))).toBe(false);
	const terminal = startTerminal({home});
	await waitForIdle(terminal);
	terminal.press('ctrl+d');
	expect(await terminal.exit()).toEqual({status: 0, signal: 0});
	expect(existsSync(join(home, 'cache')) ? readdirSync(join(home, 'cache')) : []).not.toContainEqual(
		expect.stringMatching(/^(?:main|shared|screen|program|conversation)-/),
	);
});

test('the build keeps compiled code of every way to start, and of the embedded server', () => {
	const compiled = join(dirname(program), 'compiled');
	const waysOf = (name: string): readonly string[] =>
		JSON.parse(readFileSync(join(compiled, name), 'latin1').split('\n', 1)[0] ?? '').ways;
	const names = readdirSync(compiled);
	expect(new Set(names.flatMap(waysOf))).toEqual(new Set(['app', 'once', 'command', 'worker']));
	expect(names.filter(name => name.startsWith('server-')).map(waysOf)).toEqual([['worker']]);
});

test('a program without the compiled code of its build, or with a damaged one, starts', async () => {
	const copy = join(folderWith(), 'dist');
	cpSync(dirname(program), copy, {recursive: true});
	const compiled = join(copy, 'compiled');
	for (const name of readdirSync(compiled)) {
		const path = join(compiled, name);
		writeFileSync(
			path,
			readFileSync(path).map((byte, index) => (index % 997 === 996 ? byte ^ 8 : byte)),
		);
	}

	const list = () =>
		promisify(execFile)(process.execPath, [join(copy, 'service.js'), 'keys', 'list'], {env: environmentOf({})});
	const damaged = await list();
	expect(damaged).toEqual({stdout: expect.stringContaining('No keys yet.'), stderr: ''});
	rmSync(compiled, {recursive: true});
	expect(await list()).toEqual(damaged);
});

test('compiled code is kept by the first run and used by the next', async () => {
	const {files, run, expected} = await filledHome();
	expect(files().length).toBeGreaterThanOrEqual(3);
	const times = () => files().map(path => statSync(path).mtimeMs);
	const before = times();
	expect(await run()).toEqual(expected);
	expect(times()).toEqual(before);
});

test('what a run imports later is found with compiled code, too', async () => {
	const {env, args} = connectedTo({baseUrl: await unusedAddress()});
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	const run = () => runProgram([...args, '-p', 'Hi'], {home, env: {...env, ...refusing}, folder: folderWith()});
	const {status, stderr} = await run();
	expect({status, stderr}).toEqual({status: 6, stderr: expect.stringMatching(/^service: Couldn't reach Custom at /)});
	expect(await run()).toMatchObject({status, stderr});
});

/** Ways to damage a file of compiled code: with changed bytes, cut, empty, longer, of another program, and for others to write. */
const damages: readonly ((path: string) => void)[] = [
	path =>
		writeFileSync(
			path,
			readFileSync(path).map((byte, index) => (index % 97 === 96 ? byte ^ 8 : byte)),
		),
	path => writeFileSync(path, readFileSync(path).subarray(0, 1000)),
	path => writeFileSync(path, ''),
	path => appendFileSync(path, 'more'),
	path => writeFileSync(path, readFileSync(process.execPath).subarray(0, 100_000)),
	path => chmodSync(path, 0o666),
];

// Each file is damaged in another way, and in each way some file: there are three at least. `code-cache.test.ts` tries every way.
test.each([0, 3])('the program starts if its compiled code is damaged, in the ways from %i on [10]', async from => {
	const {files, run, expected} = await filledHome();
	expect(files().length).toBeGreaterThanOrEqual(3);
	for (const [index, path] of files().entries()) {
		damages[(from + index) % damages.length]?.(path);
	}

	expect(await run()).toEqual(expected);
	expect(await run()).toEqual(expected);
});

test('the program starts if compiled code can be neither read nor written', async () => {
	const {cache, run, expected, files} = await filledHome();
	for (const path of files()) {
		chmodSync(path, 0);
	}

	chmodSync(cache, 0o500);
	expect(await run()).toEqual(expected);
	chmodSync(cache, 0o700);
});

test('a file where the compiled code should be stops no start', async () => {
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	writeFileSync(join(home, 'cache'), '');
	const {status, stderr} = await runProgram(['keys', 'list'], {home, env: refusing});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
});

test('the app draws the same with the compiled code of an earlier run', async () => {
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	for (let run = 0; run < 2; run++) {
		const terminal = startTerminal({home, env: refusing});
		await waitForIdle(terminal);
		terminal.type('Hi\r');
		await terminal.waitFor(/❯ Hi[\s\S]*demo/i);
		await waitForIdle(terminal);
		terminal.press('ctrl+d');
		expect(await terminal.exit()).toEqual({status: 0, signal: 0});
	}
});

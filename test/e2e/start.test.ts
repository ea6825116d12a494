import {
	appendFileSync,
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {connectedTo, waitForIdle} from './chat.ts';
import {unusedAddress} from './model-host.ts';
import {folderWith, runProgram} from './program.ts';
import {startTerminal} from './terminal.ts';

/** Writes the files of the program that were read, when it ends. */
const listFiles = `process.on('exit', () => {
	const files = Object.keys(require.cache).filter(path => path.includes('/dist/'));
	require('node:fs').writeFileSync(process.env.LOADED, files.map(path => path + '\\n').join(''));
});`;

/** Returns the environment that lists the files of the program that a run reads, and the function that returns their names. */
function listed(folder: string) {
	const list = join(folder, 'loaded');
	writeFileSync(join(folder, 'list.cjs'), listFiles);
	return {
		// Only packs that are required are listed, not those that are compiled with a cache.
		env: {NODE_OPTIONS: `--require ${join(folder, 'list.cjs')}`, LOADED: list, NODE_DISABLE_COMPILE_CACHE: '1'},
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

/** Compiled code is kept only where Node has no cache of its own. */
const keysList = (home: string) => runProgram(['keys', 'list'], {home, env: {NODE_DISABLE_COMPILE_CACHE: ''}});

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
	const run = () =>
		runProgram([...args, '-p', 'Hi'], {home, env: {...env, NODE_DISABLE_COMPILE_CACHE: ''}, folder: folderWith()});
	const {status, stderr} = await run();
	expect({status, stderr}).toEqual({status: 6, stderr: expect.stringMatching(/^service: Couldn't reach Custom at /)});
	expect(await run()).toMatchObject({status, stderr});
});

test.each<[string, (path: string) => void]>([
	[
		'damaged',
		path =>
			writeFileSync(
				path,
				readFileSync(path).map((byte, index) => (index % 97 === 96 ? byte ^ 8 : byte)),
			),
	],
	['cut', path => writeFileSync(path, readFileSync(path).subarray(0, 1000))],
	['empty', path => writeFileSync(path, '')],
	['longer', path => appendFileSync(path, 'more')],
	['of another program', path => writeFileSync(path, readFileSync(process.execPath).subarray(0, 100_000))],
	['planted, with a mode that lets others write', path => chmodSync(path, 0o666)],
])('the program starts if its compiled code is %s [10]', async (_, damage) => {
	const {files, run, expected} = await filledHome();
	files().forEach(damage);
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
	const {status, stderr} = await runProgram(['keys', 'list'], {home, env: {NODE_DISABLE_COMPILE_CACHE: ''}});
	expect({status, stderr}).toEqual({status: 0, stderr: ''});
});

test('the app draws the same with the compiled code of an earlier run', async () => {
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	for (let run = 0; run < 2; run++) {
		const terminal = startTerminal({home, env: {NODE_DISABLE_COMPILE_CACHE: ''}});
		await waitForIdle(terminal);
		terminal.type('Hi\r');
		await terminal.waitFor(/❯ Hi[\s\S]*demo/i);
		await waitForIdle(terminal);
		terminal.press('ctrl+d');
		expect(await terminal.exit()).toEqual({status: 0, signal: 0});
	}
});

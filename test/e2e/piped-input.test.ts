import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {connectedTo} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {environmentOf, folderWith, program} from './program.ts';

/** Runs the built program in a command line of `sh`, in which `$SERVICE` is its call with the model of a local host. */
async function inShell(line: string, stdin: 'ignore' | 'pipe' = 'ignore') {
	const host = await startModelHost();
	const {env, args} = connectedTo(host);
	const folder = folderWith();
	const gate = join(folder, 'gate');
	execFileSync('mkfifo', [gate]);
	const service = [process.execPath, program, ...args].join(' ');
	const child = spawn('sh', ['-c', line], {
		cwd: folder,
		detached: true,
		env: {...environmentOf({env}), SERVICE: service},
		stdio: [stdin, 'pipe', 'pipe'],
	});
	onTestFinished(() => endGroup(child));
	let [stdout, stderr] = ['', ''];
	child.stdout?.setEncoding('utf8').on('data', (data: string) => {
		stdout += data;
	});
	child.stderr?.setEncoding('utf8').on('data', (data: string) => {
		stderr += data;
	});
	const ended = once(child, 'close').then(([status]) => ({
		status: status as number | null,
		result: stdout ? JSON.parse(stdout) : undefined,
		stderr,
		asked: host.chats().map(messages => messages.at(-1)),
	}));
	const waitFor = (words: string) => expect.poll(() => stderr, {interval: 25}).toContain(words);
	return {child, gate, ended, waitFor};
}

function endGroup({pid}: ChildProcess): void {
	try {
		process.kill(-(pid ?? 0), 'SIGKILL');
	} catch {
		// It has ended.
	}
}

const json = '--output-format json';
const wait = 'service: Still waiting for stdin to end.';

test.each([
	['a command', `cat gate | $SERVICE -p 'Review this' ${json}`],
	['a command behind a script', `cat gate | (true; $SERVICE -p 'Review this' ${json}; exit $?)`],
	['a substitution', `$SERVICE -p 'Review this' ${json} < gate`],
])('-p waits for the diff of %s, says so, and sends it', async (_name, line) => {
	const {gate, ended, waitFor} = await inShell(line);
	// Opens for reading too, so that no end waits for the other.
	const writer = openSync(gate, 'r+');
	await waitFor(wait);
	writeSync(writer, 'the diff\n');
	closeSync(writer);
	const {status, result, asked} = await ended;
	expect([status, result.warnings, asked]).toEqual([0, [], ['user: Review this\n\nthe diff']]);
});

test('a command that writes nothing makes the answer doubtful, which the status says', async () => {
	const {status, result, stderr} = await (await inShell(`false | $SERVICE -p 'Review this' ${json}`)).ended;
	const warning = 'Nothing came from stdin: the answer is to the prompt alone.';
	expect([status, result]).toMatchObject([3, {warnings: [warning], error: {code: 'incomplete', message: warning}}]);
	expect(stderr).toContain(`service: ${warning}\n`);
});

test('a pipe that a program leaves open is given up, and named in the result', async () => {
	const {ended} = await inShell(`exec $SERVICE -p Hi ${json}`, 'pipe');
	const {status, result, stderr} = await ended;
	const warning = 'stdin stayed silent for 5 s, so the prompt is sent without it.';
	expect([status, result]).toMatchObject([0, {text: 'Hello from the host.', warnings: [warning]}]);
	expect(stderr).toContain(`service: ${warning}\n`);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the wait for a pipe with a result', async signal => {
	const {child, gate, ended, waitFor} = await inShell(`exec $SERVICE -p Hi ${json} < gate`);
	const writer = openSync(gate, 'r+');
	onTestFinished(() => closeSync(writer));
	await waitFor(wait);
	child.kill(signal);
	expect(await ended).toMatchObject({status: 130, result: {error: {code: 'interrupted'}}, asked: []});
});

test('a pipe that never ends is refused at its limit', async () => {
	const {status, result, asked} = await (await inShell(`yes | $SERVICE -p Hi ${json}`)).ended;
	expect([status, result.error.message, asked]).toEqual([2, 'stdin is longer than 16 MB.', []]);
});

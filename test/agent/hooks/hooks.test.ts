import {chmodSync, existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {createHooks, matches, type Occasion} from '../../../src/agent/hooks.ts';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import type {Hook} from '../../../src/config/project/settings-file.ts';
import type {DebugEntry} from '../../../src/core/debug.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {write} from '../project/repository.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {git} from '../tools/workspace.ts';

const live = new AbortController().signal;
const beforeEdit: Occasion = {event: 'before-tool', tool: 'edit_file', arguments: {path: 'a.txt', edits: []}};

function hooksOf(...hooks: readonly Hook[]) {
	const [folder, stateFolder] = [temporaryFolder(), temporaryFolder()];
	const logged: DebugEntry[] = [];
	let refusal: string | undefined;
	const commands = createCommandSession({places: {stateFolder}});
	onTestFinished(() => commands.end());
	const run = createHooks({
		hooks,
		commands,
		root: folder,
		mayLeave: async () => ({refused: refusal, notes: []}),
		session: 's-1',
		folder,
		hide: text => text.replaceAll('our-own-key', '***'),
		debug: entry => logged.push(entry),
	});
	const refuse = (reason: string) => {
		refusal = reason;
	};
	return {folder, logged, refuse, run: (occasion: Occasion, signal = live) => run?.(occasion, signal)};
}

const before = (command: string, more: Partial<Hook> = {}): Hook => ({event: 'before-tool', command, ...more});

test('a hook reads the event, the tool, its arguments, the session and the folder as one line of JSON', async () => {
	const {run, folder} = hooksOf(before('cat > seen.json'));
	expect(await run(beforeEdit)).toEqual({warnings: []});
	const text = readFileSync(join(folder, 'seen.json'), 'utf8');
	expect(text).toMatch(/^[^\n]+\n$/);
	expect(JSON.parse(text)).toEqual({
		event: 'before-tool',
		tool: 'edit_file',
		arguments: {path: 'a.txt', edits: []},
		session: 's-1',
		folder,
	});
});

test('a hook after a tool reads the result too', async () => {
	const {run, folder} = hooksOf({event: 'after-tool', command: 'cat > seen.json'});
	await run({event: 'after-tool', tool: 'read_file', arguments: {}, result: 'roses', failed: false});
	expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toMatchObject({result: 'roses', failed: false});
});

test('[8] a hook gets exact arguments, but never a key of ours', async () => {
	const {run, folder} = hooksOf(before('cat > seen.json; env > env.txt'));
	vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-secret');
	onTestFinished(() => void vi.unstubAllEnvs());
	const command = 'curl -H "token: AKIAIOSFODNN7EXAMPLE" our-own-key';
	await run({event: 'before-tool', tool: 'run_command', arguments: {command}});
	const {arguments: given} = JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'));
	expect(given).toEqual({command: command.replace('our-own-key', '***')});
	expect(readFileSync(join(folder, 'env.txt'), 'utf8')).not.toContain('sk-ant-secret');
});

test('exit status 2 denies, with standard error as the reason', async () => {
	const {run, folder} = hooksOf(before('echo "not on Fridays" >&2; exit 2'), before('touch second'));
	const outcome = await run(beforeEdit);
	expect(outcome?.denied).toBe('not on Fridays');
	expect(existsSync(join(folder, 'second'))).toBe(false);
});

test.each([
	['another exit status', 'echo oops >&2; exit 1', /exit status 1: oops/],
	['a signal', 'kill -9 $$', /a signal ended it/],
	['a program that does not exist', 'no-such-program-anywhere', /exit status 127/],
])('before a tool, %s denies too: a broken guard lets nothing through', async (_, command, reason) => {
	expect((await hooksOf(before(command)).run(beforeEdit))?.denied).toMatch(reason);
});

test('after a tool, a hook that fails is only a warning', async () => {
	const {run} = hooksOf({event: 'after-tool', command: 'exit 1'});
	const outcome = await run({event: 'after-tool', tool: 'read_file', arguments: {}, result: '', failed: false});
	expect(outcome).toEqual({warnings: ['The after-tool hook “exit 1” failed: exit status 1']});
});

/** Seconds to sleep, by which a process is found among those of other runs on this machine. */
const [hanging, quiet] = [`600.1${process.pid}`, `600.2${process.pid}`];

test('[15] a hook that hangs is ended at its time limit, with what it started', async () => {
	const {run} = hooksOf(before(`sleep ${hanging} & trap "" TERM; sleep ${hanging}`, {timeoutSec: 0.3}));
	expect((await run(beforeEdit))?.denied).toContain('took longer than 0.3 s');
	await expect.poll(() => isAlive(hanging)).toBe(false);
});

test.skipIf(!hasBubblewrap)(
	`[15] a daemon that keeps the output open is not waited for, and ends in the sandbox${skipped}`,
	async () => {
		const daemon = `setsid sh -c "echo x > ran; sleep ${quiet}" &\nuntil [ -s ran ]; do :; done`;
		expect(await hooksOf(before(daemon)).run(beforeEdit)).toEqual({warnings: []});
		await expect.poll(() => isAlive(quiet)).toBe(false);
	},
);

test('[15] a flood of output is cut', async () => {
	const {run} = hooksOf(before('head -c 20000000 /dev/zero | tr "\\0" x >&2; exit 2'));
	const outcome = await run(beforeEdit);
	expect(outcome?.denied?.length).toBeLessThan(6000);
});

test('a hook need not read its input, however long that is', async () => {
	const {run} = hooksOf(before('exec 0<&-; exit 0'));
	const text = 'x'.repeat(3_000_000);
	expect(await run({event: 'before-tool', tool: 'write_file', arguments: {text}})).toEqual({warnings: []});
});

test('an abort ends a hook at once and throws', async () => {
	const {run, folder} = hooksOf(before('echo $$ > pid; sleep 600'));
	const abort = new AbortController();
	const outcome = run(beforeEdit, abort.signal);
	await expect.poll(() => existsSync(join(folder, 'pid'))).toBe(true);
	abort.abort();
	await expect(outcome).rejects.toThrow('aborted');
});

test('a hook runs only for its tools', async () => {
	const {run, folder} = hooksOf(before('touch ran', {tool: 'edit_file|write_*'}));
	await run({event: 'before-tool', tool: 'read_file', arguments: {}});
	expect(existsSync(join(folder, 'ran'))).toBe(false);
	await run({event: 'before-tool', tool: 'write_file', arguments: {}});
	expect(existsSync(join(folder, 'ran'))).toBe(true);
});

test.each([
	['edit_file', 'edit_file', true],
	['edit_file', 'edit_files', false],
	['*', 'anything', true],
	['read_file | edit_*', 'edit_file', true],
	['.*', 'edit_file', false],
	['(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', false],
])('the pattern %s and the tool %s: %s', (tool, name, expected) => {
	expect(matches({tool}, name)).toBe(expected);
});

test('the debug log has every hook that ran, without its command or output', async () => {
	const {run, logged} = hooksOf(before('echo secret >&2; exit 2'));
	await run(beforeEdit);
	const entry = {kind: 'hook', event: 'before-tool', status: 2, outcome: 'denied', durationMs: expect.any(Number)};
	expect(logged).toEqual([entry]);
});

/** True while a process has this argument. */
function isAlive(argument: string): boolean {
	return readdirSync('/proc').some(pid => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument);
		} catch {
			return false;
		}
	});
}

describe.skipIf(!hasBubblewrap)(`[15] a hook runs in the sandbox of commands${skipped}`, () => {
	test('it writes in the folder only, and sees no other temporary files', async () => {
		const outside = temporaryFolder();
		write(outside, {'there.txt': ''});
		const {run, folder} = hooksOf(before(`echo in > in.txt; cat ${outside}/there.txt > out.txt`));
		const said = /there\.txt.*It ran in the sandbox, which hides your home folder.*"sandbox": false/s;
		expect((await run(beforeEdit))?.denied).toMatch(said);
		expect(existsSync(join(folder, 'in.txt'))).toBe(true);
	});

	test('it has no network, and says how to run it outside', async () => {
		const program =
			'fetch("http://example.com").catch(error => { console.error(error.cause.message); process.exit(1); })';
		const {run} = hooksOf(before(`${process.execPath} -e '${program}'`));
		expect((await run(beforeEdit))?.denied).toContain('It ran in the sandbox, which has no network.');
	});

	test("it can't set up git to run programs", async () => {
		const {run, folder} = hooksOf(before('git config core.fsmonitor ./evil; echo x > .git/hooks/pre-commit'));
		git(folder, 'init');
		await run(beforeEdit);
		expect(existsSync(join(folder, '.git/hooks/pre-commit'))).toBe(false);
		expect(readFileSync(join(folder, '.git/config'), 'utf8')).not.toContain('evil');
	});

	test('outside it only if the settings of the user say so, and only if it may leave', async () => {
		const outside = temporaryFolder();
		const hook = before(`echo out > ${outside}/out.txt`, {sandbox: false});
		const refused = hooksOf(hook);
		refused.refuse('Somebody must look first.');
		expect((await refused.run(beforeEdit))?.denied).toContain('failed: Somebody must look first.');
		expect(existsSync(join(outside, 'out.txt'))).toBe(false);
		expect(await hooksOf(hook).run(beforeEdit)).toEqual({warnings: []});
		expect(existsSync(join(outside, 'out.txt'))).toBe(true);
	});

	test('[12] programs of the folder are not found by their bare name outside it', async () => {
		const {run, folder} = hooksOf(before('format-it', {sandbox: false}));
		write(folder, {'bin/format-it': '#!/bin/sh\ntouch marker\n'});
		chmodSync(join(folder, 'bin/format-it'), 0o755);
		vi.stubEnv('PATH', `${folder}/bin:${process.env['PATH']}`);
		onTestFinished(() => void vi.unstubAllEnvs());
		expect((await run(beforeEdit))?.denied).toContain('exit status 127');
		expect(existsSync(join(folder, 'marker'))).toBe(false);
	});
});

import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createHooks, matches, type Occasion} from '../../../src/agent/hooks/hooks.ts';
import type {Hook} from '../../../src/config/project/settings-file.ts';
import type {DebugEntry} from '../../../src/core/debug.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const live = new AbortController().signal;
const beforeEdit: Occasion = {event: 'before-tool', tool: 'edit_file', arguments: {path: 'a.txt', edits: []}};

function hooksOf(...hooks: readonly Hook[]) {
	const folder = temporaryFolder();
	const logged: DebugEntry[] = [];
	const run = createHooks({
		hooks,
		session: 's-1',
		folder,
		hide: text => text.replaceAll('our-own-key', '***'),
		debug: entry => logged.push(entry),
	});
	return {folder, logged, run: (occasion: Occasion, signal = live) => run?.(occasion, signal)};
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

test('[15] a hook that hangs is ended at its time limit, with what it started', async () => {
	const {run, folder} = hooksOf(before('sleep 600 & echo $! > pid; trap "" TERM; sleep 600', {timeoutSec: 0.3}));
	expect((await run(beforeEdit))?.denied).toContain('took longer than 0.3 s');
	const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
	await expect.poll(() => isAlive(pid)).toBe(false);
});

test('[15] a daemon that keeps the output open is not waited for', async () => {
	const daemon = 'setsid sh -c "echo \\$\\$ > pid; sleep 600" &\nuntil [ -s pid ]; do :; done';
	const {run, folder} = hooksOf(before(daemon));
	onTestFinished(() => void process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL'));
	expect(await run(beforeEdit)).toEqual({warnings: []});
});

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

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

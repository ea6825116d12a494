import {existsSync, readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {hasBubblewrap, skipped} from '../../sandbox/needs-bubblewrap.ts';
import {expectStill} from './expect-still.ts';
import {openCommands} from './open-commands.ts';

const allowed = {answer: () => ({allowed: true})} as const;

/** A loop that shows that it runs by touching a file, at most about 20 seconds. */
const alive = '(for i in $(seq 400); do touch alive; sleep 0.05; done)';

const places = [
	...(hasBubblewrap ? [['in the sandbox', {...allowed, hasSandbox: true}] as const] : []),
	['without a sandbox', {...allowed, hasSandbox: false}] as const,
];

test.skipIf(!hasBubblewrap)(`hostile commands are also tried in the sandbox${skipped}`, () => {
	expect(places).toHaveLength(2);
});

describe.each(places)('[15] %s', (_, options) => {
	test('a command that ignores SIGTERM is killed after its time', async () => {
		const {run, path} = await openCommands(options);
		expect(await run(`trap "" TERM; ${alive}`, {timeout_sec: 1})).toMatch(/\[timed out after .+ and was stopped\]$/);
		await expectStill(path('alive'));
	});

	test('a command may clean up when it is stopped', async () => {
		const {run, stop, path} = await openCommands(options);
		await run('trap "touch cleaned; exit 0" TERM; touch ready; while sleep 0.05; do :; done', {background: true});
		await expect.poll(() => existsSync(path('ready'))).toBe(true);
		expect(await stop('1')).toMatch(/\[job 1: stopped after /);
		expect(existsSync(path('cleaned'))).toBe(true);
	});

	test('what daemonizes ends with the command', async () => {
		const {run, path} = await openCommands(options);
		const daemon = `setsid sh -c '${alive} >/dev/null 2>&1 &' >/dev/null 2>&1; until [ -e alive ]; do sleep 0.05; done; echo left`;
		expect(await run(daemon)).toMatch(/^left\n\[exit status 0/);
		await expectStill(path('alive'));
	});

	test('a daemon that keeps the output open does not keep the command waiting', async () => {
		const {run} = await openCommands(options);
		expect(await run('setsid sleep 60 & echo done')).toMatch(/^done\n\[exit status 0/);
	});

	test('an abort ends the command and what it started', async () => {
		const {run, path, context} = await openCommands(options);
		const abort = new AbortController();
		const result = run(`${alive} & wait`, {}, {...context, signal: abort.signal});
		await expect.poll(() => existsSync(path('alive'))).toBe(true);
		abort.abort(new Error('interrupted'));
		expect(await result).toBe('interrupted');
		await expectStill(path('alive'));
	});

	test('the end of the session ends its jobs', async () => {
		const {run, path, session, stateFolder} = await openCommands(options);
		expect(await run(`${alive} & wait`, {background: true})).toMatch(/^Started as job 1\./);
		await expect.poll(() => existsSync(path('alive'))).toBe(true);
		await session.end();
		await expectStill(path('alive'));
		expect(existsSync(`${stateFolder}/work`) && readFileSync(`${stateFolder}/config.json`, 'utf8')).toBe(
			'a secret key',
		);
		expect(session.jobs.list()).toEqual([]);
	});

	test('standard input is empty, and the terminal cannot be opened', async () => {
		const {run} = await openCommands(options);
		expect(await run('cat; read -r x || echo no input; (echo x > /dev/tty) 2>/dev/null || echo no terminal')).toMatch(
			/^no input\nno terminal\n\[exit status 0/,
		);
	});

	test('[8] no credential of the environment reaches a command', async () => {
		process.env['OPENAI_API_KEY'] = 'sk-0123456789abcdefghij';
		process.env['HTTPS_PROXY_TEST_TOKEN'] = 'value-of-a-token';
		const {run} = await openCommands(options);
		const result = await run('env; cat /proc/$PPID/environ /proc/1/environ 2>/dev/null | tr "\\0" "\\n"');
		delete process.env['OPENAI_API_KEY'];
		delete process.env['HTTPS_PROXY_TEST_TOKEN'];
		expect(result.split('\n[exit')[0]?.split(`OPENAI`)).toHaveLength(1);
		expect(result).not.toContain('value-of-a-token');
	});

	test('[21] a command that prints for ever is stopped', async () => {
		const {run} = await openCommands(options);
		expect(await run('yes', {timeout_sec: 1})).toMatch(/y\n\[timed out after/);
	});

	test('binary output, invalid UTF-8 and a line without end are text', async () => {
		const {run} = await openCommands(options);
		expect(await run("printf 'a\\377\\000b\\033[31mred\\033[0m\\n10%%\\r100%%'")).toMatch(
			/^a\uFFFD␀bred\n100%\n\[exit/,
		);
		expect(await run('head -c 200000 /dev/zero | tr "\\0" x')).toMatch(/^x+\n\[… /);
	});

	test('[4] the approved bytes are what the shell gets', async () => {
		const {run, asked} = await openCommands(options);
		const command = `printf '%s\\n' "\\$HOME \\\`id\\\` " '$(id)' é$'\\x41' # "unclosed ' \n\tprintf end`;
		expect(await run(command)).toMatch(/^\$HOME `id` \n\$\(id\)\néA\nend\n\[exit status 0/);
		expect(asked[0]?.act).toMatchObject({command});
	});
});

test.skipIf(!hasBubblewrap)(`[15] a fork bomb ends at the limit of processes${skipped}`, async () => {
	const {run} = await openCommands({...allowed, maxProcesses: 60});
	// Bounded by itself too. For root the limit isn't the kernel's.
	const result = await run('for i in $(seq 100); do sleep 20 & done; wait');
	expect(result).toMatch(/stopped after .+: more than 60 processes|Resource temporarily unavailable/);
});

test('[21] 40 MB of output are cut to head and tail, in few events', async () => {
	const {run, shown} = await openCommands({...allowed, hasSandbox: false});
	const result = await run('echo first; yes | head -c 40000000; echo last');
	expect(result).toMatch(/^first\ny\n/);
	expect(result).toMatch(/\ny\nlast\n\[exit status 0/);
	expect(result).toMatch(/\[… 19,9\d\d,\d{3} lines left out\. Its first 15 MB: \S+\.txt/);
	expect(Buffer.byteLength(result)).toBeLessThan(32_000);
	expect(shown.join('').length).toBeLessThan(100_000);
	expect(shown.length).toBeLessThan(100);
});

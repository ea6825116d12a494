import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {createCappedOutput} from '../../../../src/agent/tools/child/capped-output.ts';
import {childEnvironment} from '../../../../src/agent/tools/child/child-environment.ts';
import {runChild} from '../../../../src/agent/tools/child/run-child.ts';

const node = (script: string, options: Partial<Parameters<typeof runChild>[0]> = {}) =>
	runChild({
		command: process.execPath,
		args: ['-e', script],
		cwd: '/',
		signal: new AbortController().signal,
		...options,
	});

test('[15] a child returns output and exit status, and gets no key', async () => {
	process.env['ANTHROPIC_API_KEY'] = 'sk-secret';
	try {
		const result = await node(
			'console.log(Object.keys(process.env).sort().join()); console.error("e"); process.exit(3)',
			{env: {EXTRA: '1'}},
		);
		expect(result).toEqual({status: 3, stdout: expect.stringMatching(/EXTRA.*PATH/), stderr: 'e\n', omittedBytes: 0});
		expect(result.stdout).not.toMatch(/KEY|NODE_|VITEST/);
	} finally {
		delete process.env['ANTHROPIC_API_KEY'];
	}
});

test('[15] a child that takes too long is stopped with its whole group', async () => {
	const script =
		'const c = require("child_process").spawn("sleep", ["30"], {stdio: "inherit"}); console.log(c.pid); setInterval(() => {}, 1000)';
	await expect(node(script, {timeoutMs: 400})).rejects.toThrow(/took longer than 0\.4 s and was stopped/);
});

test("[15] processes that a child leaves in its group are killed and don't delay the result", async () => {
	const script = 'require("child_process").spawn("sleep", ["30"], {stdio: "inherit"}).unref(); process.exit(0)';
	// The remaining process holds the pipe open, so the result can't come before it has ended.
	expect(await node(script)).toMatchObject({status: 0});
});

test('an abort ends the child', async () => {
	const abort = new AbortController();
	setTimeout(() => abort.abort(), 30);
	await expect(node('setInterval(() => {}, 1000)', {signal: abort.signal})).rejects.toThrow('aborted');
});

test('a missing program is a readable error', async () => {
	await expect(node('', {command: '/does/not/exist'})).rejects.toMatchObject({code: 'not-found'});
});

test('[15] a long output keeps its head and its tail', async () => {
	const {stdout, omittedBytes} = await node('process.stdout.write("a" + "x".repeat(3e6) + "z")', {maxBytes: 1000});
	expect([stdout, omittedBytes]).toEqual([
		`a${'x'.repeat(499)}\n[… 2999002 bytes left out …]\n${'x'.repeat(499)}z`,
		2999002,
	]);
});

test('the kept output does not depend on its chunks', () => {
	fc.assert(
		fc.property(
			fc.array(fc.string({unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30})),
			fc.integer({min: 2, max: 40}),
			(chunks, half) => {
				const whole = chunks.join('');
				const [output, once] = [createCappedOutput(half * 2), createCappedOutput(half * 2)];
				for (const chunk of chunks) {
					output.add(Buffer.from(chunk));
				}

				once.add(Buffer.from(whole));
				expect([output.text(), output.omittedBytes()]).toEqual([once.text(), Math.max(0, whole.length - half * 2)]);
			},
		),
	);
});

test('[15] programs of the project are not found through a relative PATH', () => {
	expect(
		childEnvironment({PATH: '.:/usr/bin::bin:/bin', Path: 'x', LC_ALL: 'C', AWS_SECRET: 'x', SERVICE_API_KEY: 'x'}),
	).toEqual({
		PATH: '/usr/bin:/bin',
		LC_ALL: 'C',
	});
	// An empty PATH would be the working folder.
	expect(childEnvironment({PATH: '.:', HOME: '/home/a'})).toEqual({HOME: '/home/a'});
});

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
	`[15] a child gets no file that the program was started with${isLinux ? '' : ' (Linux alone)'}`,
	async () => {
		const folder = await mkdtemp(join(tmpdir(), 'service-child-'));
		onTestFinished(() => rm(folder, {recursive: true, force: true}));
		const entryPoints = [new URL('../../../../src/agent/tools/child/run-child.ts', import.meta.url).pathname];
		await build({entryPoints, outfile: join(folder, 'run-child.mjs'), bundle: true, format: 'esm', platform: 'node'});
		const program = `import {runChild} from './run-child.mjs';
		const args = ['-c', 'ls -l /proc/self/fd'];
		const {stdout} = await runChild({command: 'sh', args, cwd: '/', signal: new AbortController().signal});
		process.stdout.write(stdout);`;
		await writeFile(join(folder, 'program.mjs'), program);
		await writeFile(join(folder, 'secret'), 'secret');
		const command = 'exec "$0" "$1/program.mjs" 20<"$1/secret" 200<"$1/secret"';
		const {stdout} = await promisify(execFile)('bash', ['-c', command, process.execPath, folder]);
		expect(stdout).toMatch(/ 1 -> /);
		expect(stdout).not.toContain(`${folder}/secret`);
	},
);

import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {temporaryFolder} from '../server/sandboxes/sandbox.ts';
import {supervisor} from '../server/sandboxes/supervisor.ts';

const isLinux = process.platform === 'linux';
const root = new URL('../..', import.meta.url).pathname;

/** Prints the links of a process's descriptors. */
const show = `
	const {readdirSync, readlinkSync} = require('node:fs');
	for (const fd of readdirSync('/proc/self/fd')) {
		try { console.log(readlinkSync('/proc/self/fd/' + fd)); } catch {}
	}
	console.log('shown');`;

/** Programs that start others for a task or a model, and print what these print. */
const starters = {
	'a task': `
		import {createLocalProvider} from '${root}src/server/sandboxes/local-provider.ts';
		const provider = createLocalProvider({root: process.cwd(), allowUncontained: true, containment: {}, supervisor: new URL(process.argv[2])});
		const id = crypto.randomUUID();
		const command = {name: 'command', command: [process.execPath, '-e', process.argv[3]]};
		await provider.start({id, files: new Map(), build: [], command, environment: {}, deadline: {after: 60_000, action: 'end'}});
		while ((await provider.inspect(id)).kind !== 'ended') await new Promise(resolve => setTimeout(resolve, 10));
		console.log((await provider.readLog(id, {})).text);
		await provider.remove(id);`,
	'a program of a tool': `
		import {runChild} from '${root}src/agent/tools/child/run-child.ts';
		const {signal} = new AbortController();
		const {stdout} = await runChild({command: 'node', args: ['-e', process.argv[3]], cwd: process.cwd(), signal});
		console.log(stdout);`,
	'a command of the model': `
		import {startCommand} from '${root}src/agent/tools/command/start-command.ts';
		const command = '"$PROGRAM" -e "$SHOW"';
		const env = {PROGRAM: process.execPath, SHOW: process.argv[3]};
		const onData = bytes => process.stdout.write(bytes);
		await startCommand({command, shell: '/bin/sh', folder: process.cwd(), env, maxProcesses: 1000, onData}).ended;`,
};

test.skipIf(!isLinux).each(Object.entries(starters))(
	`[15] %s cannot read a file that the server was started with${isLinux ? '' : ' (skipped: only Linux hands it on)'}`,
	async (_, source) => {
		const folder = await temporaryFolder();
		await writeFile(join(folder, 'secret'), 'secret');
		await writeFile(join(folder, 'start.ts'), source);
		const outfile = join(folder, 'start.mjs');
		await build({
			entryPoints: [join(folder, 'start.ts')],
			outfile,
			bundle: true,
			format: 'esm',
			platform: 'node',
			logLevel: 'silent',
		});
		const script = 'exec "$0" "$@" 20<secret 200<secret';
		const started = ['-c', script, process.execPath, outfile, supervisor.href, show];
		const {stdout} = await promisify(execFile)('bash', started, {cwd: folder});
		expect(stdout).toContain('shown');
		expect(stdout).not.toContain('/secret');
	},
);

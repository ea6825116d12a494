import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {access, readdir, writeFile} from 'node:fs/promises';
import {type AddressInfo, connect, createServer} from 'node:net';
import {hostname} from 'node:os';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import {expect, onTestFinished, test} from 'vitest';
import {standardPath} from '../../../src/server/sandboxes/local-launch.ts';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import {readStatus, sandboxFolder} from '../../../src/server/sandboxes/sandbox-folder.ts';
import {openedLoopback} from './allowed-hosts.ts';
import {containmentHere, eventually, localSandboxes, plainPath, runs} from './sandbox.ts';
import {supervisor} from './supervisor.ts';

const waits = 'echo pid $$; echo tick; exec sleep 1000';
const pidIn = (log: string) => Number(/pid (\d+)/.exec(log)?.[1]);

test('[15] the environment is an allow-list: no secret of the server is passed on', async () => {
	const {root, provider, script, log} = await localSandboxes({
		environment: {
			OPENAI_API_KEY: 'sk-1',
			SERVICE_API_KEY: 'k',
			NODE_OPTIONS: '--bad',
			LD_PRELOAD: '/x',
			LANG: 'C.UTF-8',
		},
	});
	const id = await script('console.log(JSON.stringify(process.env))', {environment: {PORT: '1', PATH: '/evil'}});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	const environment = JSON.parse((await log(id)).split('\n')[1] ?? '');
	expect(environment).toEqual({
		LANG: 'C.UTF-8',
		PORT: '1',
		PATH: `${join(process.execPath, '..')}:${plainPath}`,
		PWD: join(root, id, 'workspace'),
		HOME: join(root, id, 'workspace'),
		TMPDIR: join(root, id, 'tmp'),
		SANDBOX_ID: id,
	});
});

test('ending reaches processes that ignore SIGTERM, are paused or left their group; the log stays', async () => {
	const {root, provider, script, log} = await localSandboxes({graceMs: 50});
	const id = await script(
		'import {spawn} from "node:child_process"; process.on("SIGTERM", () => {});' +
			'const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {detached: true, stdio: "ignore"});' +
			'console.log("child", child.pid); console.log("pid", process.pid); setInterval(() => {}, 1000);',
	);
	await eventually(async () => /pid \d+/.test(await log(id)));
	const child = Number(/child (\d+)/.exec(await log(id))?.[1]);
	const main = pidIn(await log(id));
	expect([runs(child), runs(main)]).toEqual([true, true]);
	await provider.pause(id);
	await provider.end(id);
	await eventually(() => !runs(child) && !runs(main));
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
	expect(await readdir(join(root, id))).not.toContain('workspace');
	expect(await log(id)).toContain('[sandbox] stopped by the server\n[sandbox] command ended by SIGKILL\n');
	await provider.end(id);
	await provider.remove(id);
	await expect(access(join(root, id))).rejects.toThrow('ENOENT');
});

test('a sandbox whose supervisor was killed is gone, and its processes can still be ended', async () => {
	const {root, provider, shell, log} = await localSandboxes();
	const id = await shell(waits);
	await eventually(async () => (await log(id)).includes('tick'));
	const status = await readStatus(sandboxFolder(root, id));
	process.kill(status?.supervisor.pid ?? 0, 'SIGKILL');
	await eventually(async () => (await provider.inspect(id)).kind === 'gone');
	const pid = pidIn(await log(id));
	await provider.end(id);
	await eventually(() => !runs(pid));
});

test('an id that was later given to another process is not mistaken for the sandbox', async () => {
	const {root, provider, shell, log} = await localSandboxes();
	const id = await shell(waits);
	await eventually(async () => (await log(id)).includes('tick'));
	await provider.end(id);
	const stranger = {pid: process.pid, host: hostname(), started: '1'};
	const status = {supervisor: stranger, group: stranger, phase: 'running'};
	await writeFile(join(root, id, 'status.json'), JSON.stringify(status));
	expect(await provider.inspect(id)).toEqual({kind: 'gone'});
	await provider.end(id);
});

test('a sandbox whose supervisor crashes at its start is refused, and the error has the reason as its cause', async () => {
	const {root} = await localSandboxes();
	const crashing = join(root, 'crashing.mjs');
	await writeFile(crashing, 'throw new RangeError("out of luck");');
	const provider = createLocalProvider({root, allowUncontained: true, supervisor: pathToFileURL(crashing)});
	const started = provider.start({
		id: randomUUID(),
		organization: randomUUID(),
		files: new Map(),
		build: [],
		environment: {},
		command: {name: 'command', command: ['true']},
		deadline: {after: 60_000, action: 'end'},
	});
	await expect(started).rejects.toMatchObject({
		code: 'failed',
		message: 'The sandbox could not start: its supervisor ended with status 1.',
		cause: expect.stringContaining('RangeError: out of luck'),
	});
});

test('a task that names an image, or limits its network where nothing can, is refused, and any other is not', async () => {
	const {provider} = await localSandboxes();
	const refusals = [
		{image: 'node:22'},
		{network: 'none'},
		{network: 'services'},
		{network: {allow: ['a.example']}},
		{network: 'open'},
		{},
	] as const;
	expect(await Promise.all(refusals.map(provider.refusalOf))).toEqual([
		'The task names an image, which needs a server started with `--engine docker` or `--engine kubernetes`.',
		...Array(3).fill(
			'The task limits its network, which needs bubblewrap, pasta (package passt) and ip on the server’s machine.',
		),
		...[undefined, undefined],
	]);
});

const here = await containmentHere();
const lacks = here.bubblewrap && here.network ? '' : ' (skipped: needs bubblewrap, pasta and ip)';

/** Returns the ports of this machine's loopback on which a program listens. */
function loopbackPorts(): readonly number[] {
	return [
		...readFileSync('/proc/net/tcp', 'utf8').matchAll(/^ *\d+: (?:0100007F|00000000):([\dA-F]{4}) \S+ 0A /gm),
	].map(([, hex = '']) => Number.parseInt(hex, 16));
}

test.skipIf(lacks !== '')(
	`[15] no other process of the machine reaches the hosts that a task allows${lacks}`,
	async () => {
		const path = [...standardPath, dirname(process.execPath)].join(':');
		const {script, log} = await localSandboxes({path, containment: here, openRanges: openedLoopback});
		const outside = createServer(socket => socket.end('outside'));
		await new Promise<void>(resolve => outside.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void outside.close());
		const {port} = outside.address() as AddressInfo;
		const before = loopbackPorts();
		const id = await script(
			`import {connect} from 'node:net';
		const {hostname, port} = new URL(process.env.HTTPS_PROXY);
		connect(Number(port), hostname, function () { this.write('CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n'); })
			.on('data', data => console.log('answer', String(data).split(' ')[1]));
		setInterval(() => {}, 1000);`,
			{network: {allow: [`127.0.0.1:${port}`]}},
		);
		await eventually(async () => (await log(id)).includes('answer 200'));
		for (const opened of loopbackPorts().filter(each => !before.includes(each))) {
			const answer = await new Promise<string>(resolve => {
				const socket = connect(opened, '127.0.0.1', () => socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`));
				socket.setTimeout(3000, () => socket.destroy());
				socket
					.once('data', data => resolve(String(data)))
					.once('error', () => resolve(''))
					.once('close', () => resolve(''));
			});
			expect([opened, answer]).toEqual([opened, expect.not.stringContaining('200 ')]);
		}
	},
);

test.skipIf(lacks !== '')(
	`[15] a task without a network has its loopback alone, where its services are reached${lacks}`,
	async () => {
		const path = [...standardPath, dirname(process.execPath)].join(':');
		const {provider, script, log} = await localSandboxes({path, containment: here});
		const port = await provider.choosePort(0);
		const id = await script(
			`import {connect, createServer} from 'node:net';
		createServer(socket => socket.end('hello')).listen(${port}, '127.0.0.1', () => {
			connect(80, '198.51.100.1').on('error', error => console.log('outside', error.code, process.env.HTTP_PROXY));
		});`,
			{network: 'services', ports: [port]},
		);
		await eventually(async () => (await log(id)).includes('outside ENETUNREACH undefined\n'));
		expect((await log(id)).split('\n')[0]).toContain('it reaches no network');
		const address = await provider.serviceAddress(id, port);
		const text = await new Promise<string>(resolve => {
			connect(address?.port ?? 0, '127.0.0.1').on('data', data => resolve(String(data)));
		});
		expect(text).toBe('hello');
		await provider.end(id);
	},
);

test('an ephemeral sandbox ends with its server', async () => {
	const {root, log} = await localSandboxes();
	const id = randomUUID();
	const program = `
		const {createLocalProvider} = await import(process.argv[1]);
		const provider = createLocalProvider({root: ${JSON.stringify(root)}, isEphemeral: true, allowUncontained: true,
			environment: {PATH: '/nowhere'}, supervisor: new URL(${JSON.stringify(supervisor.href)})});
		await provider.start({id: ${JSON.stringify(id)}, organization: ${JSON.stringify(id)}, files: new Map(), build: [], environment: {},
			command: {name: 'command', command: ['node', '-e', 'setInterval(() => {}, 1000)']}, deadline: {after: 60000, action: 'end'}});
		process.exit(0);`;
	const built = join(root, 'provider.mjs');
	const entry = new URL('../../../src/server/sandboxes/local-provider.ts', import.meta.url).pathname;
	await build({entryPoints: [entry], outfile: built, bundle: true, minify: true, format: 'esm', platform: 'node'});
	await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, built]);
	await eventually(async () => (await log(id)).includes('[sandbox] its server has ended\n[sandbox] command ended'));
});

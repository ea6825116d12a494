import {randomUUID} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {connect} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {createDockerProvider} from '../../../../src/server/sandboxes/docker/docker-provider.ts';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import {atRest} from '../../../at-rest.ts';
import {checkAllowedHosts, openedLoopback} from '../allowed-hosts.ts';
import {eventually, temporaryFolder} from '../sandbox.ts';
import {engineSandboxes, hasPodman, image, type Podman, podmanReason, startPodman} from './podman.ts';

const megabyte = 1024 ** 2;

describe.skipIf(!hasPodman)(`sandboxes on Podman${podmanReason}`, () => {
	let podman: Podman;
	beforeAll(async () => {
		podman = await startPodman();
	});
	afterAll(() => podman.close());

	test('build steps run before the command with the files of the task, and the log has all of it in order', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const deep = `${'folder/'.repeat(20)}file.txt`;
		const id = await shell('cat made given; echo "$GREETING"; echo err >&2; exit 3', {
			files: new Map<string, string | Uint8Array>([
				['given', 'given\n'],
				[deep, Buffer.from('deep\n')],
			]),
			build: [
				{name: 'build step 1', command: ['sh', '-c', `cat ${deep} > made`]},
				{name: 'build step 2', command: ['sh', '-c', 'echo "$1" | cat', 'x', 'two  words; $(id) "quoted"']},
			],
			environment: {GREETING: 'good day', HOME: '/evil'},
			limits: {memoryBytes: 256 * megabyte},
		});
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		expect(await provider.inspect(id)).toEqual({kind: 'ended', step: 'command', status: 3, requested: false});
		expect((await log(id)).split('\n')).toEqual([
			`[sandbox] contained by Podman ${(await engineSandboxes(podman.socket).client.version()).version}, image ${image}: 256 MB of memory, 4,096 processes and 2 processors; no network but its own loopback`,
			`[sandbox] build step 1 of 2: sh -c cat ${deep} > made`,
			'[sandbox] build step 1 ended with status 0',
			'[sandbox] build step 2 of 2: sh -c echo "$1" | cat x two  words; $(id) "quoted"',
			'two  words; $(id) "quoted"',
			'[sandbox] build step 2 ended with status 0',
			...['deep', 'given', 'good day', 'err'],
			'[sandbox] command ended with status 3',
			'',
		]);
	});

	test('a failed build is the last step, a missing program has status 127, and a missing image is named', async () => {
		const {provider, start} = engineSandboxes(podman.socket);
		const build = [{name: 'build step 1', command: ['sh', '-c', 'exit 7']}];
		const [failed, missing] = await Promise.all([start(['sh'], {build}), start(['no-such-program'])]);
		await eventually(async () => (await provider.inspect(failed)).kind === 'ended');
		await eventually(async () => (await provider.inspect(missing)).kind === 'ended');
		expect(await provider.inspect(failed)).toMatchObject({step: 'build step 1', status: 7});
		expect(await provider.inspect(missing)).toMatchObject({step: 'command', status: 127});
		const id = randomUUID();
		await expect(start(['sh'], {id, image: 'localhost/nothing:1'})).rejects.toMatchObject({
			code: 'failed',
			message: 'Docker has no image “localhost/nothing:1”. Pull it there, or name another one.',
		});
		expect(await provider.inspect(id)).toEqual({kind: 'gone'});
	});

	test('[15] a sandbox has no network, no rights, no writable system, and limits of processes, files and memory', async () => {
		const {shell, log, provider} = engineSandboxes(podman.socket);
		const probe = `const {readFileSync, writeFileSync} = require('node:fs');
			const {networkInterfaces} = require('node:os');
			const status = readFileSync('/proc/self/status', 'utf8');
			const field = name => new RegExp(name + ':\\\\s+(\\\\S+)').exec(status)[1];
			const tries = path => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
			const limits = readFileSync('/proc/self/limits', 'utf8');
			const limit = name => limits.split('\\n').find(line => line.startsWith(name)).slice(26).trim().split(/\\s+/)[1];
			console.log(JSON.stringify({
				uid: process.getuid() >= 10000, eff: field('CapEff'), bound: field('CapBnd'), noNew: field('NoNewPrivs'), seccomp: field('Seccomp'),
				nets: Object.keys(networkInterfaces()), root: tries('/x'), etc: tries('/etc/x'), notes: tries('/sandbox/filled'),
				tmp: tries('/tmp/x'), work: tries('x'), files: limit('Max open files'), processes: limit('Max processes'), core: limit('Max core file size'),
			}));
			require('node:net').connect(80, '169.254.169.254').on('error', error => console.log('metadata', error.code)).setTimeout(1000, () => console.log('metadata open'));`;
		const id = await shell('node -e "$PROBE"; exec sleep 1000', {environment: {PROBE: probe}});
		await eventually(async () => (await log(id)).includes('metadata'));
		const [, line = '{}', metadata] = (await log(id)).split('\n');
		expect(JSON.parse(line)).toEqual({
			...{uid: true, eff: '0000000000000000', bound: '0000000000000000', noNew: '1', seccomp: '2'},
			...{nets: ['lo'], root: 'EROFS', etc: 'EROFS', notes: 'EACCES', tmp: 'written', work: 'written'},
			...{files: '8192', processes: '8192', core: '0'},
		});
		expect(metadata).toBe('metadata ENETUNREACH');
		await provider.end(id);
	});

	test('a program that uses too much memory is killed, and the log says why', async () => {
		const {provider, start, log} = engineSandboxes(podman.socket);
		const id = await start(['node', '-e', 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));'], {
			limits: {memoryBytes: 128 * megabyte},
		});
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		expect(await provider.inspect(id)).toMatchObject({step: 'command', status: 137, requested: false});
		expect(await log(id)).toContain('[sandbox] the system killed a process: 128 MB of memory are used up\n');
	});

	test('[15] a sandbox that starts more processes than it may is refused them, and the log says so', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const line = 'i=0; while [ $i -lt 40 ]; do sleep 100 & i=$((i + 1)); done; echo all';
		const id = await shell(line, {limits: {processes: 20}});
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		expect(await log(id)).toContain('[sandbox] the system refused a process: it has as many as it may, 20\n');
		const calm = await shell('sleep 0.1 & wait; echo all', {limits: {processes: 20}});
		await eventually(async () => (await provider.inspect(calm)).kind === 'ended');
		expect(await log(calm)).not.toContain('refused a process');
	});

	test('a service on loopback is reached through an address of the server, also in both directions and when it is slow', async () => {
		const {provider, start, log} = engineSandboxes(podman.socket);
		const program = `require('node:net').createServer({allowHalfOpen: true}, socket => {
			let bytes = 0;
			socket.on('data', part => { bytes += part.length; }).on('end', () => socket.end('got ' + bytes));
		}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listens'));`;
		const port = await provider.choosePort(0);
		const id = await start(['node', '-e', program], {ports: [port], environment: {PORT: String(port)}});
		await eventually(async () => await provider.isListening(id, port));
		await eventually(async () => (await log(id)).includes('listens\n'));
		expect(await provider.isListening(id, port + 1)).toBe(false);
		const address = await provider.serviceAddress(id, port);
		expect(await provider.serviceAddress(id, port)).toEqual(address);
		const sizes = [1, 300_000];
		const answers = await Promise.all(sizes.map(size => exchange(address?.port ?? 0, Buffer.alloc(size, 'x'))));
		expect(answers).toEqual(sizes.map(size => `got ${size}`));
		await provider.end(id);
		expect(await provider.serviceAddress(id, port)).toBeUndefined();
		expect(await exchange(address?.port ?? 0, Buffer.from('x'))).toBe('');
	});

	test('a paused sandbox makes no progress, continues where it was, and shuts down when it is ended', async () => {
		const {provider, start, log} = engineSandboxes(podman.socket, {graceSeconds: 300});
		const program =
			'let n = 0; setInterval(() => console.log("tick", n++), 20);' +
			'process.on("SIGTERM", () => { console.log("took its leave"); process.exit(0); });';
		const id = await start(['node', '-e', program]);
		await eventually(async () => (await log(id)).includes('tick 2\n'));
		await provider.pause(id);
		await provider.pause(id);
		expect(await provider.inspect(id)).toEqual({kind: 'paused'});
		expect(await provider.isListening(id, 8080)).toBe(false);
		const paused = await atRest(() => log(id));
		await provider.resume(id, {after: 1, action: 'end'});
		await provider.resume(id, {after: 1, action: 'end'});
		await eventually(async () => (await log(id)).length > paused.length);
		expect((await log(id)).startsWith(paused)).toBe(true);
		await provider.pause(id);
		await provider.end(id);
		await provider.end(id);
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		// The program goes on until the signal reaches it.
		const lastLines = /^\[sandbox\] stopped by the server\n(tick \d+\n)*took its leave\n/mu;
		await eventually(async () => lastLines.test(await log(id)));
	});

	test('ending reaches programs that ignore SIGTERM, and those that left their group', async () => {
		const {provider, start, log} = engineSandboxes(podman.socket);
		const id = await start([
			'node',
			'-e',
			'process.on("SIGTERM", () => {}); require("node:child_process").spawn("sleep", ["1000"], {detached: true, stdio: "ignore"});' +
				'console.log("ready"); setInterval(() => {}, 1000);',
		]);
		await eventually(async () => (await log(id)).includes('ready'));
		await provider.end(id);
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		expect(await log(id)).toContain('[sandbox] command ended with status 137\n');
	});

	test('a log is read from any offset, whole characters only, and lines of the server follow at its end', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const id = await shell('n=0; while [ $n -lt 200 ]; do n=$((n + 1)); echo "line $n: äöü €"; done');
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		await provider.note(id, 'one\nnote');
		await provider.note(id, 'another');
		const whole = await log(id);
		expect(whole).toMatch(
			/line 200: äöü €\n\[sandbox\] command ended with status 0\n\[server\] one note\n\[server\] another\n$/,
		);
		const bytes = Buffer.from(whole);
		for (const after of [0, 1, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, bytes.length - 1, bytes.length]) {
			const window = await provider.readLog(id, {after});
			expect(`${after} ${window?.text}`).toBe(`${after} ${bytes.subarray(window?.start, window?.offset).toString()}`);
			expect([window?.offset, (window?.start ?? 0) <= after]).toEqual([bytes.length, true]);
		}
		const {remove, readLog, inspect} = provider;
		await remove(id);
		await remove(id);
		expect([await readLog(id, {}), await inspect(id)]).toEqual([undefined, {kind: 'gone'}]);
	});

	test('starting again is idempotent, and a lasting workspace keeps its files for the next sandbox alone', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const workspace = randomUUID();
		onTestFinished(() => void podman.podman('volume', 'rm', '--force', `service-workspace-${workspace}`));
		const line = 'cat kept given; echo more >> kept; exec sleep 1000';
		const files = new Map([
			['given', 'given\n'],
			['kept', ''],
		]);
		const first = await shell(line, {workspace, files});
		await shell(line, {workspace, files, id: first});
		await eventually(async () => (await log(first)).includes('given'));
		await provider.end(first);
		await provider.remove(first);
		const next = await shell(line, {workspace, files: new Map([['given', 'changed\n']])});
		await eventually(async () => (await log(next)).includes('given'));
		expect((await log(next)).split('\n').slice(1, 3)).toEqual(['more', 'given']);
		const other = await shell('cat kept || echo none', {files: new Map()});
		await eventually(async () => (await log(other)).includes('none'));
	});

	test('an engine that was killed and is back has the same id and the same sandboxes, and was never called gone', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const before = await provider.machine();
		const organization = randomUUID();
		const id = await shell('n=0; while :; do n=$((n + 1)); echo "tick $n"; sleep 0.05; done', {organization});
		await eventually(async () => (await log(id)).includes('tick 3'));
		await podman.end();
		const away = {code: 'network', message: expect.stringMatching(/^Docker’s API at unix:.* doesn’t answer: .+\.$/)};
		await expect(provider.inspect(id)).rejects.toMatchObject(away);
		await expect(provider.readLog(id, {})).rejects.toMatchObject(away);
		await expect(provider.end(id)).rejects.toMatchObject(away);
		await expect(engineSandboxes(podman.socket).provider.machine()).rejects.toMatchObject(away);
		expect(await engineSandboxes(podman.socket).provider.unavailableReason()).toMatch(/doesn’t answer/);
		await podman.begin();
		const later = engineSandboxes(podman.socket);
		expect(await later.provider.machine()).toBe(before);
		expect(await provider.inspect(id)).toEqual({kind: 'running'});
		expect((await later.log(id)).split('\n')[1]).toBe('tick 1');
		expect(await later.provider.list()).toContainEqual({id, organization, hasEnded: false, isFull: false});
		await later.provider.end(id);
		expect(await provider.list()).toContainEqual({id, organization, hasEnded: true, isFull: false});
	});

	test('a task with an open network joins the network of the operator, and without one it is refused', async () => {
		podman.podman('network', 'create', '--internal', 'service-egress');
		onTestFinished(() => void podman.podman('network', 'rm', '--force', 'service-egress'));
		const {provider, start} = engineSandboxes(podman.socket);
		await expect(start(['sh'], {network: 'open'})).rejects.toThrow('--open-network');
		const needs = [{network: 'none'}, {network: 'services'}, {network: {allow: ['a.example']}}, {}] as const;
		expect(needs.map(provider.refusalOf)).toEqual(needs.map(() => undefined));
		const open = engineSandboxes(podman.socket, {openNetwork: 'service-egress'});
		const id = await open.start(
			['node', '-e', 'console.log(Object.keys(require("node:os").networkInterfaces()).join())'],
			{network: 'open'},
		);
		await eventually(async () => (await open.provider.inspect(id)).kind === 'ended');
		expect(await open.log(id)).toMatch(/; the network service-egress\nlo,eth0\n/);
	});

	test('[15] a task reaches only the hosts that it allows, through a proxy', async () => {
		await checkAllowedHosts(engineSandboxes(podman.socket, {openRanges: openedLoopback}));
	});

	test('another server serves the hosts of a sandbox when the one that started it has ended', async () => {
		const [first, second] = [engineSandboxes(podman.socket), engineSandboxes(podman.socket)];
		const program = `const {request} = require('node:http');
			const {hostname: host, port} = new URL(process.env.HTTPS_PROXY);
			const ask = () => request({host, port, path: 'http://evil.example/'}).on('response', ({statusCode, ...response}) => {
				console.log('status', statusCode);
				setTimeout(ask, 50);
			}).on('error', ({code}) => { console.log('fault', code); setTimeout(ask, 50); }).end();
			ask();`;
		const id = randomUUID();
		onTestFinished(() => second.provider.remove(id));
		await first.provider.start({
			id,
			organization: randomUUID(),
			files: new Map(),
			build: [],
			command: {name: 'command', command: ['node', '-e', program]},
			environment: {},
			deadline: {after: 60_000, action: 'end'},
			network: {allow: ['good.example']},
		});
		await eventually(async () => (await first.log(id)).includes('status 403\n'));
		await first.provider.close();
		await eventually(async () =>
			/fault ECONN[A-Z]+\n(?:fault \w+\n)*\[network\] refused: evil\.example:80 .*\nstatus 403\n/.test(
				await second.log(id),
			),
		);
		await second.provider.end(id);
	});

	test('[15] a runtime that Podman’s API would leave out is refused, so that nothing runs with another one', async () => {
		const {provider, shell} = engineSandboxes(podman.socket, {runtime: 'runsc'});
		expect(await provider.unavailableReason()).toContain('podman --runtime runsc system service');
		await expect(shell('true')).rejects.toThrow('Podman’s API ignores --runtime');
	});

	test('a connection through ssh works as one to the socket, and its refusal is quoted', async () => {
		const folder = await temporaryFolder();
		const relay = `#!${process.execPath}
			const {argv, stdin, stdout} = process;
			if (!argv.join(' ').endsWith('-- ada@far.example docker system dial-stdio')) { console.error('Permission denied (publickey).'); process.exit(255); }
			stdin.pipe(require('node:net').connect(${JSON.stringify(podman.socket)})).pipe(stdout);`;
		await writeFile(join(folder, 'ssh'), relay, {mode: 0o700});
		const over = (destination: string) => {
			const client = createEngineClient({
				address: {kind: 'ssh', destination},
				env: {PATH: `${folder}:${process.env['PATH']}`},
			});
			const provider = createDockerProvider({client, image, graceSeconds: 1});
			onTestFinished(() => provider.close());
			return provider;
		};
		expect(await over('ada@far.example').machine()).toBe(await engineSandboxes(podman.socket).provider.machine());
		await expect(over('eve@far.example').machine()).rejects.toMatchObject({
			code: 'network',
			message: 'Docker’s API at ssh://eve@far.example doesn’t answer: Permission denied (publickey).',
		});
	});
});

/** Sends bytes to a port, closes that direction, and returns what comes back; nothing if the connection breaks. */
function exchange(port: number, sent: Buffer): Promise<string> {
	return new Promise(resolve => {
		let text = '';
		const socket = connect({port, host: '127.0.0.1', allowHalfOpen: true});
		socket.on('data', part => {
			text += part;
		});
		socket.once('error', () => resolve('')).once('close', () => resolve(text));
		socket.end(sent);
	});
}

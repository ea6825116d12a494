import {randomUUID} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {createDockerProvider} from '../../../../src/server/sandboxes/docker/docker-provider.ts';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import {eventually, temporaryFolder} from '../sandbox.ts';
import {engineSandboxes, hasPodman, image, type Podman, podmanReason, startPodman} from './podman.ts';

describe.skipIf(!hasPodman)(`sandboxes on Podman${podmanReason}`, () => {
	let podman: Podman;
	beforeAll(async () => {
		podman = await startPodman();
	});
	afterAll(() => podman.close());

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

import {randomUUID} from 'node:crypto';
import {connect} from 'node:net';
import {describe, expect, test} from 'vitest';
import {eventually} from '../sandbox.ts';
import {clusterSandboxes} from './cluster-sandboxes.ts';
import {stubCluster} from './stub-cluster.ts';
import {containersReason, hasContainers, startContainer} from './stub-container.ts';

const megabyte = 1024 ** 2;

describe.skipIf(!hasContainers)(`sandboxes as pods${containersReason}`, () => {
	test('build steps run before the command with the files of the task, and the log has all of it in order', async () => {
		const cluster = await stubCluster({startContainer});
		const {provider, shell, log} = await clusterSandboxes(cluster);
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
			environment: {GREETING: "good 'day'", HOME: '/evil'},
			limits: {memoryBytes: 256 * megabyte},
		});
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		expect(await provider.inspect(id)).toEqual({kind: 'ended', step: 'command', status: 3, requested: false});
		await eventually(async () => (await log(id)).includes('ended with status 3'));
		expect((await log(id)).split('\n')).toEqual([
			'[sandbox] contained by Kubernetes v1.33.1, image node:22: 256 MB of memory, 4,096 MB of disk and 2 processors; its network policy allows nothing but its own loopback',
			`[sandbox] build step 1 of 2: sh -c cat ${deep} > made`,
			'[sandbox] build step 1 ended with status 0',
			'[sandbox] build step 2 of 2: sh -c echo "$1" | cat x two  words; $(id) "quoted"',
			'two  words; $(id) "quoted"',
			'[sandbox] build step 2 ended with status 0',
			...['deep', 'given', "good 'day'", 'err'],
			'[sandbox] command ended with status 3',
			'',
		]);
		// What the task got is in no object.
		expect(JSON.stringify([...cluster.storeOf('pods').values()])).not.toContain("good 'day'");
		await provider.note(id, 'one\nnote');
		await eventually(async () =>
			(await log(id)).endsWith('[sandbox] command ended with status 3\n[server] one note\n'),
		);
		expect(cluster.violations).toEqual([]);
		const {remove, readLog, inspect} = provider;
		await remove(id);
		await remove(id);
		expect([await readLog(id, {}), await inspect(id)]).toEqual([undefined, {kind: 'gone'}]);
		expect([...cluster.storeOf('networkpolicies').keys()]).toEqual([]);
	});

	test('an environment is building until its steps have ended, and ends when it is told to, also a stubborn one', async () => {
		const cluster = await stubCluster({startContainer, protocol: 'v4.channel.k8s.io'});
		const {provider, shell, start, log} = await clusterSandboxes(cluster);
		const id = await shell('trap "echo took its leave; exit" TERM; echo ready; while :; do sleep 0.05; done', {
			build: [{name: 'build step 1', command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done']}],
			files: new Map([['x'.repeat(90), Buffer.alloc(300_000, 7)]]),
		});
		expect(await provider.inspect(id)).toEqual({kind: 'building'});
		const stubborn = await start([
			'node',
			'-e',
			'process.on("SIGTERM", () => {}); require("node:child_process").spawn("sleep", ["1000"], {detached: true, stdio: "ignore"});' +
				'console.log("ready"); setInterval(() => {}, 1000);',
		]);
		await eventually(async () => (await log(stubborn)).includes('ready\n'));
		await Promise.all([provider.end(id), provider.end(stubborn)]);
		await provider.end(stubborn);
		expect(await provider.inspect(stubborn)).toMatchObject({kind: 'ended', requested: true});
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		expect((await provider.readLog(stubborn, {after: 0, hasEnded: true}))?.text).toContain(
			'[sandbox] stopped by the server\n',
		);
		expect(cluster.storeOf('pods').size).toBe(2);
	});

	test('a service on loopback is reached through an address of the server, in both directions at once', async () => {
		const cluster = await stubCluster({startContainer});
		const {provider, start, log} = await clusterSandboxes(cluster);
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

	test('a paused sandbox has no processes, and resumes with its files, its log and without its build steps', async () => {
		const cluster = await stubCluster({startContainer, hasSandboxes: true});
		const {provider, shell, log} = await clusterSandboxes(cluster);
		expect(await provider.summary()).toContain('Sandbox objects');
		expect(provider.supportsPause).toBe(true);
		const id = await shell('cat runs 2>/dev/null; echo run >> runs; echo "as $NAME"; exec sleep 1000', {
			build: [{name: 'build step 1', command: ['sh', '-c', 'echo built']}],
			environment: {NAME: 'ada'},
		});
		await eventually(async () => (await log(id)).includes('as ada\n'));
		const before = await log(id);
		await provider.pause(id);
		await provider.pause(id);
		expect(await provider.inspect(id)).toEqual({kind: 'paused'});
		expect([...cluster.storeOf('pods').keys()]).toEqual([]);
		expect((await provider.list()).filter(({hasEnded}) => !hasEnded)).toHaveLength(1);
		// Another server, which has read nothing of the log before.
		const other = await clusterSandboxes(cluster);
		await other.provider.summary();
		await other.provider.resume(id, {after: 60_000, action: 'end'});
		await other.provider.resume(id, {after: 90_000, action: 'end'});
		expect(await other.provider.inspect(id)).toEqual({kind: 'running'});
		await eventually(async () => (await log(id)).length > before.length + 200);
		const whole = await log(id);
		expect(whole.startsWith(before)).toBe(true);
		const later = whole.slice(whole.indexOf('[sandbox] contained', before.length));
		await eventually(async () => (await log(id)).endsWith('run\nas ada\n'));
		expect(later).not.toContain('built\n');
		const from = Buffer.byteLength(whole) - Buffer.byteLength(later);
		await eventually(async () =>
			((await other.provider.readLog(id, {after: from}))?.text ?? '').endsWith('run\nas ada\n'),
		);
		expect(await other.provider.readLog(id, {after: from})).toEqual(await provider.readLog(id, {after: from}));
		await provider.end(id);
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		await provider.remove(id);
		expect([...cluster.storeOf('sandboxes').keys(), ...cluster.storeOf('pods').keys()]).toEqual([]);
		expect(cluster.violations).toEqual([]);
	});

	test('a lasting workspace keeps its files for the next sandbox alone, and starting again is idempotent', async () => {
		const cluster = await stubCluster({startContainer});
		const {provider, shell, log} = await clusterSandboxes(cluster);
		const workspace = randomUUID();
		const line = 'cat kept given; echo more >> kept; exec sleep 1000';
		const files = new Map([
			['given', 'given\n'],
			['kept', ''],
		]);
		const id = randomUUID();
		await shell(line, {workspace, files, id});
		await shell(line, {workspace, files, id});
		await eventually(async () => (await log(id)).includes('given\n'));
		await provider.end(id);
		await provider.remove(id);
		const next = await shell(line, {workspace, files: new Map([['given', 'changed\n']])});
		await eventually(async () => (await log(next)).includes('given\n'));
		expect((await log(next)).split('\n').slice(1, 3)).toEqual(['more', 'given']);
		const other = await shell('cat kept || echo none');
		await eventually(async () => (await log(other)).includes('none\n'));
		expect(cluster.violations).toEqual([]);
	});

	test('a pod that somebody else created again doesn’t begin by itself, and a lost one is gone', async () => {
		const cluster = await stubCluster({startContainer, hasSandboxes: true});
		const {provider, shell, log} = await clusterSandboxes(cluster);
		const id = await shell('echo begun; exec sleep 1000');
		await eventually(async () => (await log(id)).includes('begun\n'));
		await cluster.losePod(`service-${id}`);
		await eventually(() => cluster.storeOf('pods').has(`service-${id}`));
		expect(await provider.inspect(id)).toEqual({kind: 'gone'});
		expect((await log(id)).match(/begun/g)).toHaveLength(1);
		await provider.remove(id);
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

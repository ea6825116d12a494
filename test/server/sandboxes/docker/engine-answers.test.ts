import {randomUUID} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import type {ServerResponse} from 'node:http';
import {connect} from 'node:net';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import type {SandboxSpec} from '../../../../src/server/sandboxes/provider.ts';
import {folderWith} from '../../../e2e/program.ts';
import {flood} from '../providers/engine-fault.ts';
import {frame, inspected, type Route, stubEngine, version} from './stub-engine.ts';

const id = randomUUID();

const spec: SandboxSpec = {
	id,
	organization: randomUUID(),
	files: new Map([['main.mjs', 'x']]),
	build: [],
	command: {name: 'command', command: ['node', 'main.mjs']},
	environment: {PORT: '8080'},
	ports: [8080],
	deadline: {after: 60_000, action: 'end'},
	limits: {memoryBytes: 512 * 1024 ** 2},
};

const conflict = `Conflict. The container name "/service-${id}" is already in use by container "d2f1c7a6e4b3". You have to remove (or rename) that container to be able to reuse that name.`;

/** What Docker answers while a new container is created, filled and started. */
const starting: Readonly<Record<string, Route>> = {
	'POST /volumes/create': () => [201, {Name: `service-${id}`, Driver: 'local', Labels: {}}],
	'DELETE /volumes/*': () => [204],
	'POST /containers/create': () => [201, {Id: 'd2f1c7a6e4b3', Warnings: []}],
	'GET /containers/*/json': () => [200, inspected(id, {Status: 'created', Running: false, Pid: 0})],
	'PUT /containers/*/archive': () => [200],
	'POST /containers/*/start': () => [204],
	'DELETE /containers/*': () => [204],
};

test('a container is created with every limit, filled and started', async () => {
	const {provider, asked, bodies} = await stubEngine(starting);
	await provider.start(spec);
	expect(asked).toEqual([
		...['GET /version', 'GET /volumes/*', 'POST /volumes/create', 'POST /containers/create'],
		...['HEAD /containers/*/archive', 'PUT /containers/*/archive', 'POST /containers/*/start'],
	]);
	expect(bodies[3]).toMatchObject({
		Image: 'node:22',
		User: expect.stringMatching(/^\d{5}:\d{5}$/),
		Env: ['PORT=8080', 'HOME=/sandbox/workspace', 'TMPDIR=/tmp', `SANDBOX_ID=${id}`],
		Labels: {'service.sandbox': id, 'service.organization': spec.organization},
		NetworkDisabled: true,
		HostConfig: {
			...{NetworkMode: 'none', Memory: 536_870_912, MemorySwap: 536_870_912, PidsLimit: 4096, ReadonlyRootfs: true},
			...{CpuPeriod: 100_000, CpuQuota: 200_000, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges']},
			Ulimits: expect.arrayContaining([
				{Name: 'nofile', Soft: 8192, Hard: 8192},
				{Name: 'nproc', Soft: 8192, Hard: 8192},
			]),
		},
	});
	expect(JSON.stringify(bodies[3])).not.toContain('PortBindings');
});

test('a container that an earlier call created is used, and another one of the same name is left alone', async () => {
	const taken: Readonly<Record<string, Route>> = {
		...starting,
		'POST /containers/create': () => [409, {message: conflict}],
	};
	const {provider, asked} = await stubEngine({
		...taken,
		'HEAD /containers/*/archive': () => [200],
		'POST /containers/*/start': () => [304],
	});
	await provider.start(spec);
	expect(asked).not.toContain('PUT /containers/*/archive');
	const strange = await stubEngine({...taken, 'GET /containers/*/json': () => [200, inspected(randomUUID(), {})]});
	await expect(strange.provider.start(spec)).rejects.toMatchObject({
		code: 'failed',
		message: expect.stringContaining('Conflict'),
	});
	expect(strange.asked).not.toContain('DELETE /containers/*');
});

test.each([
	['POST /containers/create', 'create the sandbox'],
	['PUT /containers/*/archive', 'write the files of the task'],
	['POST /containers/*/start', 'start the sandbox'],
])('an engine that answers 500 to %s is quoted, and nothing is left behind', async (name, verb) => {
	const {provider, asked} = await stubEngine({
		...starting,
		...(name.endsWith('create') && {
			'GET /containers/*/json': () => [404, {message: `No such container: service-${id}`}],
		}),
		[name]: () => [500, {message: 'error while mounting volume:\nno space left on device.'}],
	});
	const workspace = randomUUID();
	await expect(provider.start({...spec, workspace})).rejects.toMatchObject({
		code: 'failed',
		message: `Docker couldn’t ${verb}: error while mounting volume: no space left on device.`,
	});
	expect(asked.includes('DELETE /containers/*')).toBe(!name.endsWith('create'));
	expect(asked.at(-1)).toBe(`DELETE /volumes/service-workspace-${workspace}`);
});

const blanks = Buffer.alloc(256 * 1024, ' ');
const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`;

test.each([
	['text', () => [200, 'all is well'] as const],
	['JSON of another shape', () => [200, {State: 'running'}] as const],
	['JSON without an end', () => [200, '{"State": {"Status": "exit'] as const],
	['JSON that is nested deeply', () => [200, nested] as const],
	['404 in words of a proxy', () => [404, '<html>404 page not found</html>'] as const],
	['500', () => [500, {message: 'runtime error: index out of range'}] as const],
	['429', () => [429, {message: 'too many requests'}] as const],
])('a sandbox is not called gone when the engine answers %s', async (_, answer) => {
	const {provider} = await stubEngine({'GET /containers/*/json': answer});
	await expect(provider.inspect(id)).rejects.toMatchObject({message: expect.stringMatching(/^Docker/)});
	await expect(provider.end(id)).rejects.toMatchObject({message: expect.stringMatching(/^Docker/)});
});

test('an answer without an end is read no further than 16 MB', async () => {
	let sent = {bytes: 0};
	const {provider} = await stubEngine({
		'GET /containers/*/json': (_, response) => {
			sent = flood(response, '{"State":', blanks);
			return undefined;
		},
	});
	await expect(provider.inspect(id)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/: its answer is longer than 16 MB\.$/),
	});
	expect(sent.bytes).toBeLessThan(32 * 1024 ** 2);
});

test.each([
	['never answers', () => undefined, 'timed out'],
	[
		'answers a byte from time to time',
		(_: unknown, response: ServerResponse) => {
			response.writeHead(200);
			const timer = setInterval(() => response.write(' '), 5);
			response.once('close', () => clearInterval(timer));
			return undefined;
		},
		'its answer takes too long',
	],
])('an engine that %s is given up', async (_, route, why) => {
	const {provider} = await stubEngine({'GET /containers/*/json': route}, {timeoutMs: 40});
	await expect(provider.inspect(id)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringContaining(`doesn’t answer: ${why}.`),
	});
});

test('an engine that stalls at any request of a start is given up, and so is the cleanup', async () => {
	const {provider: healthy, asked} = await stubEngine(starting);
	await healthy.start(spec);
	const silent = () => undefined;
	for (const name of new Set(asked)) {
		const {provider} = await stubEngine({...starting, [name]: silent, 'DELETE /containers/*': silent}, {timeoutMs: 20});
		await expect(provider.start(spec), name).rejects.toMatchObject({
			code: 'network',
			message: expect.stringMatching(/ doesn’t answer: timed out\.$/),
		});
	}
});

test('what an engine says of states is read as Docker and Podman say it', async () => {
	let state: Readonly<Record<string, unknown>> = {};
	const {provider} = await stubEngine({
		'GET /containers/*/json': () => [200, inspected(id, state)],
		'GET /containers/*/logs': (_, response) =>
			void response.writeHead(200).end(frame('x\n[sandbox] command ended with status 5\n')),
	});
	const kinds: Record<string, string> = {};
	for (const Status of [
		'created',
		'configured',
		'running',
		'paused',
		'restarting',
		'removing',
		'exited',
		'dead',
		'stopped',
	]) {
		state = {Status, ExitCode: 5};
		kinds[Status] = (await provider.inspect(id)).kind;
	}

	expect(kinds).toEqual({
		...{
			created: 'gone',
			configured: 'gone',
			running: 'running',
			paused: 'paused',
			restarting: 'running',
			removing: 'gone',
		},
		...{exited: 'ended', dead: 'ended', stopped: 'ended'},
	});
	state = {Status: 'exited', ExitCode: 137, OOMKilled: true};
	expect(await provider.inspect(id)).toEqual({kind: 'ended', step: 'command', status: 137, requested: false});
});

test('logs in frames of any size and part are one text, and garbage is refused', async () => {
	const log = Buffer.concat([frame('äö\n'), frame('', 2), frame('€ and more\n', 2), frame('rest')]);
	let answer = log;
	const {provider} = await stubEngine({
		'GET /containers/*/logs': (_, response) => {
			for (const byte of answer) {
				response.write(Buffer.from([byte]));
			}

			response.end();
			return undefined;
		},
	});
	expect(await provider.readLog(id, {})).toEqual({text: 'äö\n€ and more\nrest', start: 0, offset: 22});
	expect(await provider.readLog(id, {after: 6})).toMatchObject({text: '€ and more\nrest', start: 5});
	answer = Buffer.from('HTTP/1.1 200 OK\r\n');
	await expect(provider.readLog(id, {})).rejects.toMatchObject({code: 'network'});
	expect(await (await stubEngine({})).provider.readLog(id, {})).toBeUndefined();
});

test('sandboxes of an engine are listed by their labels, and other containers are none', async () => {
	const labelled = (labels: unknown, State = 'running') => ({Id: 'x', Names: ['/a'], State, Labels: labels});
	const {provider} = await stubEngine({
		'GET /containers/json': () => [
			200,
			[
				labelled({'service.sandbox': id, 'service.organization': 'o'}, 'exited'),
				...[labelled({'service.sandbox': '../../x'}), labelled(null), labelled({})],
			],
		],
	});
	expect(await provider.list()).toEqual([{id, organization: 'o', hasEnded: true, isFull: false}]);
});

test('a service is reached through an upgraded connection, and its end is the end of the connection', async () => {
	const {provider, asked} = await stubEngine(
		{
			'GET /containers/*/json': () => [200, inspected(id, {})],
			'POST /containers/*/exec': () => [201, {Id: 'e1'}],
		},
		{
			onUpgrade(socket) {
				socket.write(
					'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
				);
				socket.end(Buffer.concat([frame('hel'), frame('lo')]));
			},
		},
	);
	const address = await provider.serviceAddress(id, 8080);
	expect(await received(address?.port ?? 0)).toBe('hello');
	expect(asked.slice(-2)).toEqual(['POST /containers/*/exec', 'UPGRADE tcp']);
});

test.each([
	['refuses the program', () => [409, {message: 'Container is paused'}] as const, () => undefined],
	['upgrades nothing', () => [201, {Id: 'e1'}] as const, undefined],
])('a connection to a service ends if the engine %s', async (_, exec, onUpgrade) => {
	const {provider} = await stubEngine(
		{'GET /containers/*/json': () => [200, inspected(id, {})], 'POST /containers/*/exec': exec},
		onUpgrade ? {onUpgrade} : {},
	);
	expect(await received((await provider.serviceAddress(id, 8080))?.port ?? 0)).toBe('');
});

test.each([
	['1.24', '/v1.24'],
	['1.41', '/v1.41'],
	['1.52', '/v1.47'],
])('an engine with API %s is asked below %s', async (ApiVersion, prefix) => {
	let url = '';
	const {provider} = await stubEngine({
		'GET /version': () => [200, {...version, ApiVersion}],
		'GET /containers/json': request => {
			url = request.url ?? '';
			return [200, []];
		},
	});
	expect(await provider.list()).toEqual([]);
	expect(url.startsWith(`${prefix}/containers/json?`)).toBe(true);
});

/** Returns all that a port sends until it closes the connection. */
function received(port: number): Promise<string> {
	return new Promise(resolve => {
		let text = '';
		connect(port, '127.0.0.1')
			.on('data', part => {
				text += part;
			})
			.once('error', () => resolve(text))
			.once('close', () => resolve(text));
	});
}

test.each([
	['after it has stopped reading', 'exec 0<&-; sleep 0.3; echo "Permission denied (publickey)." >&2; exit 255'],
	['before it has read', 'echo "Permission denied (publickey)." >&2; exit 255'],
	['after a banner', 'cat > /dev/null & echo Welcome >&2; echo "Permission denied (publickey)." >&2; exit 255'],
])('what ssh says as it refuses is quoted: %s', async (_, script) => {
	const folder = folderWith();
	writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n${script}\n`, {mode: 0o700});
	const client = createEngineClient({
		address: {kind: 'ssh', destination: 'eve@far.example'},
		env: {PATH: `${folder}:${process.env['PATH']}`},
	});
	onTestFinished(() => client.close());
	await expect(client.version()).rejects.toMatchObject({
		code: 'network',
		message: 'Docker’s API at ssh://eve@far.example doesn’t answer: Permission denied (publickey).',
	});
});

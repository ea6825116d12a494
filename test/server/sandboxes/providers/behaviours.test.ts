import {randomUUID} from 'node:crypto';
import {connect} from 'node:net';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {SandboxProvider} from '../../../../src/server/sandboxes/provider.ts';
import {atRest} from '../../../at-rest.ts';
import {checkAllowedHosts} from '../allowed-hosts.ts';
import {eventually} from '../sandbox.ts';
import {type Ability, places, type World} from './places.ts';

const megabyte = 1024 ** 2;

/** Prints a number every 20 ms, and says goodbye when it is told to end. */
const ticks =
	'let n = 0; setInterval(() => console.log("tick", n++), 20);' +
	'process.on("SIGTERM", () => { console.log("took its leave"); process.exit(0); });';

const untilEnded = async ({provider}: Pick<World, 'provider'>, id: string) => {
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	return await provider.inspect(id);
};

/** Returns the whole log of a sandbox that has ended, as a collector reads it, and the windows that it came in. */
async function readAll(provider: SandboxProvider, id: string): Promise<Buffer> {
	let bytes = Buffer.alloc(0);
	for (;;) {
		const window = await provider.readLog(id, {after: bytes.length, hasEnded: true});
		const all = Buffer.from(window?.bytes ?? window?.text ?? '');
		const fresh = all.subarray(bytes.length - (window?.start ?? 0));
		if (fresh.length === 0) {
			return bytes;
		}

		bytes = Buffer.concat([bytes, fresh]);
	}
}

for (const place of places) {
	describe.skipIf(place.skipped !== '')(`${place.name}${place.skipped}`, () => {
		beforeAll(async () => await place.begin?.());
		afterAll(async () => await place.close?.());

		/** Tests what a place does if it can. What it can't do is in the name. */
		const behaves = (
			name: string,
			work: (world: World) => Promise<void>,
			needs: readonly Ability[] = [],
			graceSeconds?: number,
		) => {
			const why = needs.map(need => place.lacks[need]).find(each => each !== undefined);
			test.skipIf(why !== undefined)(`${name}${why === undefined ? '' : ` (not here: ${why})`}`, async () => {
				const world = await place.open(graceSeconds);
				await work(world);
				expect(world.violations).toEqual([]);
			});
		};

		behaves(
			'runs build steps before the command, with the files of the task and both outputs in order',
			async world => {
				const {provider, shell} = world;
				const deep = `${'folder/'.repeat(20)}file.txt`;
				const id = await shell(
					'cat made given; echo "$GREETING"; for n in 1 2; do echo "out $n"; echo "err $n" >&2; done; exit 3',
					{
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
					},
				);
				expect(await untilEnded(world, id)).toEqual({kind: 'ended', step: 'command', status: 3, requested: false});
				await provider.note(id, 'one\nnote');
				await provider.note(id, 'another');
				const [first, ...lines] = (await readAll(provider, id)).toString().split('\n');
				expect(first).toMatch(place.contained);
				expect(lines).toEqual([
					`[sandbox] build step 1 of 2: sh -c cat ${deep} > made`,
					'[sandbox] build step 1 ended with status 0',
					'[sandbox] build step 2 of 2: sh -c echo "$1" | cat x two  words; $(id) "quoted"',
					'two  words; $(id) "quoted"',
					'[sandbox] build step 2 ended with status 0',
					...['deep', 'given', "good 'day'", 'out 1', 'err 1', 'out 2', 'err 2'],
					'[sandbox] command ended with status 3',
					...['[server] one note', '[server] another', ''],
				]);
			},
		);

		behaves('ends with the step that failed, and with 127 if a program is missing', async world => {
			const build = [
				{name: 'build step 1', command: ['sh', '-c', 'exit 7']},
				{name: 'build step 2', command: ['sh', '-c', 'echo never']},
			];
			const [failed, missing] = await Promise.all([world.start(['sh'], {build}), world.start(['no-such-program'])]);
			expect(await untilEnded(world, failed)).toMatchObject({step: 'build step 1', status: 7, requested: false});
			expect(await untilEnded(world, missing)).toMatchObject({step: 'command', status: 127, requested: false});
			const [log, other] = [await readAll(world.provider, failed), await readAll(world.provider, missing)].map(String);
			expect(log).toMatch(/\n\[sandbox\] build step 1 ended with status 7\n$/);
			expect(log).not.toContain('never\n');
			expect(other).toMatch(/no-such-program.*\n\[sandbox\] command ended with status 127\n$/);
		});

		behaves(
			'begins lines of its own on a new line, whatever was open',
			async world => {
				const id = await world.shell('printf "no line break"');
				expect(await untilEnded(world, id)).toMatchObject({status: 0});
				await world.provider.note(id, 'note');
				expect(String(await readAll(world.provider, id))).toMatch(
					/\nno line break\n\[sandbox\] command ended with status 0\n\[server\] note\n$/,
				);
			},
			['openLines'],
		);

		behaves('is building until its build steps have ended', async ({provider, shell, log}) => {
			const id = await shell('echo ready; exec sleep 1000', {
				build: [{name: 'build step 1', command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done']}],
				files: new Map([['x'.repeat(90), Buffer.alloc(300_000, 7)]]),
			});
			expect(await provider.inspect(id)).toEqual({kind: 'building'});
			const early = await shell('until [ -e given ]; do sleep 0.05; done; echo ready; exec sleep 1000', {
				build: [{name: 'build step 1', command: ['true']}],
				files: new Map([['given', '']]),
			});
			await eventually(async () => (await log(early)).includes('\nready\n'));
			await eventually(async () => (await provider.inspect(early)).kind === 'running');
			await Promise.all([provider.end(id), provider.end(early)]);
			expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		});

		behaves(
			'names an image that it doesn’t have, and leaves nothing behind',
			async ({provider, start}) => {
				const [image, message] = place.missingImage ?? ['', ''];
				const id = randomUUID();
				await expect(start(['sh'], {id, image, workspace: randomUUID()})).rejects.toMatchObject({
					code: 'failed',
					message,
				});
				expect(await provider.inspect(id)).toEqual({kind: 'gone'});
				expect((await provider.list()).map(each => each.id)).not.toContain(id);
			},
			['images'],
		);

		behaves(
			'reaches a service on loopback, in both directions at once, until the sandbox ends',
			async world => {
				const {provider, start, log} = world;
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
			},
			['halfClose'],
		);

		behaves(
			'makes no progress while it is paused, and goes on with the same log',
			async ({provider, start, log, another}) => {
				const id = await start(['node', '-e', ticks]);
				await eventually(async () => (await log(id)).includes('tick 2\n'));
				await provider.pause(id);
				await provider.pause(id);
				expect(await provider.inspect(id)).toEqual({kind: 'paused'});
				expect(await provider.isListening(id, 1)).toBe(false);
				const paused = await atRest(() => log(id));
				const other = await another();
				expect(await other.provider.inspect(id)).toEqual({kind: 'paused'});
				await other.provider.resume(id, {after: 60_000, action: 'end'});
				await other.provider.resume(id, {after: 60_000, action: 'end'});
				expect(await provider.inspect(id)).toEqual({kind: 'running'});
				await eventually(async () => (await log(id)).length > paused.length);
				expect((await log(id)).startsWith(paused)).toBe(true);
			},
			['pause'],
		);

		behaves(
			'continues where it was after a pause, and shuts down when it is ended during one',
			async ({provider, start, log}) => {
				const id = await start(['node', '-e', ticks]);
				await eventually(async () => (await log(id)).includes('tick 2\n'));
				await provider.pause(id);
				await provider.resume(id, {after: 60_000, action: 'end'});
				await provider.pause(id);
				const paused = (await atRest(() => log(id))).match(/tick \d+/g) ?? [];
				await provider.end(id);
				await provider.end(id);
				expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
				const lines = (await readAll(provider, id)).toString().split('\n');
				const numbers = lines.flatMap(line => /^tick (\d+)$/.exec(line)?.[1] ?? []).map(Number);
				expect(numbers).toEqual(numbers.map((_, index) => index));
				expect(numbers.length).toBeGreaterThanOrEqual(paused.length);
				expect(lines).toContain('[sandbox] stopped by the server');
				expect(lines).toContain('took its leave');
			},
			['pause', 'freeze'],
			300,
		);

		behaves(
			'lets a program shut down before it ends',
			async ({provider, start, log}) => {
				const id = await start(['node', '-e', ticks]);
				await eventually(async () => (await log(id)).includes('tick 2\n'));
				await provider.end(id);
				expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
				expect(String(await readAll(provider, id))).toMatch(
					/\[sandbox\] stopped by the server\n(?:tick \d+\n)*took its leave\n/,
				);
			},
			[],
			300,
		);

		behaves('ends programs that ignore SIGTERM, and those that left their group; the log stays', async world => {
			const {provider, start, log} = world;
			const id = await start([
				'node',
				'-e',
				'process.on("SIGTERM", () => {}); require("node:child_process").spawn("sleep", ["1000"], {detached: true, stdio: "ignore"});' +
					'console.log("ready"); setInterval(() => {}, 1000);',
			]);
			await eventually(async () => (await log(id)).includes('ready\n'));
			await provider.end(id);
			await provider.end(id);
			expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
			expect(String(await readAll(provider, id))).toContain('ready\n[sandbox] stopped by the server\n');
			await provider.remove(id);
			await provider.remove(id);
			expect([await provider.readLog(id, {}), await provider.inspect(id)]).toEqual([undefined, {kind: 'gone'}]);
		});

		behaves('has the same sandbox and the same bytes for another server, which ends it', async world => {
			const id = await world.shell('n=0; while :; do n=$((n + 1)); echo "grüße $n 😀"; sleep 0.05; done');
			await eventually(async () => (await world.log(id)).includes('grüße 3'));
			const other = await world.another();
			expect(await other.provider.machine()).toBe(await world.provider.machine());
			expect(await other.provider.inspect(id)).toEqual({kind: 'running'});
			await other.provider.end(id);
			expect(await world.provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
			const whole = await readAll(world.provider, id);
			expect(await readAll(other.provider, id)).toEqual(whole);
			// Characters are whole, whatever the offset.
			for (const after of [
				0,
				1,
				...Array.from({length: 12}, (_, index) => 150 + index),
				whole.length - 1,
				whole.length,
			]) {
				for (const {provider} of [world, other]) {
					const window = await provider.readLog(id, {after, hasEnded: true});
					const {start = 0, offset = 0, text} = window ?? {};
					expect(`${after} ${text}`).toBe(`${after} ${whole.subarray(start, offset)}`);
					expect([offset, start <= after]).toEqual([whole.length, true]);
				}
			}
		});

		behaves(
			'starts a sandbox once, however often it is told to',
			async ({provider, shell, log}) => {
				const id = await shell('echo begun; exec sleep 1000');
				await shell('echo begun; exec sleep 1000', {id});
				await eventually(async () => (await log(id)).includes('begun\n'));
				expect(await provider.inspect(id)).toEqual({kind: 'running'});
				expect((await log(id)).match(/^begun$/gm)).toHaveLength(1);
			},
			['startAgain'],
		);

		behaves(
			'starts a sandbox once that two servers begin at the same moment',
			async ({provider, shell, log}) => {
				const id = randomUUID();
				await Promise.all([shell('echo begun; exec sleep 1000', {id}), shell('echo begun; exec sleep 1000', {id})]);
				await eventually(async () => (await log(id)).includes('begun\n'));
				expect(await provider.inspect(id)).toEqual({kind: 'running'});
				expect((await log(id)).match(/^begun$/gm)).toHaveLength(1);
			},
			['startTogether'],
		);

		behaves('keeps the files of a lasting workspace for the next sandbox alone', async ({provider, shell, log}) => {
			const workspace = randomUUID();
			const line = 'cat kept given; echo more >> kept; echo done; exec sleep 1000';
			const files = new Map([
				['given', 'given\n'],
				['kept', ''],
			]);
			const first = await shell(line, {workspace, files});
			await eventually(async () => (await log(first)).includes('done\n'));
			await provider.end(first);
			await provider.remove(first);
			const next = await shell(line, {workspace, files: new Map([['given', 'changed\n']])});
			await eventually(async () => (await log(next)).includes('done\n'));
			expect((await log(next)).split('\n').slice(1, 3)).toEqual(['more', 'given']);
			const other = await shell('cat kept || echo none', {files: new Map()});
			await eventually(async () => (await log(other)).includes('none\n'));
			await provider.end(next);
		});

		behaves(
			'ends or pauses a sandbox at its deadline, without a server',
			async world => {
				const {provider, shell} = world;
				const ends = await shell('exec sleep 1000', {deadline: {after: -1, action: 'end'}});
				const pauses = await shell('exec sleep 1000', {deadline: {after: -1, action: 'pause'}});
				expect(await untilEnded(world, ends)).toMatchObject({requested: true});
				await eventually(async () => (await provider.inspect(pauses)).kind === 'paused');
				expect(String(await readAll(provider, ends))).toContain('[sandbox] its time limit was reached\n');
			},
			['deadline'],
		);

		behaves(
			'ends a program that uses too much memory, and says why if it can',
			async world => {
				const id = await world.start(['node', '-e', 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));'], {
					limits: {memoryBytes: 256 * megabyte},
				});
				const state = await untilEnded(world, id);
				expect(state).toMatchObject({step: 'command', requested: false});
				expect(state).not.toMatchObject({status: 0});
				expect(String(await readAll(world.provider, id))).toMatch(place.outOfMemory ?? /command ended/);
			},
			['memory'],
		);

		behaves(
			'[15] reaches only the hosts that a task allows, through a proxy',
			async world => await checkAllowedHosts(world),
			['hosts'],
		);

		behaves(
			'lists its sandboxes with their organization, also those that have ended',
			async ({provider, shell}) => {
				const organization = randomUUID();
				const [runs, ended] = [await shell('exec sleep 1000', {organization}), await shell('true', {organization})];
				await eventually(async () => (await provider.inspect(ended)).kind === 'ended');
				const own = (await provider.list()).filter(each => each.organization === organization);
				expect(new Map(own.map(({id, hasEnded, isFull}) => [id, [hasEnded, isFull]]))).toEqual(
					new Map([
						[runs, [false, false]],
						[ended, [true, false]],
					]),
				);
			},
			['list'],
		);

		behaves(
			'is never called gone while its engine is away, and is the same when that is back',
			async world => {
				const {provider, shell, log, leave, comeBack} = world;
				const machine = await provider.machine();
				const id = await shell('n=0; while :; do n=$((n + 1)); echo "tick $n"; sleep 0.05; done');
				await eventually(async () => (await log(id)).includes('tick 3\n'));
				await leave?.();
				const away = {
					code: 'network',
					message: expect.stringMatching(/^(?:Docker’s API|Kubernetes) at .* doesn’t answer: .+\.$/),
				};
				const other = await world.another();
				await expect(other.provider.inspect(id)).rejects.toMatchObject(away);
				await expect(other.provider.machine()).rejects.toMatchObject(away);
				await expect(provider.end(id)).rejects.toMatchObject(away);
				await expect(provider.list()).rejects.toMatchObject(away);
				expect(await other.provider.unavailableReason()).toMatch(/doesn’t answer/);
				await comeBack?.();
				const later = await world.another();
				expect(await later.provider.machine()).toBe(machine);
				expect(await provider.inspect(id)).toEqual({kind: 'running'});
				await later.provider.end(id);
				const lines = String(await readAll(later.provider, id))
					.split('\n')
					.filter(line => line.startsWith('tick'));
				expect(lines).toEqual(lines.map((_, index) => `tick ${index + 1}`));
			},
			['away'],
		);

		behaves(
			'[15] never makes a path of an id that is not a UUID, nor writes files outside the workspace',
			async world => {
				const {provider, start} = world;
				await expect(provider.inspect('../../etc')).rejects.toThrow('not a UUID');
				await expect(start(['sh'], {workspace: '../x'})).rejects.toThrow('not a UUID');
				await expect(start(['sh'], {files: new Map([['../../evil', 'x']])})).rejects.toThrow('is outside its folder');
				const unknown = randomUUID();
				expect([await provider.readLog(unknown, {}), await provider.inspect(unknown)]).toEqual([
					undefined,
					{kind: 'gone'},
				]);
				await provider.end(unknown);
				await provider.remove(unknown);
			},
		);
	});
}

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

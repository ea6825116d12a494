import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {createServer} from 'node:https';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {logLimits, readContainerLog} from '../../../../src/server/sandboxes/docker/container-log.ts';
import {parseEngine} from '../../../../src/server/sandboxes/docker/engine-address.ts';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import {readFrames} from '../../../../src/server/sandboxes/docker/output-frames.ts';
import {createArchive, entriesFor, readArchive} from '../../../../src/server/sandboxes/docker/tar-archive.ts';
import {windowOf} from '../../../../src/server/sandboxes/log-window.ts';
import {selfSigned} from '../../../net/certificate.ts';
import {temporaryFolder} from '../sandbox.ts';
import {frame, version} from './stub-engine.ts';

test('an archive is what tar reads: folders, modes, owners, long names and contents of any length', async () => {
	const folder = await temporaryFolder();
	const long = `${'ä-folder/'.repeat(15)}name with blanks`;
	const files = new Map<string, string | Uint8Array>([
		['a.txt', 'a'],
		['deep/er/b.bin', Buffer.alloc(512, 7)],
		['deep/empty', ''],
		[long, 'long'],
	]);
	await writeFile(join(folder, 'a.tar'), createArchive(entriesFor(files, {folder: 'w', owner: 12_345})));
	const listed = execFileSync('tar', ['--numeric-owner', '-tvf', join(folder, 'a.tar')], {
		encoding: 'utf8',
		env: {LC_ALL: 'C.UTF-8'},
	});
	const shown = listed
		.trim()
		.split('\n')
		.map(line => line.split(/\s+/));
	expect(shown.slice(0, 3).map(([mode, owner, bytes, , , name]) => [mode, owner, bytes, name])).toEqual([
		['drwx------', '12345/12345', '0', 'w/'],
		['-rw-------', '12345/12345', '1', 'w/a.txt'],
		['drwx------', '12345/12345', '0', 'w/deep/'],
	]);
	mkdirSync(join(folder, 'out'));
	execFileSync('tar', ['--no-same-owner', '-C', join(folder, 'out'), '-xf', join(folder, 'a.tar')]);
	for (const [name, content] of files) {
		expect(readFileSync(join(folder, 'out/w', name))).toEqual(Buffer.from(content));
	}
});

test('the first file of an archive is read back, and no more of an archive that is cut or is none', () => {
	fc.assert(
		fc.property(fc.uint8Array({maxLength: 1500}), fc.nat(3000), (bytes, cut) => {
			const content = Buffer.from(bytes);
			const archive = createArchive([{path: 'notes', mode: 0o400, owner: 0, content}]);
			expect(readArchive(archive)).toEqual(content);
			expect([content.length, 0]).toContain(readArchive(archive.subarray(0, cut)).length);
			expect(readArchive(content).length).toBe(0);
		}),
		{numRuns: 50},
	);
});

const parts = fc.array(fc.string({unit: fc.constantFrom('a', 'ä', '€', '😀', '\n'), maxLength: 30}), {maxLength: 20});

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
	for (let at = 0; at < bytes.length; at += size) {
		yield bytes.subarray(at, at + size);
	}
}

test('a log in frames has the windows of the same log in a file, at every offset and in any pieces', async () => {
	await fc.assert(
		fc.asyncProperty(parts, fc.integer({min: 1, max: 40}), fc.option(fc.nat(400)), async (texts, size, offset) => {
			const after = offset ?? undefined;
			const whole = Buffer.from(texts.join(''));
			const framed = Buffer.concat(texts.map((text, index) => frame(text, 1 + (index % 2))));
			const {window, isFull} = await readContainerLog(readFrames(inPieces(framed, size)), after);
			const expected = await windowOf(
				{start: 0, end: whole.length},
				async (from, to) => whole.subarray(from, to),
				after,
			);
			expect([{...window, bytes: undefined}, isFull]).toEqual([{...expected, bytes: undefined}, false]);
		}),
		{numRuns: 50},
	);
});

test('a log longer than may be ends with a line that says so, always at the same offset', async () => {
	const flood = Buffer.alloc(3_000_000, 'flooding\n');
	const limit = 2 * 1024 ** 2;
	const ends = [undefined, 0, limit - 5, limit, limit + 10].map(async after => {
		const {window, isFull} = await readContainerLog(inPieces(flood, 65_521), after, {...logLimits, bytes: limit});
		return after === 0 ? window.offset : [window.offset, isFull, window.text.slice(-61)];
	});
	const last = '[server] its log is longer than 2 MB, so the sandbox was ended\n'.slice(-61);
	const end = limit + 64;
	expect(await Promise.all(ends)).toEqual([
		[end, true, last],
		256 * 1024,
		[end, true, last],
		[end, true, last],
		[end, true, last.slice(-54)],
	]);
	expect(logLimits.bytes).toBe(268_435_456);
});

test.each([
	['docker', {}, {kind: 'unix', path: '/var/run/docker.sock'}],
	['docker', {DOCKER_HOST: 'unix:///run/user/1000/docker.sock'}, {kind: 'unix', path: '/run/user/1000/docker.sock'}],
	['docker=unix:///run/podman/podman.sock', {}, {kind: 'unix', path: '/run/podman/podman.sock'}],
	['docker=tcp://127.0.0.1:2375', {}, {kind: 'tcp', host: '127.0.0.1:2375'}],
	['docker=ssh://ada@far.example', {}, {kind: 'ssh', destination: 'ada@far.example'}],
	['docker=ssh://far.example:2222', {}, {kind: 'ssh', destination: 'far.example', port: '2222'}],
])('the engine %s is where it says, and %j says the rest', (text, env, address) => {
	expect(parseEngine(text, env)).toEqual(address);
});

test.each([
	...[
		'podman',
		'docker=',
		'docker=/run/docker.sock',
		'docker=unix://run/docker.sock',
		'docker=tcp://127.0.0.1',
		'dockers',
	],
	...[
		'docker=http://127.0.0.1:2375',
		'docker=ssh://-oProxyCommand=x',
		'docker=ssh://-o@far.example',
		'docker=ssh://a%20b@far.example',
	],
	...['docker=tcp://user@127.0.0.1:2375', 'docker=tcp://127.0.0.1:2375/path'],
])('%s is no engine', text => {
	expect(() => parseEngine(text, {})).toThrow(/^Invalid engine “/);
});

test('[9] an engine on another machine needs a certificate, which is read from DOCKER_CERT_PATH', async () => {
	const text = 'docker=tcp://engine.example:2376';
	expect(() => parseEngine(text, {})).toThrow(
		'Plain HTTP to engine.example:2376 would give anyone on the network control',
	);
	const folder = await temporaryFolder();
	const env = {DOCKER_CERT_PATH: folder};
	expect(() => parseEngine(text, env)).toThrow('ca.pem');
	const {key, cert} = selfSigned('engine.example');
	for (const [name, content] of Object.entries({ca: cert, cert, key})) {
		await writeFile(join(folder, `${name}.pem`), content);
	}

	expect(parseEngine(text, env)).toEqual({kind: 'tcp', host: 'engine.example:2376', tls: {ca: cert, cert, key}});
});

test('[9] over TCP, both sides prove who they are: an engine knows its clients by their certificate', async () => {
	const {key, cert} = selfSigned('localhost');
	const secure = {key, cert, ca: cert, requestCert: true, rejectUnauthorized: true};
	const engine = createServer(secure, (_, response) => response.end(JSON.stringify(version)));
	await new Promise<void>(resolve => engine.listen(0, '127.0.0.1', resolve));
	const address = engine.address();
	const host = `localhost:${typeof address === 'object' && address ? address.port : 0}`;
	const ask = async (tls: {readonly ca: string; readonly cert: string; readonly key: string}) => {
		const client = createEngineClient({address: {kind: 'tcp', host, tls}, env: {}});
		onTestFinished(() => client.close());
		return await client.version();
	};
	onTestFinished(() => void engine.close());
	expect(await ask({ca: cert, cert, key})).toMatchObject({name: 'Docker', version: '27.3.1'});
	const stranger = selfSigned('localhost');
	const refused = {code: 'network', message: expect.stringContaining(`Docker’s API at tcp://${host} doesn’t answer: `)};
	await expect(ask({...stranger, ca: cert})).rejects.toMatchObject(refused);
	await expect(ask({cert, key, ca: stranger.cert})).rejects.toMatchObject(refused);
});

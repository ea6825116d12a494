import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createSeal, createSealKey} from '../../src/server/accounts/seal.ts';
import {applySeal} from '../../src/server/accounts/seal-key.ts';
import {openDatabase} from '../../src/server/database/open.ts';
import {openSqlite} from '../../src/server/database/sqlite.ts';
import {freePort} from '../free-port.ts';
import {startProvider} from '../server/accounts/openid-provider.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {testContext} from './context.ts';

type Checked = {
	readonly ok: boolean;
	readonly checks: readonly {
		readonly name: string;
		readonly state: string;
		readonly finding: string;
		readonly fix: string | null;
	}[];
};

/** Runs `serve check`, and returns what it found, by name, with what a shell ends with. */
async function check(home: ReturnType<typeof testContext>, ...words: readonly string[]) {
	const result = await home.run('serve', 'check', ...words);
	if (result.kind !== 'group') {
		throw new Error('No group.');
	}

	const data = result.data as Checked;
	const of = (name: string) => data.checks.filter(each => each.name === name);
	return {data, of, failure: result.failure};
}

/** Returns the names, times and contents of all files of a folder. */
function stateOf(folder: string): string {
	const hash = createHash('sha256');
	for (const name of readdirSync(folder, {recursive: true, encoding: 'utf8'}).toSorted()) {
		const path = join(folder, name);
		const stats = statSync(path);
		hash.update(`${name} ${stats.mode} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(path, 'base64') : ''}\n`);
	}

	return hash.digest('hex');
}

test('a configuration that starts is good, before the first start and after it, and nothing is changed', async () => {
	const home = testContext();
	const port = String(await freePort());
	const before = stateOf(home.home);
	const first = await check(home, '--port', port, '--metrics', `127.0.0.1:${await freePort()}`);
	expect([first.data.ok, first.failure]).toEqual([true, undefined]);
	expect(first.of('database')[0]?.finding).toMatch(/service\.db will be created\.$/);
	expect(first.of('port')[0]?.finding).toBe(`127.0.0.1:${port} is free.`);
	expect(stateOf(home.home)).toBe(before);
	await home.run('serve', 'init');
	const made = stateOf(home.home);
	const second = await check(home, '--port', port);
	expect(second.data.ok).toBe(true);
	expect(second.of('database').map(({finding}) => finding)).toContain('The schema is up to date.');
	expect(stateOf(home.home)).toBe(made);
});

test('a database that was sealed with another key is a fault, and so is a key that is none', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	const folder = join(home.home, 'server');
	const database = await openDatabase({engine: 'sqlite', file: join(folder, 'service.db')});
	onTestFinished(() => database.destroy());
	const key = createSealKey();
	await applySeal(database, createSeal(key));
	const words = ['--port', String(await freePort())];
	const fault = {state: 'fault', finding: 'The secrets in this database were sealed with another key.'};
	expect((await check(home, ...words)).of('database')).toMatchObject([fault]);
	writeFileSync(join(folder, 'seal.key'), createSealKey().toString('base64url'), {mode: 0o600});
	const other = await check(home, ...words);
	expect([other.of('database'), other.data.ok]).toMatchObject([[fault], false]);
	writeFileSync(join(folder, 'seal.key'), 'no key');
	expect((await check(home, ...words)).of('seal key')[0]).toMatchObject({
		state: 'fault',
		finding: expect.stringContaining('must be a key of 32 bytes'),
	});
	writeFileSync(join(folder, 'seal.key'), key.toString('base64url'));
	expect((await check(home, ...words)).data.ok).toBe(true);
});

test('each fault is named with what to do, and the status is that of the first', async () => {
	const home = testContext();
	const other = createServer((_, outgoing) => outgoing.end('hello')).listen(0, '127.0.0.1');
	await once(other, 'listening');
	onTestFinished(() => void other.close());
	const taken = String((other.address() as AddressInfo).port);
	const data = join(home.home, 'other');
	mkdirSync(data);
	writeFileSync(join(data, 'letter.txt'), 'mine');
	const found = await check(
		home,
		...['--data', data, '--port', taken, '--database', 'postgres://127.0.0.1:1/name'],
		...['--engine', 'docker=tcp://127.0.0.1:1', '--artifacts', 's3://bucket', '--metrics', '8.8.8.8:1'],
		...['--public-url', 'https://nowhere.invalid'],
	);
	const faults = found.data.checks.filter(({state}) => state === 'fault');
	expect(faults.map(({name}) => name)).toEqual([
		'data folder',
		'database',
		'bucket',
		'engine',
		'port',
		'metrics',
		'public URL',
	]);
	expect(faults.every(({fix}) => fix)).toBe(true);
	expect(found.failure).toEqual({
		code: 'usage',
		message:
			'A server would not start like this. Check: data folder, database, bucket, engine, port, metrics, and public URL.',
	});
});

test('an OpenID provider is asked, with the secret from a file, and the address to register there is told', async () => {
	const {issuer} = await startProvider();
	const home = testContext();
	const file = join(home.home, 'oidc-secret');
	writeFileSync(file, 'a secret\n');
	const env = {SERVICE_SERVE_OIDC_CLIENT_SECRET_FILE: file, SERVICE_SERVE_OIDC_CLIENT_ID: 'service'};
	const server = testContext({env: {SERVICE_HOME: home.home, ...env}});
	const flags = ['--port', String(await freePort()), '--public-url', 'http://localhost:8700/agents', '--oidc-issuer'];
	expect((await check(server, ...flags, issuer)).of('login')).toMatchObject([
		{
			state: 'good',
			finding: `${issuer} answers. Its redirect URI for this server must be http://localhost:8700/agents/sign-in/oidc/callback`,
		},
	]);
	expect((await check(server, ...flags, `${issuer}/other`)).of('login')).toMatchObject([{state: 'fault'}]);
	expect((await check(server, ...flags, 'ftp://x')).of('login')).toMatchObject([
		{state: 'fault', finding: '--oidc-issuer “ftp://x” must be an https URL.'},
	]);
});

test('a database of a newer version, a damaged one and one that may only be read are faults', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	const file = join(home.home, 'server', 'service.db');
	const port = String(await freePort());
	const database = openSqlite(file);
	database.prepare("insert into migrations (name, applied_at) values ('999-future', '')").run([]);
	database.close();
	const newer = await check(home, '--port', port);
	expect([newer.failure?.code, newer.of('database')[0]]).toMatchObject([
		'upgrade',
		{state: 'fault', finding: 'A newer version of service has changed this database.'},
	]);
	writeFileSync(file, 'no database at all, but long enough to be looked at as one');
	expect((await check(home, '--port', port)).of('database')[0]).toMatchObject({
		state: 'fault',
		finding: expect.stringContaining('file is not a database'),
	});
	chmodSync(file, 0o400);
	onTestFinished(() => chmodSync(file, 0o600));
	if (process.getuid?.() !== 0) {
		expect((await check(home, '--port', port)).of('database')[0]?.finding).toBe(`${file} accepts no writes.`);
	}
});

test('a server that runs already is no fault', async () => {
	const home = testContext();
	const abort = new AbortController();
	const running = await testContext({like: home, signal: abort.signal}).run('serve', '--port', '0');
	if (running.kind !== 'running') {
		throw new Error('It does not run.');
	}

	onTestFinished(async () => {
		abort.abort();
		await running.ended;
	});
	const {port} = new URL(JSON.parse(JSON.stringify(running.data)).url);
	const found = await check(home, '--port', port);
	expect([found.data.ok, found.of('port')[0]?.finding]).toEqual([true, `A server already runs on 127.0.0.1:${port}.`]);
});

test('a wrong configuration is an error of usage before anything is checked', async () => {
	const path = join(temporaryFolder(), 'serve.yaml');
	writeFileSync(path, 'metrics-port: 9464\n');
	await expect(testContext().run('serve', 'check', '--config', path)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringContaining('line 1: Unknown key “metrics-port”.'),
	});
});

test.each([
	['database', '--pool', '3'],
	['retention', '--retention', 'soon'],
	['hosting', '--host-users', 'ada@acme.example'],
])('%s: flags that a start refuses before it listens are a fault: %s %s', async (name, ...flags) => {
	const home = testContext();
	const started = await home.run('serve', 'start', '--port', '0', ...flags).catch((error: unknown) => error);
	const {data, of, failure} = await check(home, '--port', '0', ...flags);
	expect(data.ok).toBe(false);
	expect(of(name)).toEqual([
		expect.objectContaining({state: 'fault', finding: String(Reflect.get(Object(started), 'message'))}),
	]);
	expect(failure?.code).toBe('usage');
});

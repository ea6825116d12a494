import {execFileSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {sql} from 'kysely';
import pg from 'pg';
import {describe, expect, onTestFinished, test} from 'vitest';
import serveNoun from '../../../commands/serve.ts';
import {fieldsOf, flagOf} from '../../../src/command/arguments.ts';
import {variableOf} from '../../../src/command/configured.ts';
import type {Command, Noun} from '../../../src/command/context.ts';
import {AppError} from '../../../src/core/error.ts';
import type {DatabaseLocation} from '../../../src/server/database/location.ts';
import {databaseOn, plannedMigrations} from '../../../src/server/database/open.ts';
import {openPostgres} from '../../../src/server/database/postgres.ts';
import {openSqlite} from '../../../src/server/database/sqlite.ts';
import {testContext} from '../../commands/context.ts';
import {folderWith, runProgram, startProgram} from '../../e2e/program.ts';
import {createRandom, drawnSeed} from '../../faults/fault.ts';
import {freePort} from '../../free-port.ts';
import {createPostgres, postgresUrl} from '../../postgres.ts';
import {canMount, notRoot, smallDisk} from '../../small-disk.ts';
import {administer} from '../database/administer.ts';
import {emptyFile} from '../database/empty-file.ts';
import {engine} from '../database/engine.ts';
import {parseExposition} from '../metrics/exposition.ts';

const fields = fieldsOf(((serveNoun as Noun).verbs.find(({name}) => name === 'start') as Command).args).filter(
	({name}) => !['config', 'folder'].includes(name),
);

/** Values that a flag doesn't take, besides a blank one. A flag that isn't here takes every text. */
const wrongValues: Readonly<Record<string, readonly string[]>> = {
	...Object.fromEntries(
		['port', 'storageLimit', 'keepAlive', 'drain', 'pool', 'sandboxes', 'sandboxMemory'].map(name => [
			name,
			['many', '-1', '1e99', 'NaN', '7 s', '1,5', '[1, 2]', 'Infinity'],
		]),
	),
	host: ['two words', 'http://host', 'user@host', 'host:80', 'a/b', '[::1'],
	database: ['mysql://host/name', 'host', 'postgres://', 'file:///tmp/a'],
	artifacts: ['s3://', 'bucket', 'https://bucket'],
	retention: ['0', '00', '-1', '1.5', 'spans=0', 'spans=', 'spam=9', '90,90', '90 days', '1e2', '9999999'],
	publicUrl: ['two words', 'ftp://host', 'https://user:secret@host', '//', 'https://'],
	address: ['two words', 'ftp://host', 'https://user:secret@host', 'http://:80'],
	serviceDomain: ['-a', 'UPPER.example', 'a/b', 'https://a', 'a:b'],
	metrics: ['8.8.8.8:9464', '[2001:4860:4860::8888]:1', '9464', ':9464', '127.0.0.1', '127.0.0.1:99999', 'a b:1'],
	engine: ['podman', 'docker=', 'docker=ftp://host', 'kubernetes=/', 'local=1'],
	openNetwork: ['nonsense', '10.0.0.0/99', '10.0.0.0'],
	minClient: ['latest', '1.2.3.4', 'v1'],
	oidcIssuer: ['https://sso.example.com'],
	oidcClientId: ['client'],
	oidcClientSecret: ['secret'],
	oidcDomains: ['acme.example'],
	oidcOrganization: ['acme'],
	oidcRole: ['owner', 'Admin'],
	hostUsers: ['all'],
	logLevel: ['loud', 'Warn'],
	image: ['image'],
	runtime: ['runsc'],
};

/** What a user gets to read. */
const refusalOf = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
	const error = await testContext({env})
		.run('serve', '--port', '0', ...words)
		.then(
			() => undefined,
			(thrown: unknown) => thrown,
		);
	return error instanceof AppError ? {code: error.code, text: `${error.message} ${error.hint ?? ''}`} : error;
};

describe.runIf(engine === 'sqlite')('a configuration', () => {
	test(`a wrong value is refused with the name of its flag, variable or key (seed ${drawnSeed})`, async () => {
		const random = createRandom(drawnSeed);
		const others = fields.filter(({name, type}) => name !== 'port' && (type === 'boolean' || wrongValues[name]));
		const texts = fields.filter(({type, name}) => type === 'string' && !wrongValues[name]).map(({name}) => name);
		expect(texts).toEqual(['data']);
		for (let count = 0; count < 150; count++) {
			const {name, type} = random.pick(count < others.length ? [others[count] ?? random.pick(others)] : others);
			const flag = `--${flagOf(name)}`;
			const isBlank = random.below(5) === 0;
			const value = isBlank
				? random.pick([' ', '\t'])
				: type === 'boolean'
					? random.pick(['perhaps', '2', 'nay'])
					: random.pick(wrongValues[name] ?? []);
			const path = join(folderWith(), 'serve.yaml');
			writeFileSync(path, `# ours\n${flagOf(name)}: ${JSON.stringify(value)}\n`);
			const variable = `SERVICE_SERVE_${variableOf(name)}`;
			const ways = [
				{words: [], env: {[variable]: value}, source: variable},
				{words: ['--config', path], env: {}, source: `“${flagOf(name)}” in line 2 of ${path}`},
				...(type === 'boolean' ? [] : [{words: [`${flag}=${value}`], env: {}, source: flag}]),
			];
			const {words, env, source} = random.pick(ways);
			const refusal = await refusalOf(words, env);
			expect([flag, value, refusal]).toEqual([flag, value, {code: 'usage', text: expect.stringContaining(source)}]);
		}
	});

	test(`a misspelt key or variable is refused with the one that was meant (seed ${drawnSeed})`, async () => {
		const random = createRandom(drawnSeed);
		const known = new Set(fields.map(({name}) => flagOf(name)));
		for (let count = 0; count < 60; count++) {
			const right = flagOf(random.pick(fields).name);
			const at = random.below(right.length);
			const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz']);
			const wrong = random.pick([
				`${right.slice(0, at)}${right.slice(at + 1)}`,
				`${right.slice(0, at)}${letter}${right.slice(at)}`,
				`${right.slice(0, at)}${letter}${right.slice(at + 1)}`,
			]);
			if (known.has(wrong) || wrong === 'config' || wrong.startsWith('-') || wrong === 'help') {
				continue;
			}

			const path = join(folderWith(), 'serve.yaml');
			writeFileSync(path, `${wrong}: 1\n`);
			const upper = wrong.replaceAll('-', '_').toUpperCase();
			const key = await refusalOf(['--config', path]);
			expect([wrong, key]).toEqual([
				wrong,
				{code: 'usage', text: expect.stringMatching(/^\S+, line 1: Unknown key “.+”\. Did you mean “.+”\? /)},
			]);
			for (const variable of [`SERVICE_SERVE_${upper}`, `SERVICE_SERVE_${upper}_FILE`]) {
				expect([variable, await refusalOf([], {[variable]: '1'})]).toEqual([
					variable,
					{code: 'usage', text: expect.stringMatching(/^Unknown variable \w+\. Did you mean SERVICE_SERVE_\w+\? /)},
				]);
			}
		}
	});

	test('a flag twice is refused, whichever it is', async () => {
		for (const {name, type} of fields) {
			const flag = `--${flagOf(name)}`;
			const words = type === 'boolean' ? [flag, flag] : [`${flag}=1`, `${flag}=2`];
			const times = name === 'port' ? 3 : 2;
			expect(await refusalOf(words)).toEqual({
				code: 'usage',
				text: expect.stringContaining(`${flag} is given ${times} times.`),
			});
		}
	});

	test('an empty name of the file is refused, as that of any other flag', async () => {
		for (const words of [['--config='], ['--config', ' ']]) {
			expect(await refusalOf(words)).toEqual({code: 'usage', text: expect.stringContaining('--config is empty.')});
		}
	});

	test('a value of the file is read as it is written there', async () => {
		const path = join(folderWith(), 'serve.yaml');
		// As a number it would be 1.1.
		writeFileSync(path, 'min-client: 1.10\nport: 0\n');
		const {value} = await readLine(path);
		expect(value).toContain('SERVICE_SERVE_MIN_CLIENT=1.10');
	});

	test.each<[string, Readonly<Record<string, string>>, string]>([
		['prot: 8700', {}, 'line 1: Unknown key “prot”. Did you mean “port”?'],
		['port: many', {}, '“port” in line 1 of'],
		['retention: 0', {}, '--retention of 0 days would delete everything at once.'],
		['metrics: 8.8.8.8:9464', {}, '--metrics 8.8.8.8:9464 is a public address'],
		['', {SERVICE_SERVE_PROT: '1'}, 'Unknown variable SERVICE_SERVE_PROT. Did you mean SERVICE_SERVE_PORT?'],
	])('the built program refuses “%s” and %j', async (yaml, env, text) => {
		const folder = folderWith({'serve.yaml': `${yaml}\n`});
		const ended = await runProgram(['serve', '--config', 'serve.yaml'], {folder, env});
		expect([ended.status, ended.stdout]).toEqual([2, '']);
		expect(ended.stderr).toContain(text);
	});

	test.each([
		['gone.yaml', 'no such file or folder'],
		['.', 'it is a folder'],
	])('the built program can’t read “%s”, and says why', async (config, why) => {
		const ended = await runProgram(['serve', '--config', config]);
		expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining(`Cannot read ${config}: ${why}.`)]);
	});
});

/** Returns what the unit of systemd for a configuration says. */
async function readLine(path: string) {
	const result = await testContext().run('serve', 'deploy', 'systemd', '--config', path);
	return {value: result.kind === 'lines' ? result.lines.join('\n') : ''};
}

/** What a migration did, undone: the indexes of lists. */
const withoutListIndexes = [
	...['sessions_by_workspace_reader', 'sessions_by_project_reader', 'runtimes_by_workspace_creation'],
	...['runtimes_by_project_creation', 'assessments_by_creation', 'spans_by_workspace'],
]
	.map(name => `drop index ${name}`)
	.concat(
		'create index sessions_by_workspace on sessions (workspace_id)',
		'create index sessions_by_project on sessions (project_id)',
		'create index runtimes_by_project on runtimes (project_id)',
		'create index assessments_by_workspace on assessments (workspace_id)',
		"delete from migrations where name = '037-list-indexes'",
	);

const wordsFor = (place: DatabaseLocation, data: string) =>
	place.engine === 'postgres' ? ['--data', data, '--database', place.url] : ['--data', data];

/** Runs statements on a database as it is. */
async function change(place: DatabaseLocation, statements: readonly string[]): Promise<void> {
	const database = await databaseOn(
		place.engine === 'postgres'
			? {engine: 'postgres', pool: openPostgres(place, () => undefined)}
			: {engine: 'sqlite', database: openSqlite(place.file)},
	);
	try {
		for (const statement of statements) {
			await sql.raw(statement).execute(database);
		}
	} finally {
		await database.destroy();
	}
}

/** Returns an empty place of this engine, and the data folder of its server. */
async function emptyServer(parent?: string): Promise<{place: DatabaseLocation; data: string}> {
	const data = join(parent ?? folderWith(), 'data');
	return engine === 'postgres'
		? {place: await emptyFile(), data}
		: {place: {engine: 'sqlite', file: join(data, 'service.db')}, data};
}

/** Creates the first organization, and returns its key. */
async function initialize(place: DatabaseLocation, data: string): Promise<string> {
	const {status, stdout, stderr} = await runProgram(['serve', 'init', '--json', ...wordsFor(place, data)]);
	expect([status, stderr]).toEqual([0, '']);
	return JSON.parse(stdout).api_key;
}

/** Starts the built server, and returns its address once it listens. */
async function startServing(place: DatabaseLocation, data: string, ...words: readonly string[]) {
	const running = startProgram(['serve', '--port', '0', '--json', ...words, ...wordsFor(place, data)]);
	const ended = running.ended.then(({status, stderr}) => {
		throw new Error(`It ended with ${status}: ${stderr}`);
	});
	ended.catch(() => undefined);
	const listens = expect.poll(() => running.written()).toMatch(/"url"/);
	await Promise.race([listens, ended]);
	const {url} = JSON.parse(running.written().split('\n')[0] ?? '');
	const end = async () => {
		running.child.kill('SIGTERM');
		return await running.ended;
	};
	return {...running, url: String(url), end};
}

const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status;

/** Expects that a server starts on a database, is ready, and knows a key. */
async function expectServes(place: DatabaseLocation, data: string, key: string): Promise<void> {
	const {url, end} = await startServing(place, data);
	expect(await readiness(url)).toBe(200);
	const answer = await fetch(`${url}/api/v1/user/preferences`, {headers: {authorization: `Bearer ${key}`}});
	expect(answer.status).toBe(200);
	await end();
}

/** Locks the table of spans, or all of SQLite, until the returned function is called. */
async function holdSpans(place: DatabaseLocation): Promise<() => Promise<void>> {
	if (place.engine === 'postgres') {
		const client = new pg.Client({connectionString: place.url});
		await client.connect();
		// As a push of spans does.
		await client.query('begin; lock table spans in row exclusive mode');
		return () => client.end();
	}

	const connection = openSqlite(place.file);
	connection.prepare('begin').run([]);
	return async () => {
		connection.prepare('rollback').run([]);
		connection.close();
	};
}

describe('a database', () => {
	test('of a newer version is refused by each command, unchanged, and serves again once it is as it was', async () => {
		const {place, data} = await emptyServer();
		const key = await initialize(place, data);
		await change(place, ["insert into migrations (name, applied_at) values ('999-later', '2030-01-01')"]);
		for (const words of [[], ['migrate'], ['migrate', '--dry-run'], ['credits'], ['init', '--org', 'x']]) {
			const {status, stderr} = await runProgram(['serve', ...words, ...wordsFor(place, data)]);
			expect([words, status, stderr]).toEqual([
				words,
				9,
				expect.stringContaining('A newer version of service has changed this database.\n  Install that version'),
			]);
		}

		await change(place, ["delete from migrations where name = '999-later'"]);
		await expectServes(place, data, key);
	});

	test('whose migration was killed half-way is upgraded by the next start', async () => {
		const {place, data} = await emptyServer();
		const key = await initialize(place, data);
		await change(place, withoutListIndexes);
		// It has created some of its indexes, and waits for the table of a later one.
		const release = await holdSpans(place);
		const migrating = startProgram(['serve', 'migrate', ...wordsFor(place, data)]);
		const waits = engine === 'postgres' ? /Running 037-list-indexes/ : /still working/;
		await expect.poll(() => migrating.said()).toMatch(waits);
		migrating.child.kill('SIGKILL');
		await migrating.ended;
		await release();
		expect((await plannedMigrations(place)).map(({name}) => name)).toEqual(['037-list-indexes']);
		await expectServes(place, data, key);
		expect(await plannedMigrations(place)).toEqual([]);
	});

	test.skipIf(!canMount)(
		`whose disk is full during a migration loses nothing, and is upgraded once there is space${notRoot}`,
		async () => {
			const disk = await smallDisk(300);
			const {place, data} = await emptyServer(engine === 'sqlite' ? disk.root : undefined);
			if (place.engine === 'postgres') {
				await moveToDisk(place, disk.root);
			}

			const key = await initialize(place, data);
			await change(place, withoutListIndexes);
			disk.fill();
			for (const words of [['migrate'], []]) {
				const running = startProgram(
					['serve', ...words, '--port=0']
						.filter(word => words.length === 0 || word !== '--port=0')
						.concat(wordsFor(place, data)),
				);
				// A server waits for a database that may have space again.
				const waits = words.length === 0 && engine === 'postgres';
				if (waits) {
					await expect.poll(() => running.said()).toContain('Waiting for it.');
					running.child.kill('SIGTERM');
				}

				const {status, stderr} = await running.ended;
				expect([words, status, stderr]).toEqual([
					words,
					waits ? 130 : engine === 'postgres' ? 6 : 1,
					expect.stringMatching(/cannot be used: .*(?:No space left on device|disk is full|disk I\/O error)/),
				]);
				expect(stderr).not.toContain('inside service');
			}

			disk.free();
			const {status, stdout} = await runProgram(['serve', 'migrate', ...wordsFor(place, data)]);
			expect([status, stdout]).toEqual([0, 'The database is up to date now.\n']);
			await expectServes(place, data, key);
		},
	);
});

/** Lets what a database creates from now on be on a disk. */
async function moveToDisk(place: DatabaseLocation & {engine: 'postgres'}, root: string): Promise<void> {
	const folder = join(root, 'tablespace');
	mkdirSync(folder);
	const [uid, gid] = ['-u', '-g'].map(flag => Number(execFileSync('id', [flag, 'postgres'], {encoding: 'utf8'})));
	chownSync(folder, uid ?? 0, gid ?? 0);
	chmodSync(root, 0o755);
	const database = new URL(place.url).pathname.slice(1);
	const space = `disk_${database}`;
	await administer(`create tablespace ${space} location '${folder}'`);
	await administer(`alter database ${database} set default_tablespace = ${space}`);
	onTestFinished(async () => {
		await administer(`alter database ${database} reset default_tablespace`);
		await change(place, ['drop schema public cascade', 'create schema public']);
		await administer(`drop tablespace ${space}`);
	});
}

/** Returns a place whose database can be taken away and brought back. */
async function removablePlace() {
	if (engine === 'sqlite') {
		const {place, data} = await emptyServer();
		const file = join(data, 'service.db');
		return {
			place,
			data,
			remove: async () => renameSync(file, `${file}.away`),
			bringBack: async () => renameSync(`${file}.away`, file),
		};
	}

	const postgres = await createPostgres();
	if (!postgres) {
		throw new Error('PostgreSQL is missing.');
	}

	onTestFinished(async () => {
		await postgres.end('SIGINT');
		postgres.remove();
	});
	await postgres.start();
	const place = {engine, url: postgresUrl(postgres.folder, 'postgres')} as const;
	return {
		place,
		data: join(folderWith(), 'data'),
		// As a crash does.
		remove: () => postgres.end('SIGQUIT'),
		bringBack: () => postgres.start(),
	};
}

test('a database that goes away and comes back loses nothing that was confirmed, and is reported everywhere meanwhile', async () => {
	const {place, data, remove, bringBack} = await removablePlace();
	const key = await initialize(place, data);
	const metricsPort = await freePort();
	const words = ['--metrics', `127.0.0.1:${metricsPort}`, '--log-level', 'info', '--drain', '2'];
	const {url, child, ended} = await startServing(place, data, ...words);
	const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
	const confirmed: string[] = ['serve init'];
	const create = async (name: string) => {
		const answer = await fetch(`${url}/api/v1/user/api-keys`, {method: 'POST', headers, body: JSON.stringify({name})});
		if (answer.ok) {
			confirmed.push(name);
		}

		return answer.status;
	};
	const up = async () => {
		const families = parseExposition(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
		return families.get('service_database_up')?.samples[0]?.value;
	};
	expect([await create('before'), await readiness(url), await up()]).toEqual([200, 200, 1]);
	await remove();
	expect([await create('meanwhile'), await readiness(url)]).toEqual([502, 503]);
	expect((await fetch(`${url}/healthz`)).status).toBe(200);
	// A file that was moved away can still be read.
	expect(await up()).toBe(engine === 'postgres' ? 0 : 1);
	await bringBack();
	await expect.poll(() => readiness(url)).toBe(200);
	expect([await create('afterwards'), await up()]).toEqual([200, 1]);

	// It drains while the body of a request still comes.
	let sendRest = () => {};
	const rest = new Promise<void>(resolve => {
		sendRest = resolve;
	});
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			controller.enqueue(Buffer.from('{"name": '));
			await rest;
			controller.enqueue(Buffer.from('"streamed"}'));
			controller.close();
		},
	});
	const streamed = fetch(`${url}/api/v1/user/api-keys`, {
		method: 'POST',
		headers,
		body,
		duplex: 'half',
	} as RequestInit);
	child.kill('SIGTERM');
	await expect.poll(() => readiness(url)).toBe(503);
	sendRest();
	expect((await streamed).status).toBe(200);
	confirmed.push('streamed');
	const {stderr} = await ended;
	for (const line of stderr.trim().split('\n')) {
		const entry = JSON.parse(line);
		expect('notice' in entry || [typeof entry.ts, typeof entry.level, typeof entry.msg]).toEqual(
			'notice' in entry || ['string', 'string', 'string'],
		);
	}

	const next = await startServing(place, data);
	const listed = await (await fetch(`${next.url}/api/v1/user/api-keys`, {headers})).json();
	expect(listed.map(({name}: {readonly name: string}) => name).toSorted()).toEqual(confirmed.toSorted());
	await next.end();
});

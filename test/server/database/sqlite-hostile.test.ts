import {randomBytes} from 'node:crypto';
import {mkdtemp, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Kysely, sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {isDatabaseFault} from '../../../src/server/database/fault.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {folderWith} from '../../e2e/program.ts';
import {canMount, notRoot, smallDisk} from '../../small-disk.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer} from '../harness.ts';
import {toRequest, tracesPath} from '../ingest/push.ts';
import {fullDisk, lost} from './ask-all.ts';
import {emptyDatabase} from './engine.ts';

const locked = {
	code: 429,
	type: 'database_error',
	detail:
		'Another change takes too long, and this one would have to wait for it. Nothing was changed. Try again in 2 s.',
};

const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'owner@acme.example'};

test('a full disk rejects a write as a whole, and accepts it once there is space', async () => {
	const server = await createTestServer();
	const spans = Array.from({length: 300}, (_, index) => ({
		id: `${index + 1}`,
		attributes: {'gen_ai.conversation.id': 'long', 'gen_ai.input.messages': 'x'.repeat(1000)},
	}));
	const send = () => server.send(tracesPath, {method: 'POST', body: toRequest(spans)});
	const push = async () => (await send()).json;
	// Earlier tests may have left free pages.
	await sql`vacuum`.execute(server.database);
	const {rows} = await sql<{page_count: number}>`pragma page_count`.execute(server.database);
	await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 20)}`.execute(server.database);
	const before = await contentsOf(server.database);
	expect([await push(), await contentsOf(server.database)]).toEqual([fullDisk, before]);
	expect((await send()).headers.get('retry-after')).toBe('30');
	// A statement that returns what it wrote reports it in another way.
	const large = {key: 'x'.repeat(1_000_000), count: 1, resets_at: ''};
	const insert = server.database.insertInto('attempts').values(large).returning('key').execute();
	expect(isDatabaseFault(await insert.catch((error: unknown) => error))).toBe(true);
	await sql`pragma max_page_count = 100000`.execute(server.database);
	expect(await push()).toEqual({});
	expect((await contentsOf(server.database))['spans']).toHaveLength(300);
});

test.skipIf(!canMount)(
	`while the disk of the file refuses writes, /readyz says so without writing, and no longer once one succeeded${notRoot}`,
	async () => {
		const {root, fill, free} = await smallDisk(16);
		const server = await startServer({
			location: {engine: 'sqlite', file: join(root, 'service.db')},
			folder: folderWith(),
			environment: {},
		});
		onTestFinished(() => server.close());
		const {apiKey} = await initialize(server.services, beginning);
		const push = async () => {
			const headers = {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'};
			const spans = Array.from({length: 300}, (_, index) => ({
				id: `${index + 1}`,
				trace: randomBytes(16).toString('hex'),
				attributes: {'gen_ai.conversation.id': 'long', 'some.text': randomBytes(800).toString('base64')},
			}));
			const sent = {method: 'POST', headers, body: JSON.stringify(toRequest(spans))};
			return (await fetch(`${server.url}${tracesPath}`, sent)).status;
		};
		const ready = async () => {
			const response = await fetch(`${server.url}/readyz`);
			return [response.status, ((await response.json()) as {database: string}).database];
		};
		expect([await push(), await ready()]).toEqual([200, [200, 'ok']]);
		fill();
		const statuses = [await push()];
		while (statuses.at(-1) === 200 && statuses.length < 50) {
			statuses.push(await push());
		}

		const refused = [503, expect.stringMatching(/^The disk of the database refuses writes: it is full, or it fails\./)];
		expect([statuses.at(-1), await ready(), await ready()]).toEqual([503, refused, refused]);
		expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
		free();
		expect([await ready(), await push()]).toEqual([refused, 200]);
		// What the server itself wrote meanwhile may have been refused, too, until it does so again.
		await expect.poll(ready).toEqual([200, 'ok']);
	},
);

test('if SQLite rolls back by itself, the original error is reported', async () => {
	const database = await emptyDatabase();
	const row = {key: 'a', count: 1, resets_at: ''};
	const failing = database.transaction().execute(async transaction => {
		await transaction.insertInto('attempts').values(row).execute();
		// As it does by itself if a disk is full or fails.
		await sql`insert or rollback into attempts (key, count, resets_at) values ('a', 1, '')`.execute(transaction);
	});
	await expect(failing).rejects.toThrow('UNIQUE constraint failed: attempts.key');
	await database.transaction().execute(transaction => transaction.insertInto('attempts').values(row).execute());
	expect(await database.selectFrom('attempts').selectAll().execute()).toEqual([row]);
});

test('a file that is not a database is left unchanged', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const file = join(folder, 'letter.txt');
	await writeFile(file, 'Dear Ada, this is no database at all, however one reads it.'.repeat(100));
	await expect(openDatabase({engine: 'sqlite', file})).rejects.toMatchObject({
		code: 'failed',
		message: `The database ${file} cannot be used: file is not a database.`,
	});
});

/** Starts a server on a file that another process can access. */
async function onFile() {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const file = join(folder, 'service.db');
	const server = await startServer({location: {engine: 'sqlite', file}, folder, environment: {}});
	onTestFinished(() => server.close());
	const {apiKey} = await initialize(server.services, beginning);
	const ask = async (method = 'GET') => {
		const response = await fetch(`${server.url}/api/v1/user/preferences`, {
			method,
			headers: {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'},
			...(method === 'PATCH' && {body: '{"enabled_model_ids": []}'}),
		});
		const json = await response.json();
		return response.ok ? response.status : json;
	};
	// The key was just used, so its last use isn't written again.
	expect(await ask()).toBe(200);
	return {folder, file, url: server.url, ask};
}

test('while another process writes, work without the database continues, and waiting statements finish afterwards', async () => {
	const {file, url, ask} = await onFile();
	const other = await openDatabase({engine: 'sqlite', file});
	onTestFinished(() => other.destroy());
	const held = await other.startTransaction().execute();
	const waiting = [ask('PATCH'), ask('PATCH')];
	expect(await Promise.race([...waiting, fetch(`${url}/healthz`).then(({status}) => `health ${status}`)])).toBe(
		'health 200',
	);
	await held.rollback().execute();
	expect(await Promise.all(waiting)).toEqual([200, 200]);
});

test('a statement fails after 5 seconds of waiting for another process, and those queued behind it fail at once', async () => {
	const {file, ask} = await onFile();
	const other = await openDatabase({engine: 'sqlite', file});
	onTestFinished(() => other.destroy());
	const held = await other.startTransaction().execute();
	expect(await Promise.all([1, 2, 3].map(() => ask('PATCH')))).toEqual([locked, locked, locked]);
	expect(await ask()).toBe(200);
	await held.rollback().execute();
	expect(await ask('PATCH')).toBe(200);
});

test('nothing is written to a removed file, and writing works again once it is back', async () => {
	const {folder, ask} = await onFile();
	await rename(folder, `${folder}-away`);
	expect([await ask(), await ask('PATCH')]).toEqual([200, lost]);
	await rename(`${folder}-away`, folder);
	expect(await ask('PATCH')).toBe(200);
});

test('a file that is damaged during use is a database fault', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const place = {engine: 'sqlite', file: join(folder, 'service.db')} as const;
	const whole = await openDatabase(place);
	const services = {database: whole, now: () => new Date()};
	await initialize(services, beginning);
	await whole.destroy();
	const bytes = await readFile(place.file);
	// Everything but the first pages, which contain the schema.
	await writeFile(place.file, bytes.fill('x', 40_960));
	const database = await openDatabase(place).catch((error: unknown) => error);
	const error =
		database instanceof Kysely
			? await initialize({...services, database}, {...beginning, organization: 'b'}).catch((thrown: unknown) => thrown)
			: database instanceof Error && database.cause;
	expect([error, isDatabaseFault(error)]).toEqual([expect.any(Error), true]);
});

test('a database that a newer version has changed is left unchanged', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const place = {engine: 'sqlite', file: join(folder, 'service.db')} as const;
	const database = await openDatabase(place);
	await sql`insert into migrations (name, applied_at) values ('999-later', '2030-01-01')`.execute(database);
	await database.destroy();
	await expect(openDatabase(place)).rejects.toMatchObject({
		code: 'upgrade',
		message: 'A newer version of service has changed this database.',
	});
});

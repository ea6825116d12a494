import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import type {DatabaseLocation} from '../../../src/server/database/location.ts';
import {migrate, type Schema} from '../../../src/server/database/migrate.ts';
import {migrations} from '../../../src/server/database/migrations.ts';
import {databaseOn, migrateDatabase, openDatabase, plannedMigrations} from '../../../src/server/database/open.ts';
import {openSqlite} from '../../../src/server/database/sqlite.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {administer} from './administer.ts';
import {emptyFile} from './empty-file.ts';
import {engine} from './engine.ts';

const namesIn = async (database: Database) =>
	(
		await database
			.withTables<{migrations: {name: string}}>()
			.selectFrom('migrations')
			.select('name')
			.orderBy('name')
			.execute()
	).map(({name}) => name);

const all = Object.keys(migrations).sort();

/** Changes a database as if the last migrations of the list had not run. `undo` reverts what they did. */
async function makeOlder(place: DatabaseLocation, undo: readonly string[], names: readonly string[]): Promise<void> {
	const database = await openDatabase(place);
	for (const statement of undo) {
		await sql.raw(statement).execute(database);
	}

	await database
		.withTables<{migrations: {name: string}}>()
		.deleteFrom('migrations')
		.where('name', 'in', names)
		.execute();
	await database.destroy();
}

const withoutProxy = ['drop table execute_tokens', 'alter table machines drop column address'];

test('an older database is upgraded by serve and serve migrate alone, and others say how', async () => {
	const place = await emptyFile();
	await makeOlder(place, withoutProxy, ['014-service-proxy']);
	await expect(openDatabase(place, {upgrades: false})).rejects.toMatchObject({
		code: 'upgrade',
		message: 'An older version of service has made this database.',
		hint: 'Upgrade it first: `$ serve migrate`',
	});
	expect(await plannedMigrations(place)).toEqual([{name: '014-service-proxy', tables: [{name: 'machines', rows: 0}]}]);
	const steps: string[] = [];
	await migrateDatabase(place, {onStep: name => steps.push(name)});
	expect([steps, await plannedMigrations(place)]).toEqual([['014-service-proxy'], []]);
	const database = await openDatabase(place, {upgrades: false});
	onTestFinished(() => database.destroy());
	expect(await namesIn(database)).toEqual(all);
});

test.skipIf(engine === 'sqlite')('an upgrade is planned without reading a large table', async () => {
	const place = await emptyFile();
	const database = await openDatabase(place);
	const rows = 60_000;
	// Nothing may analyze it meanwhile.
	await sql`alter table machines set (autovacuum_enabled = false)`.execute(database);
	await sql`insert into machines (id, host, seen_at)
		select number, repeat('x', 200), '' from generate_series(1, ${sql.lit(rows)}) number`.execute(database);
	await database.destroy();
	await makeOlder(place, withoutProxy, ['014-service-proxy']);
	const [
		{
			name,
			tables: [table],
		} = {name: '', tables: []},
	] = await plannedMigrations(place);
	expect([name, table?.name]).toEqual(['014-service-proxy', 'machines']);
	expect(table?.rows).toBeGreaterThan(rows / 4);
	expect(table?.rows).toBeLessThan(rows * 4);
	// A count would be exact.
	expect(table?.rows).not.toBe(rows);
	await migrateDatabase(place);
});

test('a new database gets its schema from whatever opens it first', async () => {
	const place = await emptyFile();
	const database = await openDatabase(place, {upgrades: false});
	onTestFinished(() => database.destroy());
	expect(await namesIn(database)).toEqual(all);
});

test('what a newer version has changed is refused by a migration, too', async () => {
	const place = await emptyFile();
	const database = await openDatabase(place);
	await sql`insert into migrations (name, applied_at) values ('999-later', '2030-01-01')`.execute(database);
	await database.destroy();
	for (const attempt of [migrateDatabase, plannedMigrations, openDatabase]) {
		await expect(attempt(place)).rejects.toMatchObject({
			code: 'upgrade',
			message: 'A newer version of service has changed this database.',
		});
	}
});

test('processes that upgrade at once wait for one another, and each migration runs once', async () => {
	const place = await emptyFile();
	await makeOlder(place, withoutProxy, ['014-service-proxy', '012-text-order']);
	const steps: string[] = [];
	await Promise.all([1, 2, 3].map(() => migrateDatabase(place, {onStep: name => steps.push(name)})));
	expect(steps.sort()).toEqual(['012-text-order', '014-service-proxy']);
	expect(await plannedMigrations(place)).toEqual([]);
});

test('an upgrade that fails in between keeps what came before, and goes on from there', async () => {
	const place = await emptyFile();
	await makeOlder(place, withoutProxy, ['014-service-proxy', '008-signing-keys']);
	const broken = await openDatabase(place, {upgrades: false}).catch(() => undefined);
	expect(broken).toBe(undefined);
	const steps: string[] = [];
	const failing = migrateDatabase(place, {
		onStep(name) {
			steps.push(name);
			if (name === '014-service-proxy') {
				throw new Error('killed');
			}
		},
	});
	await expect(failing).rejects.toThrow('killed');
	expect((await plannedMigrations(place)).map(({name}) => name)).toEqual(['014-service-proxy']);
	await migrateDatabase(place, {onStep: name => steps.push(name)});
	expect(steps).toEqual(['008-signing-keys', '014-service-proxy', '014-service-proxy']);
	expect(await plannedMigrations(place)).toEqual([]);
});

test.runIf(engine === 'sqlite')('a disk that fills during an upgrade leaves the schema as it was', async () => {
	const database = await databaseOn({engine: 'sqlite', database: openSqlite(':memory:')});
	onTestFinished(() => database.destroy());
	const schema: Schema = database.withTables<never>();
	await migrate(schema, 'sqlite');
	for (const statement of [
		...withoutProxy,
		"delete from migrations where name = '014-service-proxy'",
		'vacuum',
		'pragma max_page_count = 1',
	]) {
		await sql.raw(statement).execute(database);
	}

	const before = await database.introspection.getTables();
	await expect(migrate(schema, 'sqlite')).rejects.toThrow('database or disk is full');
	expect(await database.introspection.getTables()).toEqual(before);
	await sql`pragma max_page_count = 100000`.execute(database);
	await migrate(schema, 'sqlite');
	expect(await namesIn(database)).toEqual(all);
});

test.runIf(engine === 'postgres')(
	'a database that may only be read is planned for, and an upgrade says why it failed',
	async () => {
		const place = await emptyFile();
		await makeOlder(place, withoutProxy, ['014-service-proxy']);
		const name = place.engine === 'postgres' ? new URL(place.url).pathname.slice(1) : '';
		await administer(`alter database ${name} set default_transaction_read_only = on`);
		expect((await plannedMigrations(place)).map(migration => migration.name)).toEqual(['014-service-proxy']);
		await expect(migrateDatabase(place)).rejects.toMatchObject({
			code: 'network',
			message: expect.stringMatching(/^The database of .+ accepts no writes\.$/),
		});
		await administer(`alter database ${name} reset default_transaction_read_only`);
		await migrateDatabase(place);
		expect(await plannedMigrations(place)).toEqual([]);
	},
);

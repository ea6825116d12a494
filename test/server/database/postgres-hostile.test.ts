import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {openDatabase} from '../../../src/server/database/open.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer} from '../harness.ts';
import {ask, populate} from '../populated.ts';
import {administer, disconnect, reconnect} from './administer.ts';
import {all, askAll, lost, operations} from './ask-all.ts';
import {emptyDatabase, emptyPlace} from './engine.ts';

test('concurrent processes migrate a database once', async () => {
	const place = await emptyPlace();
	const first = await openDatabase(place);
	onTestFinished(() => first.destroy());
	const namesOf = () =>
		first.withTables<{migrations: {name: string}}>().selectFrom('migrations').select('name').orderBy('name').execute();
	const names = await namesOf();
	await sql`drop schema public cascade`.execute(first);
	await sql`create schema public`.execute(first);
	const opened = await Promise.all([1, 2, 3].map(() => openDatabase(place)));
	await Promise.all(opened.map(database => database.destroy()));
	expect(await namesOf()).toEqual(names);
});

test('a PostgreSQL that accepts no connections is a fault, and works again once it accepts them', async () => {
	const server = await createTestServer();
	const parameters = await populate(server);
	const before = await contentsOf(server.database);
	const name = await disconnect(server.database, its => `alter database ${its} with allow_connections false`);
	expect(await askAll(server, parameters)).toEqual(all(operations, lost));
	await administer(`alter database ${name} with allow_connections true`);
	await reconnect(server.database);
	expect((await ask(server, 'getUserPreferences', parameters)).status).toBe(200);
	expect(await contentsOf(server.database)).toEqual(before);
});

test('transactions have the isolation they need, whatever the database’s default', async () => {
	const database = await emptyDatabase();
	const name = await disconnect(
		database,
		its => `alter database ${its} set default_transaction_isolation = serializable`,
	);
	onTestFinished(() => administer(`alter database ${name} reset default_transaction_isolation`));
	await reconnect(database);
	const {rows} = await database.transaction().execute(queries => sql`show transaction_isolation`.execute(queries));
	expect(rows).toEqual([{transaction_isolation: 'read committed'}]);
});

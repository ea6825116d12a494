import {join} from 'node:path';
import {sql} from 'kysely';
import {expect, inject, onTestFinished, test} from 'vitest';
import {createSealKey} from '../../../src/server/accounts/seal.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import {checkServer} from '../../../src/server/run/check-server.ts';
import {postgresUrl} from '../../postgres.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {administer} from '../database/administer.ts';
import {dontShare} from '../database/emptied.ts';
import {emptyPlace} from '../database/engine.ts';

/** Returns what a check says of a database. */
async function checkDatabase(database: string) {
	const folder = temporaryFolder();
	const checks = await checkServer({
		env: {SERVICE_HOME: folder, SERVICE_SEAL_KEY: createSealKey().toString('base64url')},
		data: join(folder, 'data'),
		database,
		port: 0,
		unsafeSandboxes: true,
		openProvider: async () => undefined,
		readHosting: () => undefined,
	});
	return checks.filter(({name}) => name === 'database');
}

test('a PostgreSQL is checked with its version, the rights of the role and the schema', async () => {
	const place = await emptyPlace();
	if (place.engine !== 'postgres') {
		throw new Error('PostgreSQL is missing.');
	}

	const [version, role, schema] = await checkDatabase(place.url);
	expect([version?.state, version?.finding]).toEqual(['good', expect.stringMatching(/^PostgreSQL \d+/)]);
	expect(role).toMatchObject({state: 'good', finding: 'The role service may change the schema public.'});
	expect(schema).toMatchObject({state: 'good'});
});

test('a PostgreSQL that accepts no writes, or has no such database, is a fault', async () => {
	const place = await emptyPlace();
	if (place.engine !== 'postgres') {
		throw new Error('PostgreSQL is missing.');
	}

	const admin = await openDatabase(place);
	onTestFinished(() => admin.destroy());
	const {rows} = await sql<{name: string}>`select current_database() as name`.execute(admin);
	const name = rows[0]?.name ?? '';
	dontShare(name);
	await administer(`alter database ${name} set default_transaction_read_only = on`);
	onTestFinished(() => administer(`alter database ${name} reset default_transaction_read_only`));
	expect((await checkDatabase(place.url))[0]).toMatchObject({
		state: 'fault',
		code: 'network',
		finding: expect.stringMatching(/accepts no writes\.$/),
	});
	expect((await checkDatabase(postgresUrl(inject('postgres'), 'nobody_made_this')))[0]).toMatchObject({
		state: 'fault',
		finding: expect.stringContaining('database "nobody_made_this" does not exist'),
	});
});

import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {sql} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {isDatabaseFault} from '../../../src/server/database/fault.ts';
import {parseDatabaseUrl} from '../../../src/server/database/location.ts';
import {openDatabase} from '../../../src/server/database/open.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {emptyFile} from './empty-file.ts';
import {emptyDatabase, emptyPlace} from './engine.ts';

const user = {
	id: '11111111-1111-4111-8111-111111111111',
	email: 'ada@acme.example',
	username: 'ada',
	full_name: null,
	password_hash: null,
	totp_secret: null,
	totp_pending_secret: null,
	totp_last_step: 9_007_199_254_740_991,
	suspended_at: null,
	is_administrator: 0 as const,
	added_by: null,
	created_at: '2026-03-01T12:00:00.000Z',
};

const add = (database: Database, row = user) => database.insertInto('users').values(row).execute();
/** Returns the names of all tables, each with its columns and their types, sorted. */
const columnsOf = async (database: Database) =>
	(await database.introspection.getTables()).map(
		({name, columns}) => [name, columns.map(column => `${column.name} ${column.dataType}`).sort()] as const,
	);

const all = (database: Database) => database.selectFrom('users').selectAll().execute();

test('stored values are read back unchanged, including the largest number', async () => {
	const database = await emptyDatabase();
	await add(database, {...user, username: '𝒜da “; drop table users; --'});
	expect(await all(database)).toEqual([{...user, username: '𝒜da “; drop table users; --'}]);
});

test('a NUL in text is replaced, because one of the engines cannot store it', async () => {
	const database = await emptyDatabase();
	await add(database, {...user, username: 'a\0b'});
	expect((await all(database)).map(({username}) => username)).toEqual(['a\u{FFFD}b']);
});

test('a transaction that fails leaves nothing behind', async () => {
	const database = await emptyDatabase();
	const failing = database.transaction().execute(async transaction => {
		await transaction.insertInto('users').values(user).execute();
		throw new Error('no');
	});
	await expect(failing).rejects.toThrow('no');
	expect(await all(database)).toEqual([]);
});

test('a broken reference is rejected, and is not a database fault', async () => {
	const database = await emptyDatabase();
	const orphan = {user_id: user.id, enabled_model_ids: '[]', updated_at: user.created_at};
	const error = await database
		.insertInto('preferences')
		.values(orphan)
		.execute()
		.catch((thrown: unknown) => thrown);
	expect([error instanceof Error, isDatabaseFault(error)]).toEqual([true, false]);
});

test('opening again changes nothing', async () => {
	const empty = await emptyPlace();
	const place = empty.engine === 'sqlite' ? {...empty, file: join(await temporaryFolder(), 'a.db')} : empty;
	const first = await openDatabase(place);
	await add(first);
	await first.destroy();
	const second = await openDatabase(place);
	onTestFinished(() => second.destroy());
	expect(await all(second)).toEqual([user]);
});

test('a database of an older version gets the same tables as a new one', async () => {
	const place = await emptyFile();
	const fresh = await openDatabase(place);
	const wanted = await columnsOf(fresh);
	for (const statement of [
		'alter table environments add column execute_token_hash text',
		'alter table environments add column execute_token_expires_at text',
		'drop index api_keys_by_parent',
		'alter table api_keys drop column created_with',
		'alter table sandboxes drop column billed_before_start',
		'drop table execute_tokens',
		'drop table machines',
		'drop index sandboxes_by_machine',
		...['log_segments', 'sandbox_logs', 'log_collectors'].map(table => `drop table ${table}`),
		'drop index environments_by_sandbox',
		'drop table audit_log',
		'alter table organizations drop column suspended_at',
		'alter table api_keys drop column requests_per_minute',
		"delete from migrations where name in ('009-execute-tokens', '010-api-key-parents', '011-unstarted-sandboxes', '013-machines', '014-service-proxy', '015-sandbox-logs', '030-audit-log', '033-suspended-organizations', '034-rate-limits')",
	]) {
		await sql.raw(statement).execute(fresh);
	}

	await add(fresh);
	expect(await columnsOf(fresh)).not.toEqual(wanted);
	await fresh.destroy();
	const upgraded = await openDatabase(place);
	onTestFinished(() => upgraded.destroy());
	expect(await columnsOf(upgraded)).toEqual(wanted);
	expect(await all(upgraded)).toEqual([user]);
});

test('[8] an error about an unreachable database does not show its password', async () => {
	const url = 'postgres://service:hunter2@127.0.0.1:1/none';
	await expect(openDatabase({engine: 'postgres', url})).rejects.toMatchObject({
		code: 'network',
		message: 'The database of 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
		cause: expect.toSatisfy(isDatabaseFault),
	});
});

test.each(['mysql://host/name', 'host', '', 'postgres://', 'file:///tmp/a'])('“%s” is not a database', url => {
	expect(() => parseDatabaseUrl(url)).toThrow('The database must be a URL such as postgres://user@host/name.');
});

async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'service-test-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	return folder;
}

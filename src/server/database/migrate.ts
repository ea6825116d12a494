import {type Kysely, sql} from 'kysely';
import {AppError} from '../../core/error.ts';
import type {Engine} from './location.ts';
import {accounts} from './migrations/001-accounts.ts';
import {credits} from './migrations/002-credits.ts';
import {sandboxes} from './migrations/003-sandboxes.ts';
import {traces} from './migrations/004-traces.ts';
import {work} from './migrations/005-work.ts';
import {passwordCodes} from './migrations/006-password-codes.ts';
import {storedBytes} from './migrations/007-stored-bytes.ts';
import {signingKeys} from './migrations/008-signing-keys.ts';
import {executeTokens} from './migrations/009-execute-tokens.ts';
import {apiKeyParents} from './migrations/010-api-key-parents.ts';
import {unstartedSandboxes} from './migrations/011-unstarted-sandboxes.ts';
import {machines} from './migrations/013-machines.ts';

/** Every schema change since the first release, in order, as statements that both engines support. */
const migrations: Readonly<Record<string, readonly string[]>> = {
	'001-accounts': accounts,
	'002-credits': credits,
	'003-sandboxes': sandboxes,
	'004-traces': traces,
	'005-work': work,
	'006-password-codes': passwordCodes,
	'007-stored-bytes': storedBytes,
	'008-signing-keys': signingKeys,
	'009-execute-tokens': executeTokens,
	'010-api-key-parents': apiKeyParents,
	'011-unstarted-sandboxes': unstartedSandboxes,
	'012-text-order': [],
	'013-machines': machines,
};

/**
 * Migrations of what an earlier one created in older versions. It now creates the result at once, so that a new database
 * needs none of them: changing a table takes SQLite longer than creating all of them.
 */
const upgrades: Readonly<Record<string, string>> = {
	'009-execute-tokens': '003-sandboxes',
	'010-api-key-parents': '001-accounts',
	'011-unstarted-sandboxes': '003-sandboxes',
};

type Applied = {readonly migrations: {readonly name: string; readonly applied_at: string}};

/**
 * The advisory lock that makes concurrent migrations of a PostgreSQL database wait for each other. The number is
 * arbitrary.
 */
const lockNumber = 7_300_125;

/**
 * Lets PostgreSQL order every text by its code points, as SQLite does, whatever the locale of the database is. It runs after
 * other changes, so that it includes the columns that they add; a change of the collation rebuilds the indexes of a table.
 */
const orderText = `do $$
declare changed record;
begin
	for changed in
		select format('%I', table_name) as name,
			string_agg(format('alter column %I type text collate "C"', column_name), ', ') as columns
		from information_schema.columns join information_schema.tables using (table_schema, table_name)
		where table_schema = current_schema() and table_type = 'BASE TABLE' and data_type = 'text'
			and is_generated = 'NEVER' and collation_name is distinct from 'C'
		group by table_name
	loop
		execute 'alter table ' || changed.name || ' ' || changed.columns;
	end loop;
end $$`;

/**
 * Brings the schema up to date in one transaction. Several processes may call it at once. Throws AppError("upgrade") if
 * a newer version has changed the schema, because this version can't know how to use it.
 */
export async function migrate(database: Kysely<Applied>, engine: Engine): Promise<void> {
	await database.transaction().execute(async transaction => {
		if (engine === 'postgres') {
			await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
		}

		await sql`create table if not exists migrations (name text primary key, applied_at text not null)`.execute(
			transaction,
		);
		const applied = await transaction.selectFrom('migrations').select('name').execute();
		const names = new Set(applied.map(({name}) => name));
		if (applied.some(({name}) => !Object.hasOwn(migrations, name))) {
			throw new AppError('upgrade', 'A newer version of service has changed this database.', {
				hint: 'Install that version, or use another --data or --database.',
			});
		}

		const missing = Object.keys(migrations).filter(name => !names.has(name));
		for (const name of missing) {
			const upgraded = upgrades[name];
			for (const statement of upgraded === undefined || names.has(upgraded) ? (migrations[name] ?? []) : []) {
				await sql.raw(statement).execute(transaction);
			}
		}

		if (missing.length > 0 && engine === 'postgres') {
			await sql.raw(orderText).execute(transaction);
		}

		if (missing.length > 0) {
			const applied_at = new Date().toISOString();
			const rows = missing.map(name => ({name, applied_at}));
			await transaction.insertInto('migrations').values(rows).execute();
		}
	});
}

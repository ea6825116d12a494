import {DatabaseSync} from '@photostructure/sqlite';
import {Kysely} from 'kysely';
import {expect, onTestFinished, test} from 'vitest';
import {SteadyLimitDialect} from '../../../src/server/database/steady-limit.ts';
import type {Tables} from '../../../src/server/database/tables.ts';

test('SQLite compiles a statement with a limit once, however often it runs', () => {
	const connection = new DatabaseSync(':memory:');
	onTestFinished(() => connection.close());
	connection.exec('create table users (id text primary key)');
	connection.exec("insert into users values ('a'), ('b'), ('c')");
	// SQLite asks for permissions while it compiles, not while it reads.
	let compiled = 0;
	connection.setAuthorizer(() => {
		compiled += 1;
		return 0;
	});
	const queries = new Kysely<Tables>({
		dialect: new SteadyLimitDialect({database: () => Promise.reject(new Error('Nothing runs here.'))}),
	});
	const {sql} = queries.selectFrom('users').select('id').orderBy('id').limit(1).offset(1).compile();
	const read = (text: string) => {
		const statement = connection.prepare(text);
		const rows = [1, 2, 3].map(limit => statement.all(limit, 1).map(row => Object.values(row)[0]));
		const before = compiled;
		const again = statement.all(1, 1).length;
		return {rows, again, isCompiledAgain: compiled > before};
	};
	const rows = [['b'], ['b', 'c'], ['b', 'c']];
	expect(read(sql)).toEqual({rows, again: 1, isCompiledAgain: false});
	// Without the sign it is; once SQLite changes that, the dialect isn't needed any more.
	expect(read(sql.replace('limit +', 'limit '))).toEqual({rows, again: 1, isCompiledAgain: true});
});

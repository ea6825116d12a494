import {type DatabaseConnection, Kysely, PostgresDialect, SqliteDialect} from 'kysely';
import {migrate} from './migrate.ts';
import type {DatabasePlace} from './place.ts';
import type {Database, Tables} from './tables.ts';

/**
 * Opens the database with its schema up to date. `destroy()` closes it.
 * `onLost` is told of connections that a database server ended by itself.
 */
export async function openDatabase(place: DatabasePlace, onLost: (error: Error) => void = () => {}): Promise<Database> {
	const database = new Kysely<Tables>({dialect: await dialectOf(place, onLost)});
	try {
		await migrate(database.withTables(), place.engine);
		return database;
	} catch (error) {
		await database.destroy();
		throw error;
	}
}

async function dialectOf(place: DatabasePlace, onLost: (error: Error) => void) {
	if (place.engine === 'sqlite') {
		const {openSqlite} = await import('./sqlite.ts');
		return new SqliteDialect({database: openSqlite(place.file), onCreateConnection});
	}

	const {openPostgres} = await import('./postgres.ts');
	return new PostgresDialect({pool: openPostgres(place.url, onLost), onCreateConnection});
}

/** PostgreSQL has no NUL in a text, so that one is replaced, on both engines. */
async function onCreateConnection(connection: DatabaseConnection): Promise<void> {
	const execute = connection.executeQuery.bind(connection);
	connection.executeQuery = query => execute({...query, parameters: query.parameters.map(withoutNul)});
}

function withoutNul(value: unknown): unknown {
	return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
}

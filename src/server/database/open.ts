import {type DatabaseConnection, Kysely, PostgresDialect, type PostgresPool, type SqliteDatabase} from 'kysely';
import {AppError} from '../../core/error.ts';
import type {DatabaseLocation} from './location.ts';
import {migrate} from './migrate.ts';
import {hostNames} from './postgres-hosts.ts';
import type {Database, Tables} from './tables.ts';

/**
 * Opens the database and brings its schema up to date. `destroy()` closes it. `onLost` is called for each connection
 * that the database server closed. Throws AppError if the database can't be used.
 */
export async function openDatabase(
	location: DatabaseLocation,
	onLost: (error: Error) => void = () => {},
): Promise<Database> {
	let database: Database | undefined;
	try {
		database = await databaseOn(await connectTo(location, onLost));
		await migrate(database.withTables(), location.engine);
		return database;
	} catch (error) {
		await database?.destroy();
		throw explain(location, error);
	}
}

/** Explains an error to the user with the engine's own message, but never with the password of a URL. */
function explain(location: DatabaseLocation, error: unknown): unknown {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	if (error instanceof AppError || typeof code !== 'string') {
		return error;
	}

	const reason = (error instanceof Error && error.message) || code;
	return location.engine === 'sqlite'
		? new AppError('failed', `The database ${location.file} cannot be used: ${reason}.`, {
				hint: 'Use another folder with --data, or move that file away to start over.',
				cause: error,
			})
		: new AppError('network', `The database of ${hostNames(location.url)} cannot be used: ${reason}.`, {
				hint: 'Check that it runs, and the user, the password and the name in --database.',
				cause: error,
			});
}

/** The open connections of a database, before its schema is up to date. */
export type Connections =
	| {readonly engine: 'sqlite'; readonly database: SqliteDatabase}
	| {readonly engine: 'postgres'; readonly pool: PostgresPool};

/** Connects to a database; a PostgreSQL server, with the first query. Throws what the engine throws. */
async function connectTo(location: DatabaseLocation, onLost: (error: Error) => void): Promise<Connections> {
	if (location.engine === 'sqlite') {
		const {openSqlite} = await import('./sqlite.ts');
		return {engine: 'sqlite', database: openSqlite(location.file)};
	}

	const {openPostgres} = await import('./postgres.ts');
	return {engine: 'postgres', pool: openPostgres(location, onLost)};
}

/** Returns a database on these connections without looking at its schema. `destroy()` closes them. */
export async function databaseOn(connections: Connections): Promise<Database> {
	if (connections.engine === 'sqlite') {
		const [{retryWhileBusy}, {SteadyLimitDialect}] = await Promise.all([
			import('./sqlite.ts'),
			import('./steady-limit.ts'),
		]);
		return new Kysely<Tables>({
			dialect: new SteadyLimitDialect({
				database: connections.database,
				async onCreateConnection(connection) {
					replaceNul(connection);
					retryWhileBusy(connection);
				},
			}),
		});
	}

	return new Kysely<Tables>({
		dialect: new PostgresDialect({
			pool: connections.pool,
			onCreateConnection: async connection => replaceNul(connection),
		}),
	});
}

/** Replaces NUL characters, on both engines, because PostgreSQL can't store them in text. */
function replaceNul(connection: DatabaseConnection): void {
	const execute = connection.executeQuery.bind(connection);
	connection.executeQuery = query => execute({...query, parameters: query.parameters.map(withoutNul)});
}

function withoutNul(value: unknown): unknown {
	return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
}

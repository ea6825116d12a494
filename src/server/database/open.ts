import {type DatabaseConnection, Kysely, PostgresDialect} from 'kysely';
import {AppError} from '../../core/error.ts';
import type {DatabaseLocation} from './location.ts';
import {migrate} from './migrate.ts';
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
		database = new Kysely<Tables>({dialect: await dialectOf(location, onLost)});
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
		: new AppError(
				'network',
				`The database of ${new URL(location.url).host || 'this machine'} cannot be used: ${reason}.`,
				{
					hint: 'Check that it runs, and the user, the password and the name in --database.',
					cause: error,
				},
			);
}

async function dialectOf(location: DatabaseLocation, onLost: (error: Error) => void) {
	if (location.engine === 'sqlite') {
		const [{openSqlite, retryWhileBusy}, {SteadyLimitDialect}] = await Promise.all([
			import('./sqlite.ts'),
			import('./steady-limit.ts'),
		]);
		return new SteadyLimitDialect({
			database: openSqlite(location.file),
			async onCreateConnection(connection) {
				replaceNul(connection);
				retryWhileBusy(connection);
			},
		});
	}

	const {openPostgres} = await import('./postgres.ts');
	return new PostgresDialect({
		pool: openPostgres(location, onLost),
		onCreateConnection: async connection => replaceNul(connection),
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

import {type DatabaseConnection, Kysely, PostgresDialect, type PostgresPool, type SqliteDatabase} from 'kysely';
import {AppError} from '../../core/error.ts';
import {isDatabaseFault, isDiskFault, isReadOnlyFault} from './fault.ts';
import type {DatabaseLocation} from './location.ts';
import {assertCurrent, migrate, type PlannedMigration, pendingMigrations, planMigrations} from './migrate.ts';
import type {PoolCounts} from './postgres.ts';
import {hostNames} from './postgres-hosts.ts';
import {createRefusals, keepRefusals} from './refused-writes.ts';
import type {Database, Tables} from './tables.ts';

type OpenOptions = {
	/** Called for each connection that the database server closed. */
	readonly onLost?: ((error: Error) => void) | undefined;
	/** Whether it may bring an older schema up to date, or must leave that to `serve migrate`; a new database always gets one. */
	readonly upgrades?: boolean;
	/** Called before each migration of an older schema. */
	readonly onStep?: ((name: string) => void) | undefined;
};

/**
 * Opens the database, and creates its schema or brings it up to date. `destroy()` closes it. Throws AppError if the database
 * can't be used, and AppError("upgrade") if its schema is newer than this version, or older and must stay so.
 */
export async function openDatabase(
	location: DatabaseLocation,
	{onLost = () => {}, upgrades = true, onStep}: OpenOptions = {},
): Promise<Database> {
	let database: Database | undefined;
	try {
		const connections = await connectTo(location, onLost);
		database = await databaseOn(connections);
		if (connections.engine === 'postgres' && connections.pool.counts) {
			pools.set(database, connections.pool.counts);
		}

		const schema = database.withTables<never>();
		const pending = await pendingMigrations(schema, location.engine);
		if (!upgrades) {
			assertCurrent(pending);
		}

		if (pending.names.length > 0 && location.engine === 'sqlite') {
			await migrate(schema, 'sqlite', {onStep});
		} else if (pending.names.length > 0) {
			await migrateDatabase(location, {onStep});
		}

		return database;
	} catch (error) {
		await database?.destroy();
		throw explain(location, error);
	}
}

/** Opens a database for changes of its schema, on a connection that may take as long as it wants. */
async function withUnlimited<T>(location: DatabaseLocation, work: (database: Database) => Promise<T>): Promise<T> {
	const unlimited = {connections: 1, statementTimeoutMs: 0, lockTimeoutMs: 0, answerTimeoutMs: 0};
	let database: Database | undefined;
	try {
		database = await databaseOn(
			await connectTo(location.engine === 'sqlite' ? location : {...location, ...unlimited}, () => {}),
		);
		return await work(database);
	} catch (error) {
		throw explain(location, error);
	} finally {
		await database?.destroy();
	}
}

/**
 * Brings a schema up to date without a time limit, and waits for other processes that do so. Throws what `openDatabase`
 * throws.
 */
export function migrateDatabase(location: DatabaseLocation, options: Pick<OpenOptions, 'onStep'> = {}): Promise<void> {
	return withUnlimited(location, database =>
		migrate(database.withTables(), location.engine, {...options, isPatient: true}),
	);
}

/** Returns what `migrateDatabase` would do, and changes nothing. Throws what `openDatabase` throws. */
export function plannedMigrations(location: DatabaseLocation): Promise<readonly PlannedMigration[]> {
	return withUnlimited(location, database => planMigrations(database.withTables(), location.engine));
}

const pools = new WeakMap<Database, () => PoolCounts>();

/** Returns what counts the connections of an open database; undefined for SQLite. */
export function poolOf(database: Database): (() => PoolCounts) | undefined {
	return pools.get(database);
}

/** Explains a fault of the database to the user, as `openDatabase` does. Returns any other error as it is. */
export function explainDatabaseFault(location: DatabaseLocation, error: unknown): unknown {
	return isDatabaseFault(error) ? explain(location, error) : error;
}

/** Explains an error to the user with the engine's own message, but never with the password of a URL. */
function explain(location: DatabaseLocation, error: unknown): unknown {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	if (error instanceof AppError || typeof code !== 'string') {
		return error;
	}

	const reason = (error instanceof Error && error.message) || code;
	if (isReadOnlyFault(error)) {
		return location.engine === 'sqlite'
			? new AppError('failed', `${location.file} accepts no writes.`, {
					hint: 'Change its owner or mode, or mount its disk for writing.',
					cause: error,
				})
			: new AppError('network', `The database of ${hostNames(location.url)} accepts no writes.`, {
					hint: 'Name the primary in --database, or both hosts: host1,host2.',
					cause: error,
				});
	}

	// Of a full disk, too: SQLite needs some space before it reads.
	const space = isDiskFault(error) ? 'Free some space on its disk, or check that disk.' : undefined;
	return location.engine === 'sqlite'
		? new AppError('failed', `The database ${location.file} cannot be used: ${reason}.`, {
				hint: space ?? 'Restore it from a backup, or use another folder with --data.',
				cause: error,
			})
		: new AppError('network', `The database of ${hostNames(location.url)} cannot be used: ${reason}.`, {
				hint: space ?? 'Check that it runs, and the user, the password and the name in --database.',
				cause: error,
			});
}

/** The open connections of a database, before its schema is up to date. */
export type Connections =
	| {readonly engine: 'sqlite'; readonly database: SqliteDatabase}
	| {readonly engine: 'postgres'; readonly pool: PostgresPool & {readonly counts?: () => PoolCounts}};

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
	const refusals = createRefusals();
	if (connections.engine === 'sqlite') {
		const [{retryWhileBusy}, {SteadyLimitDialect}] = await Promise.all([
			import('./sqlite.ts'),
			import('./steady-limit.ts'),
		]);
		const dialect = new SteadyLimitDialect({
			database: connections.database,
			async onCreateConnection(connection) {
				replaceNul(connection);
				retryWhileBusy(connection);
				refusals.watch(connection);
			},
		});
		return keepRefusals(new Kysely<Tables>({dialect}), refusals);
	}

	const dialect = new PostgresDialect({
		pool: connections.pool,
		async onCreateConnection(connection) {
			replaceNul(connection);
			refusals.watch(connection);
		},
	});
	return keepRefusals(new Kysely<Tables>({dialect}), refusals);
}

/** Replaces NUL characters, on both engines, because PostgreSQL can't store them in text. */
function replaceNul(connection: DatabaseConnection): void {
	const execute = connection.executeQuery.bind(connection);
	connection.executeQuery = query => execute({...query, parameters: query.parameters.map(withoutNul)});
}

function withoutNul(value: unknown): unknown {
	return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value;
}

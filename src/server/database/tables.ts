import type {Kysely, Transaction} from 'kysely';
import type {AccountTables} from './tables/accounts.ts';
import type {CreditTables} from './tables/credits.ts';
import type {SandboxTables} from './tables/sandboxes.ts';
import type {TraceTables} from './tables/traces.ts';
import type {WorkTables} from './tables/work.ts';

/**
 * The tables of the server, the same on both engines. Ids are UUIDs in text, times are ISO 8601 in UTC with milliseconds
 * (so that their order as text is their order in time), JSON is text, truth is 0 or 1.
 */
export type Tables = AccountTables & CreditTables & SandboxTables & TraceTables & WorkTables;

export type Database = Kysely<Tables>;

/** One transaction. With SQLite nothing else runs until it ends: inside of it, ask it and never the database. */
export type DatabaseTransaction = Transaction<Tables>;

/** What queries are asked of: the database, or a transaction that goes on. */
export type Queries = Database | DatabaseTransaction;

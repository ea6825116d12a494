import type {Kysely, Transaction} from 'kysely';
import type {AccountTables} from './tables/accounts.ts';
import type {AuditTables} from './tables/audit.ts';
import type {CreditTables} from './tables/credits.ts';
import type {ListTables} from './tables/lists.ts';
import type {SandboxTables} from './tables/sandboxes.ts';
import type {TraceTables} from './tables/traces.ts';
import type {WorkTables} from './tables/work.ts';

/**
 * The tables of the server, the same on both engines. Ids are UUIDs as text. Times are ISO 8601 in UTC with
 * milliseconds, so that they sort as text. JSON is text; booleans are 0 or 1.
 */
export type Tables = AccountTables & AuditTables & CreditTables & ListTables & SandboxTables & TraceTables & WorkTables;

export type Database = Kysely<Tables>;

/** A transaction. With SQLite nothing else runs until it ends, so inside it never query the database itself. */
export type DatabaseTransaction = Transaction<Tables>;

/** The database or an open transaction. */
export type Queries = Database | DatabaseTransaction;

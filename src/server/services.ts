import type {ServerCatalog} from './catalog.ts';
import type {Database} from './database/tables.ts';
import type {Log} from './log.ts';

/** What the operations of the server stand on. */
export type Services = {
	readonly database: Database;
	readonly now: () => Date;
	/** Where browsers and clients reach this server: an origin, without a slash at the end. */
	readonly publicUrl: () => string;
	readonly catalog: ServerCatalog;
	readonly log: Log;
};

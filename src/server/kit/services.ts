import type {Database} from '../database/tables.ts';
import type {Log} from './log.ts';

/** What every part of the server stands on. */
export type CoreServices = {
	readonly database: Database;
	readonly now: () => Date;
	/** Where browsers and clients reach this server: an origin, without a slash at the end. */
	readonly publicUrl: () => string;
	readonly log: Log;
	/** Most bytes of spans and artifacts that an organization may store. */
	readonly storageLimit: number;
};

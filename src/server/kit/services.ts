import type {Database} from '../database/tables.ts';
import type {Counters} from './counters.ts';
import type {Log} from './log.ts';

/** The database, and the time that rows are compared with. */
export type DataAccess = {
	readonly database: Database;
	readonly now: () => Date;
};

/** What every part of the server uses. */
export type CoreServices = DataAccess & {
	/** Where browsers and clients reach this server, with its path if it has one, without a trailing slash. */
	readonly publicUrl: () => string;
	/** Whether `publicUrl` is that of a proxy in front of it. */
	readonly isProxied?: boolean;
	/**
	 * How clients of other machines reach the services of sandboxes: below `publicUrl`, or each at a host of its own below
	 * `domain` (`host[:port]`). Undefined if clients are on this machine, where each service has a port.
	 */
	readonly publicServices?: {readonly domain: string | undefined} | undefined;
	readonly log: Log;
	/** What was stored, for metrics; undefined without them. */
	readonly counters?: Counters | undefined;
	/** Maximum bytes of spans and artifacts for each organization. */
	readonly storageLimit: number;
};

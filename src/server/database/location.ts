import {AppError} from '../../core/error.ts';
import {postgresHosts} from './postgres-hosts.ts';

export type Engine = 'sqlite' | 'postgres';

/** Where the data is: a SQLite file, `:memory:` for a temporary database, or a PostgreSQL server. */
export type DatabaseLocation =
	| {readonly engine: 'sqlite'; readonly file: string}
	| {
			readonly engine: 'postgres';
			readonly url: string;
			/** How long a connection may be silent while a response is pending; 25 seconds by default, 0 for no limit. */
			readonly answerTimeoutMs?: number;
			/** How long a statement may take, and a transaction may do nothing; 20 seconds by default, 0 for no limit. */
			readonly statementTimeoutMs?: number;
			/** How long a statement waits for what others have locked; 10 seconds by default, 0 for no limit. */
			readonly lockTimeoutMs?: number;
			/** How many connections a server opens at most; 10 by default. */
			readonly connections?: number | undefined;
	  };

/** Parses the value of `--database`. Throws AppError("usage") for anything but a `postgres://` URL, maybe of several hosts. */
export function parseDatabaseUrl(url: string): DatabaseLocation {
	if (postgresHosts(url)) {
		return {engine: 'postgres', url};
	}

	throw new AppError('usage', 'The database must be a URL such as postgres://user@host/name.', {
		hint: 'Without --database, the data is kept in a folder with SQLite.',
	});
}

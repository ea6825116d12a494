import type {LogSource} from '../contract/log-cursor.ts';
import type {Level} from './levels.ts';

/** A request to follow the log of one environment of one server. */
export type LogToFollow = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server, and the profile that is used there. */
	readonly server: string;
	readonly profile: string;
	/** Such as the name of its task; untrusted. The id is shown if it is unknown. */
	readonly title?: string | undefined;
	readonly source: LogSource;
	/** Starts with the oldest line that the server has, not with the end of the log. */
	readonly sinceStart?: boolean;
	/** Keeps following. If it is false, a linear display ends after the first answer; the log panel follows anyway. */
	readonly follow: boolean;
	/** Filters the lines, as in `createFilter`. */
	readonly patterns?: readonly string[] | undefined;
	readonly minLevel?: Level | undefined;
	/** Shows all frames of stack traces in a linear display; in the log panel a key opens them. */
	readonly frames?: boolean | undefined;
};

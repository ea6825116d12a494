import type {LogSource} from '../contract/log-cursor.ts';
import type {Level} from './levels.ts';

/** The log of one environment of one server, to be followed until the person has enough of it. */
export type LogToFollow = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server, and the profile whose login is used there. */
	readonly server: string;
	readonly profile: string;
	/** What it is called, such as the name of its task; untrusted. Where nothing is known the id stands for it. */
	readonly title?: string | undefined;
	readonly source: LogSource;
	/** Begins with the oldest line that is kept, not with the end of the log. */
	readonly sinceStart?: boolean;
	/** True where it is to go on; where lines are printed one by one it ends without it, a dock follows in any case. */
	readonly follow: boolean;
	/** Lines are shown that match all of these, and are as severe as `least`, as `createFilter` has it. */
	readonly patterns?: readonly string[] | undefined;
	readonly minLevel?: Level | undefined;
};

import {AppError} from '../core/error.ts';
import {timingSafeEquals} from '../core/secrets/timing-safe-equals.ts';
import {mayDo, openLine, type Person, type Rank, type SeatRole, type SharedLink} from '../link/protocol.ts';
import type {Share} from './shares.ts';

/** What a way in to the host allows whoever came through it: a socket, a login, a link. */
export type Admission = {
	/** The most that it may do; `requests` says what each method needs. */
	readonly rank: Rank;
	/** Who it is, if the way in proved that; what the terminal says of itself otherwise. */
	readonly who?: string | ((said: Person) => string);
	/** What keeps terminals apart that came in different ways: none takes the place of another one. */
	readonly way?: string;
	/** True for whoever came by a link: `asGuest` says what that leaves out. */
	readonly isGuest?: true;
	/** Lets it share sessions; left out where nobody could open a link. */
	readonly sharing?: Sharing;
	/** Returns whether it knows a session, and may attach to it; left out for all of the host. */
	readonly reaches?: (session: ReachedSession) => boolean;
	/** The environment of sessions that it begins. */
	readonly environment: Readonly<Record<string, string>>;
	/** The folder of sessions that it begins without naming one. */
	readonly folder?: string | undefined;
	/** Whose sessions it begins; left out for the user who runs the host. */
	readonly owner?: string;
};

/** Links to sessions of whoever came this way. */
export type Sharing = {
	readonly create: (
		session: string,
		role: SeatRole,
		forMs: number,
	) => {readonly id: string; readonly link: string; readonly ends_at: string};
	readonly list: () => readonly SharedLink[];
	readonly revoke: (id: string) => Share;
};

/** What a way in knows a session by. */
export type ReachedSession = {readonly id: string; readonly owner: string | undefined};

/** Reads the parameters of the `_service/open` that a connection begins with. Returns undefined to end the connection. */
export type Admit = (open: unknown) => Admission | undefined;

/** Admits programs that have read the token of the host, as its owner: only those of the user can. */
export function admitWithToken(token: string): Admit {
	return open => {
		const line = openLine.safeParse(open);
		return line.success && timingSafeEquals(line.data.token, token)
			? {rank: 'owner', environment: line.data.environment, folder: line.data.folder}
			: undefined;
	};
}

/** Throws AppError("auth") for a rank below the one that a request needs. */
export function assertRank(rank: Rank, needed: Rank): void {
	if (!mayDo(rank, needed)) {
		throw new AppError(
			'auth',
			rank === 'observer' ? 'This terminal only watches.' : 'Only the owner of the host may do this.',
			{hint: rank === 'observer' ? 'Attach without `--observe`, or ask for a link that drives.' : 'Ask the owner.'},
		);
	}
}

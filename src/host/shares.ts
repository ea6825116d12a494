import {createHash, randomBytes, randomUUID} from 'node:crypto';
import {AppError} from '../core/error.ts';
import type {SeatRole, SharedLink} from '../link/protocol.ts';

/** A link to a session that its owner shared, as the host keeps it. */
export type Share = {
	readonly id: string;
	readonly session: string;
	readonly role: SeatRole;
	/** Whose session it is; undefined for the user who runs the host. */
	readonly owner: string | undefined;
	/** When it ends, in milliseconds since the epoch. */
	readonly endsAt: number;
};

/** The connection of somebody who came by a link. */
type GuestConnection = {readonly close: () => void};

/** Whoever came by a link. */
export type ShareGuest = {
	readonly share: Share;
	/** Keeps a connection until it is closed, or until the link ends. Returns what to call once it is closed. */
	readonly keep: (connection: GuestConnection) => () => void;
};

/**
 * The links to sessions of this process. Only hashes of codes are kept. A code works once; what it is exchanged for works until the
 * link ends: at its time, when it is revoked, or with its session.
 */
export type Shares = {
	/** Creates a link. Throws AppError("usage") for a wrong time, AppError("conflict") for too many links. */
	readonly create: (share: Omit<Share, 'id' | 'endsAt'>, forMs: number) => Share & {readonly code: string};
	readonly list: (owner: string | undefined) => readonly SharedLink[];
	/** Ends a link. Throws AppError("not-found") if its owner has none of this id, or of several that begin so. */
	readonly revoke: (idOrPrefix: string, owner: string | undefined) => Share;
	/** Exchanges a code, once. Returns undefined for any other text. */
	readonly join: (code: string) => {readonly pass: string; readonly share: Share} | undefined;
	/** Returns whoever has a pass that a code was exchanged for; undefined for any other text. */
	readonly guest: (pass: string) => ShareGuest | undefined;
	/** Ends all links to a session. */
	readonly endSession: (session: string) => void;
	/** Ends all links of a user. */
	readonly endOf: (owner: string | undefined) => void;
	readonly close: () => void;
};

type Kept = {
	readonly share: Share;
	/** Undefined once it is used. */
	code: string | undefined;
	pass: string | undefined;
	readonly connections: Set<GuestConnection>;
	readonly timer: NodeJS.Timeout;
};

export const shortestShareMs = 60_000;
export const longestShareMs = 7 * 24 * 60 * 60_000;
const maxShares = 50;

/** Creates the links of a host, without any. */
export function createShares(now: () => number = Date.now): Shares {
	const kept = new Map<string, Kept>();
	const end = (id: string) => {
		const each = kept.get(id);
		kept.delete(id);
		clearTimeout(each?.timer);
		for (const connection of each?.connections ?? []) {
			connection.close();
		}
	};
	/** A timer may be late, such as after the machine has slept; the clock may have been set back when it is on time. */
	const current = () => {
		for (const [id, {share}] of kept) {
			if (share.endsAt <= now()) {
				end(id);
			}
		}

		return [...kept.values()];
	};

	return {
		create(given, forMs) {
			if (!(forMs >= shortestShareMs && forMs <= longestShareMs)) {
				throw new AppError('usage', 'A link lasts from 1m to 7d.', {hint: 'Use --for 1h, for example.'});
			}

			if (current().filter(({share}) => share.owner === given.owner).length >= maxShares) {
				throw new AppError('conflict', `${maxShares} links are open already.`, {
					hint: 'Revoke one: `host unshare <id>`',
				});
			}

			const share: Share = {...given, id: randomUUID().slice(0, 8), endsAt: now() + forMs};
			const code = randomBytes(20).toString('base64url');
			const timer = setTimeout(() => end(share.id), forMs);
			timer.unref();
			kept.set(share.id, {share, code: hashOf(code), pass: undefined, connections: new Set(), timer});
			return {...share, code};
		},
		list: owner =>
			current()
				.filter(({share}) => share.owner === owner)
				.map(({share: {id, session, role, endsAt}, code, connections}) => ({
					id,
					session,
					role,
					ends_at: new Date(endsAt).toISOString(),
					used: code === undefined,
					connected: connections.size > 0,
				})),
		revoke(idOrPrefix, owner) {
			const matches = current().filter(({share}) => share.owner === owner && share.id.startsWith(idOrPrefix));
			const [only] = matches;
			if (!only || matches.length > 1 || idOrPrefix === '') {
				throw new AppError('not-found', `No link “${idOrPrefix.slice(0, 40)}”.`, {hint: 'List them: `host shares`'});
			}

			end(only.share.id);
			return only.share;
		},
		join(given) {
			const hash = hashOf(given);
			const each = current().find(({code}) => code === hash);
			if (!each) {
				return undefined;
			}

			const pass = randomBytes(32).toString('base64url');
			each.code = undefined;
			each.pass = hashOf(pass);
			return {pass, share: each.share};
		},
		guest(given) {
			const hash = hashOf(given);
			const each = current().find(({pass}) => pass === hash);
			return (
				each && {
					share: each.share,
					keep(connection) {
						if (!kept.has(each.share.id)) {
							connection.close();
						}

						each.connections.add(connection);
						return () => each.connections.delete(connection);
					},
				}
			);
		},
		endSession(session) {
			for (const [id, {share}] of kept) {
				if (share.session === session) {
					end(id);
				}
			}
		},
		endOf(owner) {
			for (const [id, {share}] of kept) {
				if (share.owner === owner) {
					end(id);
				}
			}
		},
		close() {
			for (const id of kept.keys()) {
				end(id);
			}
		},
	};
}

/** Codes have 160 random bits and passes 256, so that a fast hash compares them in a time that tells nothing (SAFETY 26). */
function hashOf(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

import {randomBytes} from 'node:crypto';
import type {HostedAccount, HostedConnection, OpenHosting} from '../../contract/hosting.ts';
import {hashToken, kindOfToken} from '../accounts/token.ts';
import type {Queries} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import type {Log} from '../kit/log.ts';
import {loggingFaults} from '../kit/log.ts';
import type {DataAccess} from '../kit/services.ts';

/** What the operator chose. */
export type HostingChoice = {
	readonly open: OpenHosting;
	readonly folders: readonly string[];
	/** Addresses of users who may host beside the administrators of the server, in lower case; `all` for every user. */
	readonly users: readonly string[] | 'all';
};

/** The login that a pass was given for, and ends with. */
export type PassLogin = {
	readonly userId: string;
	/** The API key, or the one that opened the login. */
	readonly apiKeyId: string | null;
	/** The hash of the access token of a login. */
	readonly tokenHash: string | undefined;
};

type Pass = {
	readonly user: HostedAccount;
	readonly apiKeyId: string | null;
	/** The login of an access token: all tokens that it is renewed with. */
	readonly familyId: string | null;
	readonly connections: Set<HostedConnection>;
	/** When it was last in use, in milliseconds since the epoch. */
	usedAt: number;
};

/** What a terminal proves with that its user has logged in, however often its connection is cut. */
export type HostPasses = {
	/** Creates a pass. Rejects with 403 if the user may host no sessions, with 429 if they have too many passes. */
	readonly give: (login: PassLogin, user: HostedAccount) => Promise<string>;
	/** Returns who has a pass; undefined for any other text. */
	readonly find: (pass: string) => HostedAccount | undefined;
	/** Keeps a connection until it is closed, or until its pass ends. Returns what to call once it is closed. */
	readonly keep: (pass: string, connection: HostedConnection) => () => void;
	/** Ends what has lost its login. */
	readonly check: () => Promise<void>;
	readonly close: () => void;
};

type Services = DataAccess & {readonly log: Log};

type Options = Pick<HostingChoice, 'users'> & {
	/** Called for a user who may host no sessions any more. */
	readonly onLost: (userId: string) => Promise<void>;
};

/** How long a connection may outlive the login of its user (SAFETY 34). */
export const recheckMs = 5000;

/** How long a pass without a connection is kept: terminals come back after a cut. */
const idleMs = 60 * 60 * 1000;

const maxPasses = 64;
const maxConnections = 64;

export function createHostPasses(services: Services, {users, onLost}: Options): HostPasses {
	const passes = new Map<string, Pass>();
	/** Users who have, or had, sessions here. */
	const hosted = new Set<string>();
	const nowMs = () => services.now().getTime();

	const drop = (hash: string) => {
		const connections = passes.get(hash)?.connections ?? [];
		passes.delete(hash);
		for (const connection of connections) {
			connection.close();
		}
	};
	const check = async () => {
		for (const [hash, {connections, usedAt}] of passes) {
			if (connections.size === 0 && nowMs() - usedAt > idleMs) {
				drop(hash);
			}
		}

		for (const userId of [...hosted]) {
			const isUser = await mayHost(services.database, userId, users);
			for (const [hash, pass] of passes) {
				if (pass.user.id === userId && !(isUser && (await isLoggedIn(services, pass)))) {
					drop(hash);
				}
			}

			if (!isUser) {
				hosted.delete(userId);
				await onLost(userId);
			}
		}
	};
	const attempt = loggingFaults(services.log, 'host sessions');
	const timer = setInterval(() => void attempt(check), recheckMs);
	timer.unref();

	return {
		async give({userId, apiKeyId, tokenHash}, user) {
			if (!(await mayHost(services.database, userId, users))) {
				reject(
					403,
					'Only administrators of this server host sessions here. Its operator lets others with --host-users.',
				);
			}

			if ([...passes.values()].filter(pass => pass.user.id === userId).length >= maxPasses) {
				reject(429, `You have ${maxPasses} terminals here. Close some, and try again.`, {
					headers: {'retry-after': '60'},
				});
			}

			const familyId = tokenHash === undefined ? null : await familyOf(services.database, tokenHash);
			const pass = randomBytes(32).toString('base64url');
			passes.set(hashToken(pass), {user, apiKeyId, familyId, connections: new Set(), usedAt: nowMs()});
			hosted.add(userId);
			return pass;
		},
		find: pass => passes.get(hashToken(pass))?.user,
		keep(given, connection) {
			const pass = passes.get(hashToken(given));
			if (!pass || pass.connections.size >= maxConnections) {
				connection.close();
				return () => undefined;
			}

			pass.connections.add(connection);
			return () => {
				pass.connections.delete(connection);
				pass.usedAt = nowMs();
			};
		},
		check,
		close() {
			clearInterval(timer);
			for (const hash of [...passes.keys()]) {
				drop(hash);
			}
		},
	};
}

/** Returns the hash of the access token that a request has; undefined for an API key. */
export function tokenHashOf(credential: string): string | undefined {
	return kindOfToken(credential) === 'access' ? hashToken(credential) : undefined;
}

/** Returns whether a user isn't suspended, and may host sessions. */
async function mayHost(queries: Queries, userId: string, users: HostingChoice['users']): Promise<boolean> {
	const user = await queries
		.selectFrom('users')
		.select(['email', 'is_administrator', 'suspended_at'])
		.where('id', '=', userId)
		.executeTakeFirst();
	return (
		user !== undefined &&
		user.suspended_at === null &&
		(user.is_administrator === 1 || users === 'all' || users.includes(user.email.toLowerCase()))
	);
}

async function familyOf(queries: Queries, tokenHash: string): Promise<string | null> {
	const token = await queries
		.selectFrom('tokens')
		.select('family_id')
		.where('token_hash', '=', tokenHash)
		.executeTakeFirst();
	return token?.family_id ?? null;
}

/** Returns whether the API key or the login that a pass was given for is still valid: a login while one of its tokens is. */
async function isLoggedIn({database, now}: DataAccess, {apiKeyId, familyId}: Pass): Promise<boolean> {
	const at = now().toISOString();
	const isKeyActive = async () => {
		const key = await database
			.selectFrom('api_keys')
			.select('id')
			.where('id', '=', apiKeyId)
			.where('revoked_at', 'is', null)
			.where(({eb, or}) => or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
			.executeTakeFirst();
		return key !== undefined;
	};
	const isFamilyActive = async () => {
		const token = await database
			.selectFrom('tokens')
			.select('id')
			.where('family_id', '=', familyId)
			.where('revoked_at', 'is', null)
			.where('expires_at', '>', at)
			.executeTakeFirst();
		return token !== undefined;
	};
	return (apiKeyId === null || (await isKeyActive())) && (familyId === null || (await isFamilyActive()));
}

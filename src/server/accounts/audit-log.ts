import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import type {Selectable} from 'kysely';
import type {JsonObject} from '../../core/json.ts';
import type {DatabaseTransaction, Queries, Tables} from '../database/tables.ts';

/** Everything that is entered in the audit log, by what it is done to. */
export type AuditedAct =
	| `organization.${'create' | 'update' | 'limits' | 'credits' | 'suspend' | 'reinstate' | 'delete'}`
	| `${'workspace' | 'project'}.${'create' | 'rename'}`
	| `${'project' | 'session' | 'environment'}.delete`
	| `member.${'add' | 'role' | 'remove' | 'unlimit' | 'invite' | 'uninvite'}`
	| `key.${'create' | 'limit' | 'revoke'}`
	| `user.${'password' | 'connect' | 'logout' | 'administrator' | 'suspend' | 'reinstate'}`
	/** A link to a session that the server hosts: created, ended early, and opened. */
	| `host.${'share' | 'unshare' | 'join'}`
	| 'machine.forget';

/** Who acts: a user through a request, or the operator with a command on the server's machine. */
export type Actor =
	| {
			readonly kind: 'user';
			readonly id: string;
			/** Where the request came from; undefined if unknown. */
			readonly address: string | undefined;
			readonly requestId: string | undefined;
	  }
	| {readonly kind: 'operator'};

export const operator: Actor = {kind: 'operator'};

type Entry = {
	readonly act: AuditedAct;
	/** The organization whose admins see it; null if only administrators of the server do. */
	readonly organizationId: string | null;
	/** What it was done to, and what that is called. */
	readonly subject: {readonly id: string | null; readonly name: string};
	/** What was set. Never a credential (SAFETY 8). */
	readonly details?: JsonObject;
	readonly at: Date;
};

/** Enters an act in the audit log, in the transaction that does it: neither exists without the other (SAFETY 29). */
export async function recordAct(
	transaction: DatabaseTransaction,
	actor: Actor,
	{act, organizationId, subject, details = {}, at}: Entry,
): Promise<void> {
	const isUser = actor.kind === 'user';
	await transaction
		.insertInto('audit_log')
		.values({
			id: randomUUID(),
			at: at.toISOString(),
			organization_id: organizationId,
			actor_kind: actor.kind,
			actor_id: isUser ? actor.id : null,
			actor: isUser ? await emailOf(transaction, actor.id) : 'operator',
			act,
			subject_id: subject.id,
			subject: subject.name,
			details: JSON.stringify(details),
			address: isUser ? (actor.address ?? null) : hostname(),
			request_id: isUser ? (actor.requestId ?? null) : null,
		})
		.execute();
}

/** Returns the e-mail address of a user; their id if they have been deleted. */
export async function emailOf(queries: Queries, userId: string): Promise<string> {
	const user = await queries.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
	return user?.email ?? userId;
}

/** The place of an entry in the log, from which older ones follow. */
export type AuditCursor = {readonly at: string; readonly id: string};

type Wanted = {
	/** The organization; undefined for all entries of the server. */
	readonly organizationId: string | undefined;
	readonly after: AuditCursor | undefined;
	/** Only entries from this time on, and before that one; ISO 8601 in UTC. */
	readonly since: string | undefined;
	readonly until: string | undefined;
	readonly limit: number;
};

/** An entry with the slug of its organization, if that still exists. */
export type AuditEntry = Selectable<Tables['audit_log']> & {readonly organization: string | null};

/** Returns entries of the audit log, newest first. */
export async function readAuditLog(
	queries: Queries,
	{organizationId, after, since, until, limit}: Wanted,
): Promise<readonly AuditEntry[]> {
	return await queries
		.selectFrom('audit_log')
		.leftJoin('organizations', 'organizations.id', 'audit_log.organization_id')
		.selectAll('audit_log')
		.select('organizations.slug as organization')
		.$if(organizationId !== undefined, query => query.where('organization_id', '=', organizationId ?? ''))
		.$if(since !== undefined, query => query.where('at', '>=', since ?? ''))
		.$if(until !== undefined, query => query.where('at', '<', until ?? ''))
		.$if(after !== undefined, query =>
			query.where(({and, or, eb}) =>
				or([
					eb('at', '<', after?.at ?? ''),
					and([eb('at', '=', after?.at ?? ''), eb('audit_log.id', '<', after?.id ?? '')]),
				]),
			),
		)
		.orderBy('at', 'desc')
		.orderBy('audit_log.id', 'desc')
		.limit(limit)
		.execute();
}

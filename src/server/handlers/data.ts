import {sql} from 'kysely';
import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import {type Actor, type AuditedAct, recordAct} from '../accounts/audit-log.ts';
import type {Principal} from '../kit/authorize.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import {
	type DataPlace,
	deleteEnvironment,
	deleteProject,
	deleteSession,
	type RecordDeletion,
} from '../retention/delete-data.ts';
import {assertSameMachine} from '../sandboxes/provider-fault.ts';
import type {Handlers} from './handler.ts';
import {filterProjectId} from './page.ts';
import type {Services} from './services.ts';

/** How many bytes of spans a page has at most, unless its first span has more. */
const maxPageBytes = 4 * 1024 * 1024;

/** Where the page after a span begins. */
const cursorSchema = z.tuple([z.string(), z.string(), z.string()]);

type Cursor = z.infer<typeof cursorSchema>;

const encodeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function decodeCursor(text: string): Cursor {
	const {data} = z.safeParse(cursorSchema, parseJson(Buffer.from(text, 'base64url').toString()));
	return data ?? rejectField(['query', 'after'], 'must be `next` of the page before', 'invalid_cursor');
}

/**
 * Returns a session by id or the beginning of one. Rejects an ambiguous one (409). Other users' private sessions are 404, as if
 * they didn't exist.
 */
async function findSession(
	{database}: Pick<Services, 'database'>,
	workspaceId: string,
	{userId}: Principal,
	prefix: string,
): Promise<{readonly id: string; readonly user_id: string}> {
	const found = await database
		.selectFrom('sessions')
		.select(['id', 'user_id'])
		.where('workspace_id', '=', workspaceId)
		.where('id', 'like', `${prefix.toLowerCase()}%`)
		.where(({or, eb}) => or([eb('visibility', '=', 'workspace'), eb('user_id', '=', userId)]))
		.limit(2)
		.execute();
	const [session] = found;
	return found.length > 1
		? reject(409, `Several sessions begin with “${prefix}”. Enter more characters of the id.`)
		: (session ?? rejectNotFound());
}

type Deletion = {readonly actor: Actor; readonly place: DataPlace; readonly at: Date};

/** Returns what enters a deletion in the audit log. */
function recordOf(
	act: AuditedAct,
	subject: {readonly id: string; readonly name: string},
	{actor, place: {organizationId}, at}: Deletion,
): RecordDeletion {
	return transaction => recordAct(transaction, actor, {act, organizationId, subject, at});
}

/** What all data has in common: its spans can be exported, and it can be deleted. */
export const dataHandlers = {
	/** A page ends early if its spans are large. A cursor stays valid while spans are deleted and arrive. */
	async exportSpans({query}, {principal, scope, services: {database}}) {
		const projectId = filterProjectId(scope, query.project);
		const after = query.after ? decodeCursor(query.after) : undefined;
		const session = query.session
			? (await findSession({database}, scope.workspace.id, principal, query.session)).id
			: undefined;
		const spans = database
			.selectFrom('spans')
			// Joined, because PostgreSQL would read all sessions to look for those of a page.
			.leftJoin('sessions', 'sessions.id', 'spans.session_id')
			.where('spans.workspace_id', '=', scope.workspace.id)
			.where(({or, eb}) =>
				or([
					eb('session_id', 'is', null),
					eb('visibility', '=', 'workspace'),
					eb('sessions.user_id', '=', principal.userId),
				]),
			)
			.$if(projectId !== undefined, found => found.where('spans.project_id', '=', projectId ?? ''))
			.$if(session !== undefined, found => found.where('session_id', '=', session ?? ''))
			.orderBy('received_at')
			.orderBy('trace_id')
			.orderBy('span_id');
		const place = sql`(received_at, trace_id, span_id)`;
		const behind = after ? spans.where(sql<boolean>`${place} > (${after[0]}, ${after[1]}, ${after[2]})`) : spans;
		const sizes = await behind
			.select([
				'received_at',
				'trace_id',
				'span_id',
				sql<number>`octet_length(attributes) + octet_length(resource) + octet_length(events)`.as('bytes'),
			])
			.limit(query.limit)
			.execute();
		let bytes = 0;
		const end = sizes.findIndex(({bytes: more}, index) => {
			bytes += more;
			return index > 0 && bytes > maxPageBytes;
		});
		const last = sizes.at(end < 0 ? -1 : end - 1);
		if (!last) {
			return {items: [], next: null};
		}

		const rows = await behind
			.select(['trace_id', 'span_id', 'parent_span_id', 'name', 'type', 'kind', 'started_at_us', 'ended_at_us'])
			.select(['status_code', 'status_message', 'session_id', 'spans.project_id', 'attributes', 'resource', 'events'])
			.where(sql<boolean>`${place} <= (${last.received_at}, ${last.trace_id}, ${last.span_id})`)
			.limit(query.limit)
			.execute();
		return {
			items: rows.map(row => ({
				...row,
				attributes: JSON.parse(row.attributes),
				resource: JSON.parse(row.resource),
				events: JSON.parse(row.events),
			})),
			next:
				end < 0 && sizes.length < query.limit ? null : encodeCursor([last.received_at, last.trace_id, last.span_id]),
		};
	},

	/** For its owner and admins. Rejects what `findSession` does. */
	async deleteSession({params: {sessionId}}, {principal, scope, services, actor}) {
		const session = await findSession(services, scope.workspace.id, principal, sessionId);
		const isOwn = session.user_id === principal.userId;
		if (!isOwn && scope.role === 'member') {
			return reject(403, 'This session is another member’s. Only they and admins can delete it.');
		}

		const place = {organizationId: scope.organization.id, workspaceId: scope.workspace.id};
		const subject = {id: session.id, name: session.id};
		const record = isOwn ? undefined : recordOf('session.delete', subject, {actor, place, at: services.now()});
		await deleteSession(services, place, session.id, {record});
		return undefined;
	},

	async deleteEnvironment({params: {environmentId}}, {principal, scope, services, actor}) {
		const found = await services.database
			.selectFrom('environments')
			.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
			.select(['environments.id', 'environments.created_by', 'environments.task_ref', 'sandboxes.machine'])
			.where('environments.id', '=', environmentId.toLowerCase())
			.where('environments.workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		if (!found) {
			return rejectNotFound();
		}

		const isOwn = found.created_by === principal.userId;
		if (!isOwn && scope.role === 'member') {
			return reject(403, 'This sandbox is another member’s. Only they and admins can delete it.');
		}

		await assertSameMachine(services, found.machine, 'delete it');
		const place = {organizationId: scope.organization.id, workspaceId: scope.workspace.id};
		const subject = {id: found.id, name: found.task_ref};
		const record = isOwn ? undefined : recordOf('environment.delete', subject, {actor, place, at: services.now()});
		await deleteEnvironment(services, place, found.id, record);
		return undefined;
	},

	async deleteProject(_, {scope, services, actor}) {
		const place = {organizationId: scope.organization.id, workspaceId: scope.workspace.id};
		const {id, slug: name} = scope.project;
		await deleteProject(
			services,
			place,
			id,
			recordOf('project.delete', {id, name}, {actor, place, at: services.now()}),
		);
		return undefined;
	},
} satisfies Partial<Handlers>;

import {sql} from 'kysely';
import {uncounted} from '../../ingest/messages.ts';
import {maxNameLength} from '../../ingest/read-attributes.ts';
import type {Handlers} from '../handler.ts';
import {filterProjectId, readPage} from '../page.ts';

export const sessionListHandlers = {
	/** Most recently changed first. Omits other users' private sessions. */
	async listSessions({query}, {principal, scope, services: {database}}) {
		const projectId = filterProjectId(scope, query.project);
		const rows = database
			.selectFrom('sessions')
			.innerJoin('users', 'users.id', 'sessions.user_id')
			.leftJoin('projects', 'projects.id', 'sessions.project_id')
			.select(({selectFrom}) => [
				'sessions.id',
				'archived_at',
				'sessions.created_at',
				'email',
				'full_name',
				'username',
				'frozen_at',
				'frozen_by',
				'last_message_at',
				'origin',
				'preview_text',
				'project_id',
				'projects.name as project_name',
				'runtime_id',
				'title',
				'sessions.updated_at',
				'user_id',
				'visibility',
				'sessions.workspace_id',
				// Spans may contain long values, and a page has many rows.
				sql<string | null>`substr(agent, 1, ${sql.lit(maxNameLength)})`.as('agent'),
				sql<string>`substr(model, 1, ${sql.lit(maxNameLength)})`.as('model'),
				selectFrom('session_messages')
					.select(({fn}) => fn.countAll<number>().as('count'))
					.whereRef('session_id', '=', 'sessions.id')
					.where('role', 'not in', [...uncounted])
					.as('message_count'),
			])
			.where('sessions.workspace_id', '=', scope.workspace.id)
			.where(({or, eb}) => or([eb('visibility', '=', 'workspace'), eb('user_id', '=', principal.userId)]))
			.$if(projectId !== undefined, found => found.where('project_id', '=', projectId ?? ''));
		const {items, ...page} = await readPage(query, rows, ordered =>
			ordered.orderBy('sessions.updated_at', 'desc').orderBy('sessions.id'),
		);
		return {
			...page,
			items: items.map(({email, full_name, username, ...row}) => ({
				...row,
				message_count: Number(row.message_count),
				created_by: {email, full_name, id: row.user_id, username},
			})),
		};
	},
} satisfies Partial<Handlers>;

import {type Selectable, sql} from 'kysely';
import type {Session} from '../../contract/resources/session.ts';
import {sessionReaderSql} from '../database/migrations/037-list-indexes.ts';
import type {Queries, Tables} from '../database/tables.ts';
import {countsAsMessage, usageColumns} from '../ingest/messages.ts';
import {maxNameLength} from '../ingest/read-attributes.ts';
import {lockWorkspaces} from '../ingest/target.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {filterProjectId, keptTotal, readLongPage, sortBy} from './page.ts';
import type {ServerCatalog} from './server-catalog.ts';

export const sessionHandlers = {
	/**
	 * Unarchives a session; one that is not archived stays as it is. An ambiguous id prefix is 409. Other users'
	 * private sessions are 404, as if they didn't exist.
	 */
	async unarchiveSession({params: {sessionId}}, {principal, scope, services}) {
		const {database, catalog, now} = services;
		return database.transaction().execute(async transaction => {
			// Ingesting spans reads, changes and writes the archive state, and must not interleave.
			await lockWorkspaces(transaction, [scope.workspace.id]);
			const found = await transaction
				.selectFrom('sessions')
				.select(['id', 'archived_at', 'said_at'])
				.where('workspace_id', '=', scope.workspace.id)
				.where('id', 'like', `${sessionId.toLowerCase()}%`)
				.where(({or, eb}) => or([eb('visibility', '=', 'workspace'), eb('user_id', '=', principal.userId)]))
				.limit(2)
				.execute();
			const [session] = found;
			if (!session) {
				return rejectNotFound();
			}

			if (found.length > 1) {
				return reject(409, `Several sessions begin with “${sessionId}”. Enter more characters of the id.`);
			}

			if (session.archived_at !== null) {
				const time = now();
				// An earlier span that archives the session must not do so again if it arrives later.
				const saidAt = {...JSON.parse(session.said_at), archived_at: time.getTime() * 1000};
				await transaction
					.updateTable('sessions')
					.set({archived_at: null, updated_at: time.toISOString(), said_at: JSON.stringify(saidAt)})
					.where('id', '=', session.id)
					.execute();
			}

			return (await readSession(transaction, catalog, session.id)) ?? rejectNotFound();
		});
	},

	/** Most recently changed first. Omits other users' private sessions. */
	async listSessions({query}, context) {
		const {principal, scope, services} = context;
		const {database} = services;
		const projectId = filterProjectId(scope, query.project);
		const scopeId = projectId ?? scope.workspace.id;
		const {items, ...page} = await readLongPage(context, query, {
			// Those of everyone, and those of the caller: each is a range, however many private ones others have.
			matches: ['', principal.userId].map(reader =>
				database
					.selectFrom('sessions')
					.where(projectId === undefined ? 'workspace_id' : 'project_id', '=', scopeId)
					.where(sql.raw(sessionReaderSql), '=', reader),
			),
			count: keptTotal(database, {list: 'sessions', scopeId, userId: principal.userId}),
			order: [sortBy('sessions.updated_at', 'desc'), sortBy('sessions.id')],
			rowsOf: ids =>
				database
					.selectFrom('sessions')
					.innerJoin('users', 'users.id', 'sessions.user_id')
					.leftJoin('projects', 'projects.id', 'sessions.project_id')
					.leftJoin('session_counts', 'session_counts.session_id', 'sessions.id')
					.select([
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
						'session_counts.messages as message_count',
					])
					.where('sessions.id', 'in', ids),
		});
		return {
			...page,
			items: items.map(({email, full_name, username, ...row}) => ({
				...row,
				message_count: row.message_count ?? 0,
				created_by: {email, full_name, id: row.user_id, username},
			})),
		};
	},
} satisfies Partial<Handlers>;

type Message = Pick<Selectable<Tables['session_messages']>, (typeof usageColumns)[number]>;

/** Returns a session with usage derived from its messages; undefined if there is no such session. */
async function readSession(queries: Queries, catalog: ServerCatalog, id: string): Promise<Session | undefined> {
	const row = await findRow(queries, id);
	if (!row) {
		return undefined;
	}

	const usage = usageOf(await listMessages(queries, id), await listCompactions(queries, id), catalog);
	return {
		id: row.id,
		agent: row.agent,
		archived_at: row.archived_at,
		created_at: row.created_at,
		created_by: {email: row.email, full_name: row.full_name, id: row.user_id, username: row.username},
		frozen_at: row.frozen_at,
		frozen_by: row.frozen_by,
		labels: JSON.parse(row.labels),
		last_message_at: row.last_message_at,
		message_count: usage.total_message_count,
		model: row.model,
		origin: row.origin,
		preview_text: row.preview_text,
		project_id: row.project_id,
		project_name: row.project_name,
		runtime_id: row.runtime_id,
		title: row.title,
		updated_at: row.updated_at,
		usage,
		user_id: row.user_id,
		visibility: row.visibility,
		workspace_id: row.workspace_id,
	};
}

function findRow(queries: Queries, id: string) {
	return queries
		.selectFrom('sessions')
		.innerJoin('users', 'users.id', 'sessions.user_id')
		.leftJoin('projects', 'projects.id', 'sessions.project_id')
		.selectAll('sessions')
		.select(['users.email', 'users.full_name', 'users.username', 'projects.name as project_name'])
		.where('sessions.id', '=', id)
		.executeTakeFirst();
}

/** Returns what usage derives from, in the order of the messages. */
function listMessages(queries: Queries, id: string): Promise<readonly Message[]> {
	return queries
		.selectFrom('session_messages')
		.select(usageColumns)
		.where('session_id', '=', id)
		.orderBy('at_us')
		.orderBy('message_id')
		.execute();
}

/** Returns when the session was compacted, latest first. */
function listCompactions(queries: Queries, id: string): Promise<readonly {readonly at_us: number}[]> {
	return queries
		.selectFrom('session_compactions')
		.select('at_us')
		.where('session_id', '=', id)
		.orderBy('at_us', 'desc')
		.execute();
}

/** Returns the usage of a session, given its messages in order and its compactions, latest first. */
function usageOf(
	messages: readonly Message[],
	compactions: readonly {readonly at_us: number}[],
	catalog: ServerCatalog,
): Session['usage'] {
	const lastCompactionUs = compactions[0]?.at_us ?? 0;
	const current = sum(
		messages.filter(({at_us}) => at_us >= lastCompactionUs),
		catalog,
	);
	const total = sum(messages, catalog);
	const last = messages.findLast(({is_generation, role}) => is_generation === 1 && role !== 'task');
	return {
		compaction_count: compactions.length,
		current_cache_creation_input_tokens: current.cacheWrite,
		current_cache_read_input_tokens: current.cacheRead,
		current_cost_usd: current.cost,
		current_input_tokens: current.input,
		current_message_count: current.messages,
		current_output_tokens: current.output,
		current_tool_call_count: current.toolCalls,
		last_generation_input_tokens: last
			? last.input_tokens + last.cache_read_input_tokens + last.cache_creation_input_tokens
			: null,
		total_cache_creation_input_tokens: total.cacheWrite,
		total_cache_read_input_tokens: total.cacheRead,
		total_cost_usd: total.cost,
		total_input_tokens: total.input,
		total_message_count: total.messages,
		total_output_tokens: total.output,
		total_tool_call_count: total.toolCalls,
	};
}

function sum(messages: readonly Message[], catalog: ServerCatalog) {
	const add = (of: (message: Message) => number) => messages.reduce((total, message) => total + of(message), 0);
	const costs = messages.filter(({is_generation}) => is_generation === 1).map(message => costOf(message, catalog));
	return {
		input: add(message => message.input_tokens),
		cacheRead: add(message => message.cache_read_input_tokens),
		cacheWrite: add(message => message.cache_creation_input_tokens),
		output: add(message => message.output_tokens),
		toolCalls: add(message => message.tool_call_count),
		// A tool call is a part of the message that requested it.
		messages: messages.filter(({role}) => countsAsMessage(role)).length,
		// One unknown price makes the sum unknown: a part of it would be wrong.
		cost: costs.length === 0 ? null : costs.reduce(plus),
	};
}

const plus = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

function costOf(message: Message, catalog: ServerCatalog): number | null {
	return (
		message.cost_usd ??
		catalog.costOf(message.model ?? '', {
			input: message.input_tokens,
			cacheRead: message.cache_read_input_tokens,
			cacheWrite: message.cache_creation_input_tokens,
			output: message.output_tokens,
			reasoning: 0,
		})
	);
}

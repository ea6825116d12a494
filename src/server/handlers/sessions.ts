import {lockWorkspaces} from '../ingest/target.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {readSession} from './responses/session-response.ts';

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
} satisfies Partial<Handlers>;

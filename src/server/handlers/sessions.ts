import {holdWorkspaces} from '../ingest/place.ts';
import {notFound} from '../kit/guard.ts';
import {refuse} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {readSession} from './responses/session-response.ts';

export const sessionHandlers = {
	/**
	 * Takes a session out of the archive; one that is not in it stays as it is. The beginning of an id that several
	 * sessions of the caller's have is 409. Other users' private sessions are 404, as if there were none.
	 */
	async unarchiveSession({params: {sessionId}}, {principal, scope, services}) {
		const {database, catalog, now} = services;
		return database.transaction().execute(async transaction => {
			// What spans say of the archive is read, changed and written back, and must not be between.
			await holdWorkspaces(transaction, [scope.workspace.id]);
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
				return refuse(404, notFound);
			}

			if (found.length > 1) {
				return refuse(409, `Several sessions begin with “${sessionId}”. Enter more characters of the id.`);
			}

			if (session.archived_at !== null) {
				const time = now();
				// A span that archived it before this moment, and comes later, must not do so again.
				const saidAt = {...JSON.parse(session.said_at), archived_at: time.getTime() * 1000};
				await transaction
					.updateTable('sessions')
					.set({archived_at: null, updated_at: time.toISOString(), said_at: JSON.stringify(saidAt)})
					.where('id', '=', session.id)
					.execute();
			}

			return (await readSession(transaction, catalog, session.id)) ?? refuse(404, notFound);
		});
	},
} satisfies Partial<Handlers>;

import type {DataAccess} from '../kit/services.ts';
import {revokeFamily} from './oauth/tokens.ts';

/** A user's login on a device. */
export type ActiveLogin = {
	readonly id: string;
	/** The name that the program claims; untrusted. */
	readonly program: string;
	/** When it logged in and when it last refreshed its tokens, ISO 8601 in UTC. */
	readonly startedAt: string;
	readonly refreshedAt: string;
};

/** Returns the active logins of a user, the latest first. */
export async function listLogins({database, now}: DataAccess, userId: string): Promise<readonly ActiveLogin[]> {
	const rows = await database
		.selectFrom('tokens')
		.select(['family_id', 'program'])
		.select(({fn}) => [fn.min('created_at').as('started_at'), fn.max('created_at').as('refreshed_at')])
		.where('user_id', '=', userId)
		.where('kind', '=', 'refresh')
		.where('revoked_at', 'is', null)
		.where('expires_at', '>', now().toISOString())
		.groupBy(['family_id', 'program'])
		.orderBy('refreshed_at', 'desc')
		.orderBy('family_id')
		.execute();
	return rows.map(({family_id: id, program, started_at: startedAt, refreshed_at: refreshedAt}) => ({
		id,
		program: program ?? 'unknown',
		startedAt,
		refreshedAt,
	}));
}

/** Ends a user's login with all its tokens. Ignores other users' logins and ended ones. */
export async function endLogin(
	{database, now}: DataAccess,
	{id, userId}: {readonly id: string; readonly userId: string},
) {
	await database.transaction().execute(async transaction => {
		const owned = await transaction
			.selectFrom('tokens')
			.select('id')
			.where('family_id', '=', id)
			.where('user_id', '=', userId)
			.executeTakeFirst();
		if (owned) {
			await revokeFamily(transaction, now(), id);
		}
	});
}

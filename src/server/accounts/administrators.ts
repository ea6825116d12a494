import {AppError} from '../../core/error.ts';
import type {DataAccess} from '../kit/services.ts';
import {operator, recordAct} from './audit-log.ts';
import {findAccountByEmail} from './user.ts';

/**
 * Sets whether a user administers the whole server. Only the operator does that, with a command on the
 * server's machine. Throws `AppError("not-found")` for an unknown address.
 */
export async function setAdministrator(
	services: DataAccess,
	{email, isAdministrator}: {readonly email: string; readonly isAdministrator: boolean},
): Promise<{readonly userId: string}> {
	return await services.database.transaction().execute(async database => {
		const account = await findAccountByEmail({database}, email);
		if (!account) {
			throw new AppError('not-found', `User not found: “${email}”.`, {hint: 'Add one with `serve member <email>`.'});
		}

		await database
			.updateTable('users')
			.set({is_administrator: isAdministrator ? 1 : 0})
			.where('id', '=', account.id)
			.execute();
		await recordAct(database, operator, {
			act: 'user.administrator',
			organizationId: null,
			subject: {id: account.id, name: account.email},
			details: {is_administrator: isAdministrator},
			at: services.now(),
		});
		return {userId: account.id};
	});
}

import {endedStates} from '../../contract/resources/environment.ts';
import type {DatabaseTransaction} from '../database/tables.ts';

/** Whose sandboxes end: those that a user created, or those of an organization. */
type Owned = {readonly column: 'created_by' | 'organization_id'; readonly id: string};

/**
 * Ends every login of a user: tokens, browser sessions, device logins that were approved, codes for a password, and tokens of
 * sandboxes. API keys stay, but none is accepted while the user is suspended.
 */
export async function endLogins(transaction: DatabaseTransaction, userId: string, at: string): Promise<void> {
	for (const table of ['tokens', 'browser_sessions'] as const) {
		await transaction
			.updateTable(table)
			.set({revoked_at: at})
			.where('user_id', '=', userId)
			.where('revoked_at', 'is', null)
			.execute();
	}

	await transaction
		.updateTable('device_authorizations')
		.set({status: 'denied'})
		.where('user_id', '=', userId)
		.where('status', '=', 'approved')
		.execute();
	await transaction.deleteFrom('password_codes').where('user_id', '=', userId).execute();
	await transaction.deleteFrom('execute_tokens').where('user_id', '=', userId).execute();
}

/**
 * Lets the time of sandboxes end now. The server of each machine sees that with its next check: it ends environments, and pauses
 * runtimes, whose files stay.
 */
export async function endSandboxTime(transaction: DatabaseTransaction, {column, id}: Owned, at: string): Promise<void> {
	await transaction
		.updateTable('environments')
		.set({expires_at: at})
		.where(column, '=', id)
		.where('state', 'not in', endedStates)
		.execute();
	await transaction
		.updateTable('sandboxes')
		.set({expires_at: at, due_at: at})
		.where(column, '=', id)
		.where('state', '=', 'running')
		.execute();
}

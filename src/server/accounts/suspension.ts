import {endedStates} from '../../contract/resources/environment.ts';
import type {DatabaseTransaction} from '../database/tables.ts';

/** Whose sandboxes end: those that a user created, or those of an organization. */
type Owned = {readonly column: 'created_by' | 'organization_id'; readonly id: string};

/** Which logins end: all of a user, or those that come from a session at an OpenID provider. */
type Logins = {readonly column: 'user_id' | 'provider_session'; readonly id: string};

/** Ends logins: browser sessions, device logins that were approved, and tokens. API keys stay. */
export async function endSessions(transaction: DatabaseTransaction, {column, id}: Logins, at: string): Promise<void> {
	// First, and so in the order in which one opens the next: each statement waits for whoever opens something with what it ends.
	await transaction
		.updateTable('browser_sessions')
		.set({revoked_at: at})
		.where(column, '=', id)
		.where('revoked_at', 'is', null)
		.execute();
	await transaction
		.updateTable('device_authorizations')
		.set({status: 'denied'})
		.where(column, '=', id)
		.where('status', '=', 'approved')
		.execute();
	const tokens = transaction.updateTable('tokens').where(column, '=', id).where('revoked_at', 'is', null);
	// Waits for concurrent refreshes. Only the next statement sees the tokens which those created.
	await tokens.set(({ref}) => ({client_id: ref('client_id')})).execute();
	await tokens.set({revoked_at: at}).execute();
}

/**
 * Ends every login of a user, as `endSessions` does, and codes for a password and tokens of sandboxes. API keys stay, but none
 * is accepted while the user is suspended.
 */
export async function endLogins(transaction: DatabaseTransaction, userId: string, at: string): Promise<void> {
	await endSessions(transaction, {column: 'user_id', id: userId}, at);
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

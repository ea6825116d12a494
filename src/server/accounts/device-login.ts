import type {DataAccess} from '../kit/services.ts';
import {parseUserCode} from './user-code.ts';

/** A device login that waits for the user's decision. */
export type WaitingLogin = {
	readonly id: string;
	readonly userCode: string;
	/** The name that the program claims; untrusted. */
	readonly program: string;
	/** The client address; undefined if unknown. */
	readonly address: string | undefined;
	/** ISO 8601 in UTC. */
	readonly createdAt: string;
};

/** Returns the login that waits for a code, however it is typed; undefined if the code is wrong or has expired. */
export async function findLogin({database, now}: DataAccess, typed: string): Promise<WaitingLogin | undefined> {
	const userCode = parseUserCode(typed);
	if (!userCode) {
		return undefined;
	}

	const found = await database
		.selectFrom('device_authorizations')
		.select(['id', 'requested_from', 'requested_address', 'created_at'])
		.where('user_code', '=', userCode)
		.where('status', '=', 'pending')
		.where('expires_at', '>', now().toISOString())
		.executeTakeFirst();
	if (!found) {
		return undefined;
	}

	const {id, requested_from: program, requested_address: address, created_at: createdAt} = found;
	return {id, userCode, program: program ?? 'unknown', address: address ?? undefined, createdAt};
}

type Decision = {
	readonly decision: 'approved' | 'denied';
	readonly userId: string;
	readonly apiKeyId: string | null;
};

/** Decides a login once. Returns false if another request was faster, or the login has expired. */
export async function decideLogin(
	{database, now}: DataAccess,
	{id}: Pick<WaitingLogin, 'id'>,
	{decision, userId, apiKeyId}: Decision,
): Promise<boolean> {
	const {numUpdatedRows} = await database
		.updateTable('device_authorizations')
		.set({status: decision, user_id: userId, api_key_id: apiKeyId})
		.where('id', '=', id)
		.where('status', '=', 'pending')
		.where('expires_at', '>', now().toISOString())
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

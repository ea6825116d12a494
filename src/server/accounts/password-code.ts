import type {Secret} from '../../core/secrets/secret.ts';
import type {Queries} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {hashPassword, type PasswordCost} from './password.ts';
import {createToken, hashToken, kindOfToken} from './token.ts';

/** How long a code is valid: it may have to reach someone in another time zone after a weekend. */
const lifetimeSeconds = 3 * 24 * 60 * 60;

/**
 * Creates the one-time code with which a user sets a password, and replaces an earlier code. Only administrators create
 * it: API keys are stored in many places, so one must not be enough to take over an account.
 */
export async function createPasswordCode(
	{database, now}: {readonly database: Queries; readonly now: () => Date},
	userId: string,
): Promise<Secret> {
	const {token, hash} = createToken('password-code');
	const time = now();
	const row = {
		code_hash: hash,
		created_at: time.toISOString(),
		expires_at: new Date(time.getTime() + lifetimeSeconds * 1000).toISOString(),
	};
	await database
		.insertInto('password_codes')
		.values({user_id: userId, ...row})
		.onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
		.execute();
	return token;
}

/** A valid code and its user. */
type PasswordCode = {readonly hash: string; readonly userId: string; readonly email: string};

/**
 * Returns a valid code and its user. Returns undefined for an unknown, used or expired code, or a suspended user.
 * Finding a code doesn't use it up.
 */
export async function findPasswordCode({database, now}: DataAccess, typed: string): Promise<PasswordCode | undefined> {
	const code = typed.trim();
	if (kindOfToken(code) !== 'password-code') {
		return undefined;
	}

	return await database
		.selectFrom('password_codes')
		.innerJoin('users', 'users.id', 'password_codes.user_id')
		.select(['password_codes.code_hash as hash', 'users.id as userId', 'users.email'])
		.where('code_hash', '=', hashToken(code))
		.where('expires_at', '>', now().toISOString())
		.where('suspended_at', 'is', null)
		.executeTakeFirst();
}

/**
 * Sets a password in exchange for a code, and ends the user's browser sessions, which were opened without it. Returns
 * false if a concurrent request used the code.
 */
export async function choosePassword(
	{database, now, passwordCost}: DataAccess & {readonly passwordCost: PasswordCost},
	{hash, userId}: PasswordCode,
	password: string,
): Promise<boolean> {
	const password_hash = await hashPassword(password, passwordCost);
	return await database.transaction().execute(async transaction => {
		const {numDeletedRows} = await transaction
			.deleteFrom('password_codes')
			.where('code_hash', '=', hash)
			.executeTakeFirstOrThrow();
		if (numDeletedRows === 0n) {
			return false;
		}

		await transaction.updateTable('users').set({password_hash}).where('id', '=', userId).execute();
		await transaction
			.updateTable('browser_sessions')
			.set({revoked_at: now().toISOString()})
			.where('user_id', '=', userId)
			.where('revoked_at', 'is', null)
			.execute();
		return true;
	});
}

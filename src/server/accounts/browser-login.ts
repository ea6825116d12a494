import type {DataAccess} from '../kit/services.ts';
import {findActiveKey} from './api-key.ts';
import {clearAttempts, countAttempt} from './attempts.ts';
import {hashPassword, isBusyHashing, type PasswordCost, verifyPassword} from './password.ts';
import {hashToken, kindOfToken} from './token.ts';
import {type Account, findAccount, findAccountByEmail, normalizeEmail} from './user.ts';

type Passwords = DataAccess & {readonly passwordCost: PasswordCost};

export type LoginResult =
	| {readonly kind: 'known'; readonly account: Account; readonly apiKeyId: string | null}
	/** Doesn't reveal whether the user exists. */
	| {readonly kind: 'wrong'}
	| {readonly kind: 'wait'; readonly seconds: number};

/** How soon to try again while too many passwords are being checked. */
export const busySeconds = 5;

/** What a user typed, and their network (`networkOf`). */
type Typed = {readonly email: string; readonly password: string; readonly network: string};

/**
 * Checks an e-mail address and a password. Unknown users, suspended users and users without a password are all `wrong`
 * and take equally long.
 */
export async function logInWithPassword(services: Passwords, {email, password, network}: Typed): Promise<LoginResult> {
	if (isBusyHashing()) {
		return {kind: 'wait', seconds: busySeconds};
	}

	const address = normalizeEmail(email);
	const subject = JSON.stringify([address, network]);
	const seconds =
		(await countAttempt(services, 'sign-in-network', network)) ??
		(await countAttempt(services, 'sign-in', subject)) ??
		(await countAttempt(services, 'sign-in-anywhere', address));
	if (seconds !== undefined) {
		return {kind: 'wait', seconds};
	}

	const account = await findAccountByEmail(services, address);
	const isRight = await verifyPassword(password, account?.password_hash, services.passwordCost);
	if (!account || !isRight || account.suspended_at) {
		return {kind: 'wrong'};
	}

	await clearAttempts(services, 'sign-in', subject);
	return {kind: 'known', account, apiKeyId: null};
}

/**
 * Checks an API key. Users without a password log in with it to authorize a device; it allows nothing else in the
 * browser. A key has 256 random bits and can't be guessed, so attempts aren't counted.
 */
export async function logInWithKey(services: DataAccess, typed: string): Promise<LoginResult> {
	const key = typed.trim();
	const found = kindOfToken(key) === 'api-key' ? await findActiveKey(services, hashToken(key)) : undefined;
	const account = found && (await findAccount(services, found.user_id));
	return account ? {kind: 'known', account, apiKeyId: found.api_key_id} : {kind: 'wrong'};
}

/** Stores a password; a code to set one is void then. The caller must have authenticated the user. */
export async function setPassword(
	{database, passwordCost}: Passwords,
	userId: string,
	password: string,
): Promise<void> {
	const password_hash = await hashPassword(password, passwordCost);
	await database.transaction().execute(async transaction => {
		await transaction.deleteFrom('password_codes').where('user_id', '=', userId).execute();
		await transaction.updateTable('users').set({password_hash}).where('id', '=', userId).execute();
	});
}

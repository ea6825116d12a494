import type {Services} from '../services.ts';
import {clearAttempts, countAttempt} from './attempts.ts';
import {hashPassword, isBusyHashing, verifyPassword} from './password.ts';
import {hashToken, kindOfToken} from './token.ts';
import {type Account, accountColumns, findAccountByEmail, normalizeEmail} from './user.ts';

type Shared = Pick<Services, 'database' | 'now'>;

export type SignIn =
	| {readonly kind: 'known'; readonly account: Account; readonly apiKeyId: string | null}
	/** Says no more than that: not whether there is such a user. */
	| {readonly kind: 'wrong'}
	| {readonly kind: 'wait'; readonly seconds: number};

/** When another try makes sense while everybody signs in at once, or somebody pretends to be everybody. */
const busySeconds = 5;

/** What somebody typed, and the network that it came from (`networkOf`). */
type Typed = {readonly email: string; readonly password: string; readonly network: string};

/** Who has this address and password. Unknown, suspended and without a password are all `wrong`, and take as long. */
export async function signInWithPassword(services: Shared, {email, password, network}: Typed): Promise<SignIn> {
	if (isBusyHashing()) {
		return {kind: 'wait', seconds: busySeconds};
	}

	const who = normalizeEmail(email);
	const here = JSON.stringify([who, network]);
	const seconds =
		(await countAttempt(services, 'sign-in-network', network)) ??
		(await countAttempt(services, 'sign-in', here)) ??
		(await countAttempt(services, 'sign-in-anywhere', who));
	if (seconds !== undefined) {
		return {kind: 'wait', seconds};
	}

	const account = await findAccountByEmail(services, who);
	const isRight = await verifyPassword(password, account?.password_hash);
	if (!account || !isRight || account.suspended_at) {
		return {kind: 'wrong'};
	}

	await clearAttempts(services, 'sign-in', here);
	return {kind: 'known', account, apiKeyId: null};
}

/**
 * Whose API key this is. It is how somebody gets in whom `serve init` made, to choose a password. A key has 256 random
 * bits: nobody guesses one, so attempts are not counted.
 */
export async function signInWithKey({database, now}: Shared, typed: string): Promise<SignIn> {
	const key = typed.trim();
	const found =
		kindOfToken(key) === 'api-key'
			? await database
					.selectFrom('api_keys')
					.innerJoin('users', 'users.id', 'api_keys.user_id')
					.select('api_keys.id as key_id')
					.select(accountColumns.map(column => `users.${column}` as const))
					.where('key_hash', '=', hashToken(key))
					.where('revoked_at', 'is', null)
					.where(({eb, or}) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now().toISOString())]))
					.where('suspended_at', 'is', null)
					.executeTakeFirst()
			: undefined;
	if (!found) {
		return {kind: 'wrong'};
	}

	const {key_id: apiKeyId, ...account} = found;
	return {kind: 'known', account, apiKeyId};
}

/** Stores a password. Whoever calls has made sure that the user himself asks. */
export async function setPassword({database}: Shared, userId: string, password: string): Promise<void> {
	const password_hash = await hashPassword(password);
	await database.updateTable('users').set({password_hash}).where('id', '=', userId).execute();
}

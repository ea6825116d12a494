import type {Selectable} from 'kysely';
import type {Database, Queries, Tables} from '../database/tables.ts';

/** A user, as the login and its pages need it. */
export type Account = Pick<
	Selectable<Tables['users']>,
	'id' | 'email' | 'password_hash' | 'totp_secret' | 'totp_pending_secret' | 'totp_last_step' | 'suspended_at'
>;

export const accountColumns = [
	'id',
	'email',
	'password_hash',
	'totp_secret',
	'totp_pending_secret',
	'totp_last_step',
	'suspended_at',
] as const satisfies readonly (keyof Account)[];

/** Returns the form in which an address is stored and looked up; case is ignored. */
export function normalizeEmail(typed: string): string {
	return typed.trim().normalize('NFC').toLowerCase();
}

/**
 * Returns whether a text may be an address: something on both sides of one `@`, without the angle brackets in which mail programs
 * copy it. Only sending a message could tell more.
 */
export function isEmail(text: string): boolean {
	return text.length <= 254 && /^[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+$/u.test(text);
}

/** Returns the user with an address, in any case; undefined if there is none. */
export async function findAccountByEmail(
	{database}: {readonly database: Queries},
	email: string,
): Promise<Account | undefined> {
	return await database
		.selectFrom('users')
		.select(accountColumns)
		.where('email', '=', normalizeEmail(email))
		.executeTakeFirst();
}

export async function findAccount({database}: {readonly database: Database}, id: string): Promise<Account | undefined> {
	return await database.selectFrom('users').select(accountColumns).where('id', '=', id).executeTakeFirst();
}

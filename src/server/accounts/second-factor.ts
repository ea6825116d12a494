import {randomInt, randomUUID} from 'node:crypto';
import type {Database} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {clearAttempts, countAttempt} from './attempts.ts';
import type {Seal} from './seal.ts';
import {hashToken} from './token.ts';
import {createTotpSecret, stepOfTotp} from './totp.ts';
import {type Account, findAccount} from './user.ts';

type Sealed = DataAccess & {readonly seal: Seal};

/** Returns the context for which a user's authenticator secret is sealed, active or pending. */
export function totpContext(userId: string): string {
	return `totp:${userId}`;
}

/** The result of checking a code; `wait` if there were too many attempts. */
type CodeCheck =
	| {readonly kind: 'right'}
	| {readonly kind: 'wrong'}
	| {readonly kind: 'wait'; readonly seconds: number};

/**
 * Checks a code of the user's authenticator app, or a recovery code, and uses it up. Of two simultaneous requests with
 * the same code, one succeeds.
 */
export async function checkSecondFactor(services: Sealed, account: Account, typed: string): Promise<CodeCheck> {
	const seconds = await countAttempt(services, 'second-factor', account.id);
	if (seconds !== undefined) {
		return {kind: 'wait', seconds};
	}

	if (!(await redeemTotp(services, account, typed)) && !(await redeemRecoveryCode(services, account, typed))) {
		return {kind: 'wrong'};
	}

	await clearAttempts(services, 'second-factor', account.id);
	return {kind: 'right'};
}

/** Creates a secret to be verified, and replaces an unverified one. An active secret stays active. */
export async function startEnrollment({database, seal}: Sealed, userId: string): Promise<string> {
	const secret = createTotpSecret();
	const sealed = seal.encrypt(secret, totpContext(userId));
	await database.updateTable('users').set({totp_pending_secret: sealed}).where('id', '=', userId).execute();
	return secret;
}

/** Returns the secret that waits for verification; undefined if there is none. */
export function pendingSecret({seal}: {readonly seal: Seal}, {id, totp_pending_secret: sealed}: Account) {
	return sealed === null ? undefined : seal.decrypt(sealed, totpContext(id));
}

type Enrollment =
	| {readonly kind: 'enrolled'; readonly recoveryCodes: readonly string[]}
	| {readonly kind: 'not-started'}
	| Exclude<CodeCheck, {readonly kind: 'right'}>;

/** Activates the pending secret if the code is correct, and replaces the recovery codes. */
export async function verifyEnrollment(services: Sealed, userId: string, typed: string): Promise<Enrollment> {
	const pending = (await findAccount(services, userId))?.totp_pending_secret;
	if (!pending) {
		return {kind: 'not-started'};
	}

	const seconds = await countAttempt(services, 'second-factor', userId);
	if (seconds !== undefined) {
		return {kind: 'wait', seconds};
	}

	const secret = services.seal.decrypt(pending, totpContext(userId));
	const step = stepOfTotp(typed, {secret, lastStep: null}, services.now().getTime());
	if (step === undefined) {
		return {kind: 'wrong'};
	}

	const codes = createRecoveryCodes();
	const isFirst = await services.database.transaction().execute(async transaction => {
		const {numUpdatedRows} = await transaction
			.updateTable('users')
			.set({totp_secret: pending, totp_pending_secret: null, totp_last_step: step})
			.where('id', '=', userId)
			.where('totp_pending_secret', '=', pending)
			.executeTakeFirstOrThrow();
		if (numUpdatedRows === 0n) {
			return false;
		}

		await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
		const rows = codes.map(code => ({
			id: randomUUID(),
			user_id: userId,
			code_hash: hashRecoveryCode(code) ?? '',
			used_at: null,
		}));
		await transaction.insertInto('recovery_codes').values(rows).execute();
		return true;
	});
	if (!isFirst) {
		return {kind: 'not-started'};
	}

	await clearAttempts(services, 'second-factor', userId);
	return {kind: 'enrolled', recoveryCodes: codes};
}

/** Turns off the second factor and deletes its recovery codes. The caller must have checked a code. */
export async function removeSecondFactor({database}: {readonly database: Database}, userId: string): Promise<void> {
	await database.transaction().execute(async transaction => {
		await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
		const none = {totp_secret: null, totp_pending_secret: null, totp_last_step: null};
		await transaction.updateTable('users').set(none).where('id', '=', userId).execute();
	});
}

async function redeemTotp({database, now, seal}: Sealed, account: Account, typed: string): Promise<boolean> {
	const {totp_secret: sealed, totp_last_step: lastStep} = account;
	const secret = sealed === null ? undefined : seal.decrypt(sealed, totpContext(account.id));
	const step = secret ? stepOfTotp(typed, {secret, lastStep}, now().getTime()) : undefined;
	if (step === undefined) {
		return false;
	}

	const {numUpdatedRows} = await database
		.updateTable('users')
		.set({totp_last_step: step})
		.where('id', '=', account.id)
		.where('totp_secret', '=', sealed)
		.where(({eb, or}) => or([eb('totp_last_step', 'is', null), eb('totp_last_step', '<', step)]))
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

async function redeemRecoveryCode({database, now}: Sealed, {id}: Account, typed: string): Promise<boolean> {
	const hash = hashRecoveryCode(typed);
	if (!hash) {
		return false;
	}

	const {numUpdatedRows} = await database
		.updateTable('recovery_codes')
		.set({used_at: now().toISOString()})
		.where('user_id', '=', id)
		.where('code_hash', '=', hash)
		.where('used_at', 'is', null)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

/** Returns how many recovery codes are left. */
export async function countRecoveryCodes({database}: {readonly database: Database}, userId: string): Promise<number> {
	const left = await database
		.selectFrom('recovery_codes')
		.select('id')
		.where('user_id', '=', userId)
		.where('used_at', 'is', null)
		.execute();
	return left.length;
}

/** Letters and digits that are not easily confused. Sixteen of them are 79 bits, so a fast hash is enough. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const length = 16;
const count = 10;

/** Creates ten one-time recovery codes, such as `k3wq-…`, for a lost authenticator app. */
export function createRecoveryCodes(): readonly string[] {
	return Array.from({length: count}, () =>
		Array.from({length}, () => alphabet[randomInt(alphabet.length)])
			.join('')
			.replace(/.{4}(?!$)/g, '$&-'),
	);
}

/** Returns the hash of a recovery code, however it is typed; undefined if it can't be one. */
export function hashRecoveryCode(typed: string): string | undefined {
	const letters = typed.slice(0, 64).toLowerCase().replace(/[\s-]/g, '');
	return letters.length === length && [...letters].every(letter => alphabet.includes(letter))
		? hashToken(letters)
		: undefined;
}

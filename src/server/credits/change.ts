import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {operator, recordAct} from '../accounts/audit-log.ts';
import {findAccountByEmail} from '../accounts/user.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {grantCredits, newAccount, setAutoRefill, setMemberLimit} from './account.ts';
import {monthOf} from './month.ts';

/** A change by an operator. Omitted values stay as they are; all are whole credits. */
export type CreditChange = {
	/** The organization's slug. */
	readonly organization: string;
	readonly grant?: number | undefined;
	/** How much one refill buys; 0 turns the refill off. */
	readonly refill?: number | undefined;
	/** The balance below which a refill is bought, and the maximum number a month. */
	readonly threshold?: number | undefined;
	readonly cap?: number | undefined;
	/** The e-mail address of a member, and their monthly limit; 0 for no limit. */
	readonly member?: string | undefined;
	readonly limit?: number | undefined;
};

/** The credits of an organization after a change. */
export type CreditState = {
	readonly balance: number;
	readonly refill: number | null;
	readonly threshold: number | null;
	readonly cap: number | null;
	/** The named member's limit and use in this month (UTC). */
	readonly member?: {readonly email: string; readonly monthly_limit: number | null; readonly month_used: number};
};

/**
 * Changes the credits of an organization and returns the result. Throws AppError("not-found") for an unknown
 * organization or member.
 */
export function changeCredits(
	{database, now}: DataAccess,
	{organization, grant, refill, threshold, cap, member, limit}: CreditChange,
): Promise<CreditState> {
	return database.transaction().execute(async transaction => {
		const {id} = await transaction
			.selectFrom('organizations')
			.select('id')
			.where('slug', '=', organization)
			.executeTakeFirstOrThrow(() => missing(`Organization not found: “${organization}”.`));
		const read = async () =>
			(await transaction
				.selectFrom('credit_accounts')
				.selectAll()
				.where('organization_id', '=', id)
				.executeTakeFirst()) ?? newAccount(id);
		if (grant) {
			await grantCredits(transaction, {organizationId: id, amount: grant, reason: 'granted', now: now()});
		}

		if (refill !== undefined || threshold !== undefined || cap !== undefined) {
			const before = await read();
			const quantity = refill ?? before.quantity;
			await setAutoRefill(transaction, {
				organization_id: id,
				refill_enabled: quantity ? 1 : 0,
				// A self-hosted server has no payments. The operator's setting counts as the payment method.
				has_payment_method: quantity ? 1 : 0,
				quantity,
				threshold: threshold ?? before.threshold,
				monthly_cap: cap ?? before.monthly_cap,
			});
		}

		const named = member === undefined ? undefined : await findMember(transaction, {id, organization, email: member});
		if (named && limit !== undefined) {
			await setMemberLimit(transaction, {organizationId: id, userId: named.id, limit: limit || null, now: now()});
		}

		const given = Object.entries({grant, refill, threshold, cap, limit}).filter(([, value]) => value !== undefined);
		if (given.length > 0) {
			await recordAct(transaction, operator, {
				act: 'organization.credits',
				organizationId: id,
				subject: {id, name: organization},
				details: {...(Object.fromEntries(given) as JsonObject), ...(named && {member: named.email})},
				at: now(),
			});
		}

		const {balance, quantity, threshold: minBalance, monthly_cap, refill_enabled} = await read();
		return {
			balance,
			refill: refill_enabled ? quantity : null,
			threshold: minBalance,
			cap: monthly_cap,
			...(named && {member: {email: named.email, ...(await readMonth(transaction, id, named.id, now()))}}),
		};
	});
}

type Named = {readonly id: string; readonly organization: string; readonly email: string};

async function findMember(transaction: DatabaseTransaction, {id, organization, email}: Named) {
	const account = await findAccountByEmail({database: transaction}, email);
	const found =
		account &&
		(await transaction
			.selectFrom('members')
			.select('user_id')
			.where('organization_id', '=', id)
			.where('user_id', '=', account.id)
			.executeTakeFirst());
	if (!found) {
		throw missing(`“${email}” is no member of “${organization}”.`);
	}

	return account;
}

async function readMonth(transaction: DatabaseTransaction, organizationId: string, userId: string, now: Date) {
	const row = await transaction
		.selectFrom('member_credits')
		.select(['monthly_limit', 'month_used', 'month'])
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.executeTakeFirst();
	return {monthly_limit: row?.monthly_limit ?? null, month_used: row && row.month >= monthOf(now) ? row.month_used : 0};
}

function missing(message: string): AppError {
	return new AppError('not-found', message, {hint: 'Check the spelling, and that --data names the right folder.'});
}

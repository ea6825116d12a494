import {AppError} from '../../core/error.ts';
import {findAccountByEmail} from '../accounts/user.ts';
import type {Services} from '../services.ts';
import {grantCredits, newAccount, setAutoRefill, setMemberLimit} from './account.ts';

/** What an operator changes; what is left out stays as it is. All are whole credits. */
export type CreditChange = {
	/** Slug of the organization. */
	readonly organization: string;
	readonly grant?: number | undefined;
	/** What one refill buys; 0 switches the refill off. */
	readonly refill?: number | undefined;
	/** Below which balance a refill is bought, and how often in a month at most. */
	readonly threshold?: number | undefined;
	readonly cap?: number | undefined;
	/** The e-mail address of a member, and what he may use in a month; 0 for no limit. */
	readonly member?: string | undefined;
	readonly limit?: number | undefined;
};

/** The credits of an organization as they are then. */
export type CreditState = {
	readonly balance: number;
	readonly refill: number | null;
	readonly threshold: number | null;
	readonly cap: number | null;
};

/** Throws `not-found` for an organization or a member that is not there. */
export function changeCredits(
	{database, now}: Pick<Services, 'database' | 'now'>,
	{organization, grant, refill, threshold, cap, member, limit}: CreditChange,
): Promise<CreditState> {
	return database.transaction().execute(async transaction => {
		const {id} = await transaction
			.selectFrom('organizations')
			.select('id')
			.where('slug', '=', organization)
			.executeTakeFirstOrThrow(() => missing(`This data has no organization “${organization}”.`));
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
				// Nobody pays a server of one's own: what stands for the payment is that its operator said so.
				has_payment_method: quantity ? 1 : 0,
				quantity,
				threshold: threshold ?? before.threshold,
				monthly_cap: cap ?? before.monthly_cap,
			});
		}

		if (member !== undefined && limit !== undefined) {
			const account = await findAccountByEmail({database: transaction}, member);
			const found =
				account &&
				(await transaction
					.selectFrom('members')
					.select('user_id')
					.where('organization_id', '=', id)
					.where('user_id', '=', account.id)
					.executeTakeFirst());
			if (!found) {
				throw missing(`“${member}” is no member of “${organization}”.`);
			}

			await setMemberLimit(transaction, {organizationId: id, userId: found.user_id, limit: limit || null, now: now()});
		}

		const {balance, quantity, threshold: least, monthly_cap, refill_enabled} = await read();
		return {balance, refill: refill_enabled ? quantity : null, threshold: least, cap: monthly_cap};
	});
}

function missing(message: string): AppError {
	return new AppError('not-found', message, {hint: 'Check the spelling, and that --data names the right folder.'});
}

import {recordAct} from '../accounts/audit-log.ts';
import {newAccount} from '../credits/account.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import type {Handlers} from './handler.ts';

export const creditHandlers = {
	/** An organization without an account has its auto-refill off. An ended month counts nothing. */
	async getAutoRefill(_, {scope: {organization}, services: {database, now}}) {
		const account =
			(await database
				.selectFrom('credit_accounts')
				.selectAll()
				.where('organization_id', '=', organization.id)
				.executeTakeFirst()) ?? newAccount(organization.id);
		const isOver = account.month_reset !== null && account.month_reset <= now().toISOString();
		return {
			enabled: account.refill_enabled === 1,
			has_payment_method: account.has_payment_method === 1,
			month_count: isOver ? 0 : account.month_count,
			month_reset: isOver ? null : account.month_reset,
			monthly_cap: account.monthly_cap,
			quantity: account.quantity,
			threshold: account.threshold,
		};
	},

	/** Succeeds for a member without a limit, too. */
	async removeMemberLimit({params}, {scope: {organization}, actor, services: {database, now}}) {
		const userId = params.userId.toLowerCase();
		const member = await database
			.selectFrom('members')
			.innerJoin('users', 'users.id', 'members.user_id')
			.select('email')
			.where('organization_id', '=', organization.id)
			.where('user_id', '=', userId)
			.executeTakeFirst();
		if (!member) {
			rejectNotFound();
		}

		await organizationTransaction(database, organization.id, async transaction => {
			await transaction
				.updateTable('member_credits')
				.set({monthly_limit: null})
				.where('organization_id', '=', organization.id)
				.where('user_id', '=', userId)
				.execute();
			await recordAct(transaction, actor, {
				act: 'member.unlimit',
				organizationId: organization.id,
				subject: {id: userId, name: member.email},
				at: now(),
			});
		});
		return undefined;
	},
} satisfies Partial<Handlers>;

import {sql} from 'kysely';
import {groupBy} from '../../core/group-by.ts';
import {recordEntries, takeCredits} from '../credits/charge.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {lockingOrganization} from './capacity.ts';
import {dueAt, type LiveSandbox, parts} from './due-sandboxes.ts';
import {creditsOwed} from './meter.ts';
import type {SandboxServices} from './sandboxing.ts';

/**
 * Charges running sandboxes of one payer for what they owe, however many, with a constant number of statements, and stores
 * when they are due next. Returns false, and charges nothing, if the credits don't suffice for all of them.
 */
export async function billTogether(
	{database, sandboxes: {policy}, now}: SandboxServices,
	given: readonly LiveSandbox[],
): Promise<boolean> {
	const [first] = given;
	if (!first) {
		return true;
	}

	const {organization_id: organizationId, created_by: userId} = first;
	const rate = policy.creditsPerHour;
	const liveById = new Map(given.map(sandbox => [sandbox.id, sandbox]));
	return await lockingOrganization(database, organizationId, async transaction => {
		const at = now();
		const fresh = await transaction
			.selectFrom('sandboxes')
			.selectAll()
			.where('id', 'in', [...liveById.keys()])
			.where('state', '=', 'running')
			.where('billed_before_start', 'is', null)
			.execute();
		const bills = fresh.flatMap(sandbox => {
			const live = liveById.get(sandbox.id);
			const owed = creditsOwed(sandbox, rate, at);
			return live && owed > 0 ? [{sandbox: {...live, ...sandbox}, owed}] : [];
		});
		if (bills.length === 0) {
			return true;
		}

		const amount = bills.reduce((sum, {owed}) => sum + owed, 0);
		const payer = {organizationId, userId, now: at};
		if (!(await takeCredits(transaction, {...payer, amount})).ok) {
			return false;
		}

		await storeBills(transaction, bills, rate);
		await recordEntries(
			transaction,
			bills.map(({sandbox, owed}) => ({...payer, amount: -owed, reason: reasonFor(sandbox)})),
		);
		return true;
	});
}

type Bill = {readonly sandbox: LiveSandbox; readonly owed: number};

async function storeBills(transaction: DatabaseTransaction, bills: readonly Bill[], rate: number): Promise<void> {
	const rows = bills.map(({sandbox, owed}) => {
		const billed_credits = sandbox.billed_credits + owed;
		const next = dueAt({...sandbox, billed_credits}, rate);
		return sql`(cast(${sandbox.id} as text), cast(${billed_credits} as bigint), cast(${next} as text))`;
	});
	await sql`update sandboxes set billed_credits = bill.column2, due_at = bill.column3
		from (values ${sql.join(rows)}) as bill where sandboxes.id = bill.column1`.execute(transaction);
}

function reasonFor({runtime_key: key, task_ref: task}: LiveSandbox): string {
	return key === null ? `environment ${task ?? ''}` : `runtime ${key}`;
}

/** Groups sandboxes by who pays for them, in groups that fit into one statement. */
export function groupByPayer(sandboxes: readonly LiveSandbox[]): readonly (readonly LiveSandbox[])[] {
	const payers = groupBy(sandboxes, ({organization_id, created_by}) => `${organization_id} ${created_by}`);
	return [...payers.values()].flatMap(group => parts(group));
}

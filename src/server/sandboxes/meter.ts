import type {Selectable} from 'kysely';
import {type ChargeRejection, chargeCredits} from '../credits/charge.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import {chargeUsed, creditsFor, findBound, secondsFor} from './credit-price.ts';

export type SandboxRow = Selectable<Tables['sandboxes']>;

/** Who pays for what, and when; all but the amount. */
type Payer = Omit<Parameters<typeof chargeCredits>[1], 'amount'>;

type Used = {
	/** Seconds that it has run, and credits that were billed for them. */
	readonly past: number;
	readonly billed: number;
	/** Credits an hour. */
	readonly rate: number;
};

/** What was paid in advance: credits billed in all, and how long they and what is left will last. */
type Paid = {readonly billed: number; readonly seconds: number; readonly lack: ChargeRejection | null};

/**
 * Pays for the first time of a sandbox that is about to run, unless some is left that was paid for, and says how long the
 * credits there are will last. Refuses (409) where there are none.
 */
export async function payAhead(
	transaction: DatabaseTransaction,
	payer: Payer,
	{past, billed: before, rate}: Used,
): Promise<Paid> {
	const amount = rate > 0 && secondsFor(before, rate) <= past ? 1 : 0;
	const first = await chargeCredits(transaction, {...payer, amount});
	if (!first.ok) {
		refuseForCredits(first.reason);
	}

	const bound = rate > 0 ? await findBound(transaction, payer) : undefined;
	const billed = before + amount;
	const seconds = bound ? secondsFor(billed + bound.credits, rate) - past : Number.POSITIVE_INFINITY;
	return {billed, seconds, lack: bound?.lack ?? null};
}

function refuseForCredits(lack: ChargeRejection): never {
	if (lack === 'member_limit_exceeded') {
		reject(409, 'Your monthly credits in this organization are used up. Ask an owner for a higher limit.', {
			type: 'member_limit_exceeded_error',
		});
	}

	reject(409, 'The credits of this organization are used up. Buy some, or wait for the next refill.', {
		type: 'usage_limit_exceeded_error',
	});
}

/** How long a sandbox has run by now, in whole seconds. Beyond its time nothing runs, whenever a server notices. */
export function secondsRun({past_seconds, running_since, expires_at}: SandboxRow, now: Date): number {
	if (running_since === null) {
		return past_seconds;
	}

	const until = Math.min(now.getTime(), expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at));
	return past_seconds + Math.floor(Math.max(0, until - Date.parse(running_since)) / 1000);
}

/** Credits that a sandbox has used and that were not billed yet. */
export function creditsOwed(sandbox: SandboxRow, rate: number, now: Date): number {
	return Math.max(0, creditsFor(secondsRun(sandbox, now), rate) - sandbox.billed_credits);
}

type Become = {
	readonly state: SandboxRow['state'];
	readonly pauseReason?: SandboxRow['pause_reason'];
	/** What it is charged for, as the list of entries says it. */
	readonly reason: string;
	readonly rate: number;
	readonly now: Date;
};

/**
 * Writes what a sandbox became and charges what it has used since it was last charged; only one server gets to. Gives
 * what there was too little of, if anything; undefined where another server was faster. The organization must be held.
 */
export async function settleSandbox(
	transaction: DatabaseTransaction,
	sandbox: SandboxRow,
	{state, pauseReason = null, reason, rate, now}: Become,
): Promise<{readonly lack: ChargeRejection | undefined} | undefined> {
	const owed = creditsOwed(sandbox, rate, now);
	const {numUpdatedRows} = await transaction
		.updateTable('sandboxes')
		.set({state, pause_reason: pauseReason, billed_credits: sandbox.billed_credits + owed})
		.$if(state !== 'running', query => query.set({past_seconds: secondsRun(sandbox, now), running_since: null}))
		.where('id', '=', sandbox.id)
		.where('state', '=', sandbox.state)
		.where('running_since', sandbox.running_since === null ? 'is' : '=', sandbox.running_since)
		.where('billed_credits', '=', sandbox.billed_credits)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) {
		return undefined;
	}

	const payer = {organizationId: sandbox.organization_id, userId: sandbox.created_by, reason, now};
	const {charged, lack} = await chargeUsed(transaction, {...payer, amount: owed});
	if (charged < owed) {
		await transaction
			.updateTable('sandboxes')
			.set({billed_credits: sandbox.billed_credits + charged})
			.where('id', '=', sandbox.id)
			.execute();
	}

	return {lack};
}

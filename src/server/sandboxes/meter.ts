import type {Selectable} from 'kysely';
import {type ChargeRejection, chargeCredits, refundCredits} from '../credits/charge.ts';
import type {DatabaseTransaction, Queries, Tables} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import {chargeUsed, creditsFor, findLimit, secondsFor} from './credit-price.ts';
import type {SandboxState} from './provider.ts';

export type SandboxRow = Selectable<Tables['sandboxes']>;

/** Who pays for what, and when, without the amount. */
type Payer = Omit<Parameters<typeof chargeCredits>[1], 'amount'>;

type Used = {
	/** Past seconds, and credits already billed for them. */
	readonly past: number;
	readonly billed: number;
	/** Credits an hour. */
	readonly rate: number;
};

/** A prepayment: all credits billed so far, and how long they and the remaining ones last. */
type Prepayment = {readonly billed: number; readonly seconds: number; readonly shortage: ChargeRejection | null};

/**
 * Charges the first credit of a sandbox that is about to run, unless prepaid time is left. Returns how long the credits
 * last. Rejects (409) if there are none.
 */
export async function prepay(
	transaction: DatabaseTransaction,
	payer: Payer,
	{past, billed: before, rate}: Used,
): Promise<Prepayment> {
	const amount = rate > 0 && secondsFor(before, rate) <= past ? 1 : 0;
	const first = await chargeCredits(transaction, {...payer, amount});
	if (!first.ok) {
		rejectForCredits(first.reason);
	}

	const bound = rate > 0 ? await findLimit(transaction, payer) : undefined;
	const billed = before + amount;
	const seconds = bound ? secondsFor(billed + bound.credits, rate) - past : Number.POSITIVE_INFINITY;
	return {billed, seconds, shortage: bound?.shortage ?? null};
}

function rejectForCredits(shortage: ChargeRejection): never {
	if (shortage === 'member_limit_exceeded') {
		reject(409, 'Your monthly credits in this organization are used up. Ask an owner for a higher limit.', {
			type: 'member_limit_exceeded_error',
		});
	}

	reject(409, 'The credits of this organization are used up. Buy some, or wait for the next refill.', {
		type: 'usage_limit_exceeded_error',
	});
}

/**
 * Returns how long a sandbox has run, in whole seconds. Time after its deadline doesn't count, because nothing runs
 * then.
 */
export function secondsRun({past_seconds, running_since, expires_at}: SandboxRow, now: Date): number {
	if (running_since === null) {
		return past_seconds;
	}

	const until = Math.min(now.getTime(), expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at));
	return past_seconds + Math.floor(Math.max(0, until - Date.parse(running_since)) / 1000);
}

/** Returns the credits that a sandbox has used and that aren't billed yet. */
export function creditsOwed(sandbox: SandboxRow, rate: number, now: Date): number {
	return Math.max(0, creditsFor(secondsRun(sandbox, now), rate) - sandbox.billed_credits);
}

type NextState = {
	readonly state: SandboxRow['state'];
	readonly pauseReason?: SandboxRow['pause_reason'];
	/** The reason shown in the list of entries. */
	readonly reason: string;
	readonly rate: number;
	readonly now: Date;
};

/** Records that a sandbox has started, so that its first credit isn't refunded. */
export async function markStarted(database: Queries, id: string): Promise<void> {
	await database.updateTable('sandboxes').set({billed_before_start: null}).where('id', '=', id).execute();
}

/**
 * Records that a sandbox has started, which its server couldn't do before it crashed, if it has processes or an end.
 * Returns its current row.
 */
export async function confirmStart(database: Queries, sandbox: SandboxRow, {kind}: SandboxState): Promise<SandboxRow> {
	if (sandbox.billed_before_start === null || kind === 'gone' || kind === 'paused') {
		return sandbox;
	}

	await markStarted(database, sandbox.id);
	return {...sandbox, billed_before_start: null};
}

/**
 * Stores a sandbox's new state and charges its usage since the last charge. One that stops before it has started is
 * refunded instead, and so is what was charged for the time after its end. Returns what is lacking, if anything; undefined if
 * another server was faster. The caller must have locked the organization.
 */
export async function settleSandbox(
	transaction: DatabaseTransaction,
	sandbox: SandboxRow,
	{state, pauseReason = null, reason, rate, now}: NextState,
): Promise<{readonly shortage: ChargeRejection | undefined} | undefined> {
	const {billed_credits: billed, billed_before_start: before} = sandbox;
	const isUnstarted = before !== null && state !== 'running';
	const owed = isUnstarted ? before - billed : creditsOwed(sandbox, rate, now);
	const past_seconds = isUnstarted ? sandbox.past_seconds : secondsRun(sandbox, now);
	// Others may have charged for later, while this end waited to be stored. Only a run without a second has used its first credit.
	const hasOverpaid = state !== 'running' && !isUnstarted && past_seconds > sandbox.past_seconds;
	const excess = hasOverpaid ? Math.max(0, billed - creditsFor(past_seconds, rate)) : 0;
	const {numUpdatedRows} = await transaction
		.updateTable('sandboxes')
		.set({state, pause_reason: pauseReason, billed_credits: billed + owed - excess})
		.$if(state !== 'running', query =>
			query.set({past_seconds, running_since: null, billed_before_start: null, due_at: null}),
		)
		.where('id', '=', sandbox.id)
		.where('state', '=', sandbox.state)
		.where('running_since', sandbox.running_since === null ? 'is' : '=', sandbox.running_since)
		.where('billed_credits', '=', billed)
		.where('billed_before_start', before === null ? 'is' : '=', before)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) {
		return undefined;
	}

	const payer = {organizationId: sandbox.organization_id, userId: sandbox.created_by, reason, now};
	if (isUnstarted) {
		const chargedAt = new Date(sandbox.running_since ?? sandbox.created_at);
		const refund = {...payer, amount: -owed, reason: `refund: ${reason} did not start`, chargedAt};
		await refundCredits(transaction, refund);
		return {shortage: undefined};
	}

	if (excess > 0) {
		await refundCredits(transaction, {...payer, amount: excess, reason: `refund: ${reason} had ended`, chargedAt: now});
	}

	const {charged, shortage} = await chargeUsed(transaction, {...payer, amount: owed});
	if (charged < owed) {
		await transaction
			.updateTable('sandboxes')
			.set({billed_credits: billed + charged})
			.where('id', '=', sandbox.id)
			.execute();
	}

	return {shortage};
}

import {dayBudget} from '../../../config/settings/saved-settings.ts';
import {formatUsd} from '../../../core/format.ts';
import {type BudgetKind, type BudgetState, budgetKinds} from '../../../core/ledger/budget.ts';
import {costOfMessage} from '../../../core/session/usage.ts';
import {knownCost, today, withOwn} from '../../../session/budget-guard.ts';
import type {CommandContext} from '../../context.ts';
import type {Result} from '../../result.ts';
import {setPriceNote, unpricedModels} from './unknown-price.ts';

const labels: Readonly<Record<BudgetKind, string>> = {
	turn: 'one message (turn)',
	session: 'this session',
	day: 'today, all sessions',
};

/** What was spent of a budget, if it has a limit or not. */
type Account = Omit<BudgetState, 'limitUsd'> & {
	readonly limitUsd: number | undefined;
	/** How many requests have an unknown cost, which `spentUsd` lacks. */
	readonly unpriced: number;
};

/** Returns the budgets with what is spent of them, those without a limit too. */
export async function budgetsResult(context: CommandContext): Promise<Result> {
	const {accounts, unpriced} = await readAccounts(context);
	const right = 'right';
	const hasAny = accounts.some(({limitUsd}) => limitUsd !== undefined);
	return {
		kind: 'table',
		columns: [
			{label: 'budget'},
			{label: 'limit', align: right},
			{label: 'spent', align: right},
			{label: 'left', align: right},
		],
		rows: budgetKinds
			.flatMap(kind => accounts.filter(account => account.kind === kind))
			.map(account => [
				labels[account.kind],
				account.limitUsd === undefined ? 'none' : formatUsd(account.limitUsd),
				account.kind === 'turn' ? '–' : spentText(account),
				account.limitUsd === undefined || account.kind === 'turn' ? '–' : leftText(account, account.limitUsd),
			]),
		empty: 'No budgets yet. Set one for every day: `budget day 20`',
		notes: [
			...unpriced.flatMap(model => [
				`The price of ${model} is unknown, so no budget can stop it.`,
				setPriceNote(model),
			]),
			...(hasAny && unpriced.length === 0
				? ['Each request is estimated first. The agent stops before one that would pass a budget.']
				: []),
			...(hasAny
				? []
				: [
						...(context.ui.live ? ['Set one for this session: `budget 5`'] : []),
						'Set one for every day: `budget day 20`',
					]),
		],
		data: accounts.map(({kind, limitUsd, spentUsd, unpriced: count}) => ({
			budget: kind,
			limit_usd: limitUsd ?? null,
			spent_usd: kind === 'turn' || (count > 0 && spentUsd === 0) ? null : spentUsd,
			unpriced_requests: count,
		})),
	};
}

function spentText({spentUsd, unpriced}: Account): string {
	return unpriced === 0 ? formatUsd(spentUsd) : spentUsd === 0 ? formatUsd(null) : `over ${formatUsd(spentUsd)}`;
}

function leftText({spentUsd, unpriced}: Account, limitUsd: number): string {
	return formatUsd(unpriced === 0 ? Math.max(0, limitUsd - spentUsd) : null);
}

/** Returns all budgets with what is spent of them, and the models whose price is unknown: the selected one, and those used. */
async function readAccounts({program, ui: {live}}: CommandContext) {
	const {transcript, model} = program.store.getState();
	const {budgets, usage} = transcript;
	const {priceOf} = await program.models.catalog();
	const {requests} = await program.session.saved.ledger(today());
	const limits = {...budgets, day: dayBudget(program.local.config.read())};
	const spent = {turn: [], session: [...usage.values()], day: [...withOwn(requests, usage).values()]};
	const isUnpriced = live && model !== undefined && !program.model.isDemo() && priceOf(model) === undefined;
	const used = unpricedModels([...spent.session, ...spent.day], priceOf);
	return {
		accounts: budgetKinds.map(kind => ({
			kind,
			limitUsd: limits[kind],
			spentUsd: knownCost(spent[kind], priceOf),
			unpriced: spent[kind].filter(request => costOfMessage(request, priceOf) === null).length,
		})),
		unpriced: [...new Set([...(isUnpriced ? [model] : []), ...used])],
	};
}

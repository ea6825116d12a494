import {formatUsd} from '../../../core/format.ts';
import {type BudgetKind, type BudgetState, budgetKinds} from '../../../core/ledger/budget.ts';
import type {Result} from '../../result.ts';

const labels: Readonly<Record<BudgetKind, string>> = {
	turn: 'one message (turn)',
	session: 'this session',
	day: 'today, all sessions',
};

/** Returns the budgets with what is spent of them, those without a limit too. `unpriced` is the model, if its price is unknown. */
export function budgetsResult(
	states: readonly (Omit<BudgetState, 'limitUsd'> & {readonly limitUsd: number | undefined})[],
	inApp: boolean,
	unpriced?: string,
): Result {
	const right = 'right';
	const hasAny = states.some(({limitUsd}) => limitUsd !== undefined);
	return {
		kind: 'table',
		columns: [
			{label: 'budget'},
			{label: 'limit', align: right},
			{label: 'spent', align: right},
			{label: 'left', align: right},
		],
		rows: budgetKinds
			.flatMap(kind => states.filter(state => state.kind === kind))
			.map(({kind, limitUsd, spentUsd}) => [
				labels[kind],
				limitUsd === undefined ? 'none' : formatUsd(limitUsd),
				kind === 'turn' ? '–' : formatUsd(spentUsd),
				limitUsd === undefined || kind === 'turn' ? '–' : formatUsd(Math.max(0, limitUsd - spentUsd)),
			]),
		empty: 'No budgets yet. Set one for every day: `budget day 20`',
		notes: [
			...(unpriced === undefined
				? []
				: [
						`The price of ${unpriced} is unknown, so no budget can stop it.`,
						`Set US dollars per million tokens, in and out: \`config set prices.${unpriced} 3,15\``,
					]),
			...(hasAny && unpriced === undefined
				? ['Each request is estimated first. The agent stops before one that would pass a budget.']
				: []),
			...(hasAny
				? []
				: [...(inApp ? ['Set one for this session: `budget 5`'] : []), 'Set one for every day: `budget day 20`']),
		],
		data: states.map(({kind, limitUsd, spentUsd}) => ({
			budget: kind,
			limit_usd: limitUsd ?? null,
			spent_usd: kind === 'turn' ? null : spentUsd,
		})),
	};
}

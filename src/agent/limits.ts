import type {ErrorReport} from '../core/error.ts';
import type {AgentEvent} from '../core/session/event.ts';

export type Budget = {
	readonly limitUsd: number;
	/** Returns the cost in US dollars of every event so far; null if a price is unknown. */
	readonly spentUsd: () => number | null;
};

type Options = {readonly model: string; readonly maxTurns?: number; readonly budget?: Budget};

/** Watches the limits of a run. `afterTurn` returns the reason to stop, and warns once if the cost is unknown. */
export function createLimits({model, maxTurns = Number.POSITIVE_INFINITY, budget}: Options) {
	let turns = 0;
	let warned = false;

	return {
		async *afterTurn(): AsyncGenerator<AgentEvent, ErrorReport | undefined> {
			turns++;
			if (turns >= maxTurns) {
				const message = `Reached the limit of ${turns} ${turns === 1 ? 'turn' : 'turns'}.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --max-turns.'};
			}

			const spentUsd = budget?.spentUsd();
			if (spentUsd === null && !warned) {
				warned = true;
				yield {
					type: 'notice',
					level: 'warning',
					text: `The price of ${model} is unknown, so the budget can't stop this run.`,
				};
			}

			if (budget && typeof spentUsd === 'number' && spentUsd >= budget.limitUsd) {
				const message = `Reached the budget of $${budget.limitUsd}: spent $${spentUsd.toFixed(4)}.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --budget.'};
			}

			return undefined;
		},
	};
}

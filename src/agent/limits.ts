import type {ErrorReport} from '../core/error.ts';
import type {AgentEvent} from '../core/session/event.ts';

export type Budget = {
	readonly limitUsd: number;
	/** US dollars that the run has cost, counting every event it has yielded; null where a price is unknown. */
	readonly spent: () => number | null;
};

type Options = {readonly model: string; readonly maxTurns?: number; readonly budget?: Budget};

/** Watches what a run may use. `afterTurn` gives the reason to stop, and warns once where the cost cannot be known. */
export function createLimits({model, maxTurns = Number.POSITIVE_INFINITY, budget}: Options) {
	let turns = 0;
	let warned = false;

	return {
		async *afterTurn(): AsyncGenerator<AgentEvent, ErrorReport | undefined> {
			turns++;
			if (turns >= maxTurns) {
				const message = `Stopped after ${turns} ${turns === 1 ? 'turn' : 'turns'} of the model, as many as were allowed.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --max-turns.'};
			}

			const spent = budget?.spent();
			if (spent === null && !warned) {
				warned = true;
				yield {
					type: 'notice',
					level: 'warning',
					text: `The price of ${model} is unknown, so the budget cannot stop this run.`,
				};
			}

			if (budget && typeof spent === 'number' && spent >= budget.limitUsd) {
				const message = `Stopped after $${spent.toFixed(4)}; the budget was $${budget.limitUsd}.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --budget.'};
			}

			return undefined;
		},
	};
}

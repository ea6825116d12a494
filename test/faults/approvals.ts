import fc from 'fast-check';
import {anyStep, playSteps} from '../ui/approvals/guarded-app.ts';
import {createTally, type Fault} from './fault.ts';

/** Keys, held keys, pastes, questions that open or end by others, pauses and resizes, in any order. */
export const approvals: Fault = {
	name: 'keys, held keys, pastes, questions that open and end, pauses and resizes in any order: nothing is agreed to that was not meant, and what is meant is heard',
	rules: [4],
	amounts: {test: 500, full: 10_000},
	async run({seed, amount}) {
		const tally = createTally();
		const all = fc.sample(fc.array(anyStep, {maxLength: 60}), {seed, numRuns: amount});
		for (const [turn, steps] of all.entries()) {
			await tally.attempt(`order ${turn}`, () => {
				const problems = playSteps(steps);
				if (problems.length > 0) {
					throw new Error(problems.join('; '));
				}
			});
		}

		return tally.figure();
	},
};

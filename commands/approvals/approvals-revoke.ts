import * as z from 'zod/mini';
import {ruleText} from '../../src/agent/policy/rules/rule.ts';
import {wholeNumber} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'revoke',
	summary: 'Remove a rule',
	args: z.object({number: wholeNumber}),
	positional: ['number'],
	describe: {number: 'its number in the list'},
	examples: ['approvals revoke 1'],
	whileRunning: true,

	async run(
		{number},
		{
			program: {
				project: {approvals, files: project},
			},
		},
	) {
		await project.state();
		const revoked = await approvals.rules.revoke(number);
		if (!revoked) {
			throw new AppError('not-found', `Rule ${number} not found.`, {hint: 'List them: `approvals`'});
		}

		const rule = ruleText(revoked.rule);
		if (revoked.source === 'flag') {
			throw new AppError('usage', `Rule ${number} is from the command line: ${rule}.`, {
				hint: 'Start again without that --allow.',
			});
		}

		if (revoked.source === 'settings') {
			throw new AppError('usage', `Rule ${number} is from a settings file: ${rule}.`, {
				hint: 'Remove it there: `help hooks`.',
			});
		}

		return {kind: 'text', text: `Removed ${rule}.`, data: {rule, effect: revoked.effect, source: revoked.source}};
	},
});

import * as z from 'zod/mini';
import {parseNewRule, ruleText} from '../../agent/policy/rules/rule.ts';
import {command} from '../command.ts';
import type {Command} from '../context.ts';

/** Returns the command that adds a rule with this effect. A shell has no session, so there it is for the folder. */
export function ruleCommand(effect: 'allow' | 'deny'): Command {
	const [verb, done] = effect === 'allow' ? ['Allow', 'Allowed'] : ['Deny', 'Denied'];
	return command({
		name: effect,
		summary: `${verb} what a rule covers, in this folder`,
		args: z.object({rule: z.string(), session: z.optional(z.boolean())}),
		positional: ['rule'],
		rest: true,
		describe: {rule: 'such as "run_command(npm test *)"', session: 'for this session only, in the app'},
		examples: [`approvals ${effect} "run_command(npm ${effect === 'allow' ? 'test' : 'publish'} *)"`],
		whileRunning: true,

		async run(
			{rule: text, session = false},
			{
				program: {
					project: {approvals},
				},
				ui: {live},
			},
		) {
			const rule = parseNewRule(text, effect);
			const source = session && live ? 'session' : 'folder';
			await approvals.rules.add(rule, effect, source);
			const data = {rule: ruleText(rule), effect, source};
			const {hasIdleStar} = await import('../../agent/policy/rules/describe-rule.ts');
			const named = rule.pattern?.replace(/\s*\*$/, '');
			const note =
				effect === 'allow' && hasIdleStar(rule)
					? ` It covers “${named}” alone; “${named} **” covers everything that it does.`
					: '';
			return {kind: 'text', text: `${done} ${ruleText(rule)} in this ${source}.${note}`, data};
		},
	});
}

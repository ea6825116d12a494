import type {RuleEntry} from '../verdict.ts';

/** Finds a rule that denies the command or any part of it. */
export function findDenying<Entry extends RuleEntry>(
	command: string,
	rules: readonly Entry[],
): {readonly denying?: Entry; readonly mayBeDenied: boolean} {
	const denying = rules.filter(({rule, effect}) => effect === 'deny' && rule.tool === 'run_command');
	// Until parts are compared, a denying rule of any pattern leaves the decision to a person.
	const all = denying.find(({rule}) => rule.pattern === undefined);
	return {...(all && command !== '' && {denying: all}), mayBeDenied: denying.length > 0};
}

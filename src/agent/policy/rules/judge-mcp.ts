import type {Act} from '../../../core/session/approval.ts';
import type {Judging, RuleEntry, Verdict} from '../verdict.ts';

/** Matches the server and the tool. A tool that changed since the user allowed it asks again, whatever allows it. */
export function judgeMcp<Entry extends RuleEntry>(
	{server, tool, isChanged}: Extract<Act, {kind: 'mcp'}>,
	{rules}: Pick<Judging<Entry>, 'rules'>,
): Verdict<Entry> {
	const name = `${server}:${tool}`;
	const matching = rules.filter(({rule}) => rule.tool === 'mcp' && matches(rule.pattern, name));
	const denying = matching.find(({effect}) => effect === 'deny');
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	if (isChanged) {
		return {effect: 'ask', suggested: [], why: 'changed since you allowed it', mayBeDenied: false};
	}

	const [allowing] = matching;
	return allowing
		? {effect: 'allow', by: [allowing]}
		: {effect: 'ask', suggested: [{tool: 'mcp', pattern: name}], mayBeDenied: false};
}

function matches(pattern: string | undefined, name: string): boolean {
	if (pattern === undefined) {
		return true;
	}

	return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

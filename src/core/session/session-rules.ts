import type {AgentEvent} from './event.ts';

type RuleEvent = Extract<AgentEvent, {type: 'session-rule'}>;

/** A rule that the user made for a session. Its text is relative to `folder`, the real path of the working folder. */
export type SessionRule = Omit<RuleEvent, 'type' | 'removed'>;

/** Returns the rules of a session after one was added or removed. */
export function rulesAfter(
	rules: readonly SessionRule[],
	{type: _, removed = false, ...rule}: RuleEvent,
): readonly SessionRule[] {
	const others = rules.filter(other => !isSameRule(other, rule));
	return removed ? others : [...others, rule];
}

function isSameRule(one: SessionRule, other: SessionRule): boolean {
	return one.rule === other.rule && one.effect === other.effect && one.folder === other.folder;
}

/**
 * Returns true if a rule counts in this working folder. What allows commands and files counts only in the folder that the
 * user saw; a host is the same everywhere, and what denies stays denied.
 */
export function countsIn({rule, effect, folder}: SessionRule, workspace: string): boolean {
	return effect === 'deny' || folder === workspace || /^fetch_url(?:\(|$)/.test(rule);
}

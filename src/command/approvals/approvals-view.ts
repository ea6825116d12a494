import {sep} from 'node:path';
import type {KeptRule} from '../../agent/approval/rule-book.ts';
import {ruleText} from '../../agent/policy/rules/rule.ts';
import {ruleSource} from '../../core/session/allowed-text.ts';
import type {ApprovalMode} from '../../core/session/approval.ts';
import type {Result} from '../result.ts';

/** Shows the mode, undefined in a shell, and the numbered rules. */
export function approvalsView(
	rules: readonly KeptRule[],
	{mode, folder}: {readonly mode: ApprovalMode | undefined; readonly folder: string},
): Result {
	const effect = {allow: 'allow', deny: 'deny'} as const;
	return {
		kind: 'table',
		...(mode && {title: `Approval mode: ${mode}`}),
		columns: [
			{label: '#', align: 'right', whole: true},
			{label: 'effect', whole: true},
			{label: 'rule'},
			{label: 'from', spare: true},
			{label: 'last allowed', spare: true},
		],
		rows: rules.map(({effect: is, rule, source, lastAllowed}, index) => [
			String(index + 1),
			effect[is],
			ruleText(rule),
			ruleSource(source),
			lastAllowed ?? '',
		]),
		empty: 'No rules yet. Add one: `approvals allow "run_command(npm test *)"`',
		data: {
			...(mode && {mode}),
			folder: folder.replaceAll(sep, '/'),
			rules: rules.map(({effect: is, rule, source, lastAllowed}, index) => ({
				number: index + 1,
				effect: is,
				rule: ruleText(rule),
				source,
				last_allowed: lastAllowed ?? null,
			})),
		},
	};
}

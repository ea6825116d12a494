import {resolve, sep} from 'node:path';
import {ruleOn} from '../../agent/approval/ruling.ts';
import {type Rule, ruleText, type Verdict} from '../../agent/policy/rules/rule.ts';
import {isSecretFile} from '../../agent/policy/secret-files.ts';
import {AppError} from '../../core/error.ts';
import {ruleSource} from '../../core/session/allowed-text.ts';
import type {Act, ApprovalMode} from '../../core/session/approval.ts';
import type {Result} from '../result.ts';

/** Shows the mode, undefined in a shell, and the numbered rules. */
export function approvalsView(
	rules: readonly Rule[],
	{mode, folder}: {readonly mode: ApprovalMode | undefined; readonly folder: string},
): Result {
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
		rows: rules.map((rule, index) => [
			String(index + 1),
			rule.effect,
			ruleText(rule),
			ruleSource(rule.place?.source ?? ''),
			rule.lastAllowed ?? '',
		]),
		empty: 'No rules yet. Add one: `approvals allow "run_command(npm test *)"`',
		data: {
			...(mode && {mode}),
			folder: folder.replaceAll(sep, '/'),
			rules: rules.map((rule, index) => ({
				number: index + 1,
				effect: rule.effect,
				rule: ruleText(rule),
				source: rule.place?.source ?? null,
				last_allowed: rule.lastAllowed ?? null,
			})),
		},
	};
}

type Explanation = {readonly text: string; readonly decision: 'allow' | 'refuse' | 'ask'};

/** Reads an act as typed: `edit_file(src/a.ts)`, or a shell command. Throws AppError("usage") for what has no rules. */
export function actOf(text: string, folder: string): Act {
	const [, tool, argument = ''] = /^([a-z]+_[a-z]+|mcp)\((.*)\)$/s.exec(text.trim()) ?? [];
	switch (tool) {
		case undefined:
			return {kind: 'command', command: text, folder, containment: 'sandbox'};
		case 'run_command':
			return {kind: 'command', command: argument, folder, containment: 'sandbox'};
		case 'fetch_url':
			if (!URL.canParse(argument)) {
				throw new AppError('usage', `Invalid URL “${argument}”.`, {hint: 'Write it whole: https://example.com/page'});
			}

			return {kind: 'fetch', url: new URL(argument).href, method: 'GET'};
		case 'mcp': {
			const [, server, name] = /^([\w-]+):([\w-]+)$/.exec(argument) ?? [];
			if (server === undefined || name === undefined) {
				throw new AppError('usage', `Invalid MCP tool “${argument}”.`, {hint: 'Write server:tool.'});
			}

			return {kind: 'mcp', server, tool: name, arguments: {}, isLocal: false};
		}
		case 'edit_file':
		case 'write_file':
		case 'read_file': {
			const path = resolve(folder, argument);
			const isSecret = isSecretFile(path.replaceAll('\\', '/'));
			return {kind: tool === 'read_file' ? 'read-secret' : isSecret ? 'edit-secret' : 'edit', path};
		}
		default:
			throw new AppError('usage', `No rule covers ${tool}.`, {
				hint: 'Tools with rules: run_command, edit_file, read_file, fetch_url, mcp.',
			});
	}
}

/** Returns what would happen to an act now, and why. */
export function explainAct(act: Act, verdict: Verdict, mode: ApprovalMode): Explanation {
	const {effect} = ruleOn(act, mode, verdict);
	const decision = effect === 'deny' ? 'refuse' : effect;
	if (verdict.effect === 'deny') {
		return {decision, text: `Denied by ${nameOf(verdict.by)}.`};
	}

	if (verdict.effect === 'ask' && verdict.outOfReach !== undefined) {
		return {decision: 'refuse', text: `Refused in every mode: ${verdict.outOfReach}.`};
	}

	if (act.kind === 'read-secret' && !isSecretFile(act.path.replaceAll('\\', '/'))) {
		return {decision: 'allow', text: 'Allowed: files of this folder are read without asking, but for secret ones.'};
	}

	if (decision === 'refuse') {
		return {decision, text: 'Refused in plan mode: the agent only reads.'};
	}

	if (verdict.effect === 'allow') {
		const {by} = verdict;
		const text =
			typeof by === 'string' ? 'Allowed: it only reads in this folder.' : `Allowed by ${by.map(nameOf).join(' and ')}.`;
		return {decision, text};
	}

	const {why: clause, mayBeDenied, reveals = []} = verdict;
	const denies = act.kind === 'edit' || reveals.length > 0 ? '' : 'a rule may deny it';
	const shows = reveals.length > 0 ? `could show ${reveals.join(', ')} to the model` : undefined;
	const clauses = [...new Set([clause, shows])].filter(each => each !== undefined).join(' and ');
	const reasons = [mayBeDenied ? denies : '', clauses && `it ${clauses}`].filter(Boolean);
	const why = reasons.join(': ') || `no rule covers it, and the mode is ${mode}`;
	return decision === 'allow'
		? {decision, text: `Allowed by the mode ${mode}${act.kind === 'command' ? ', if a sandbox holds it' : ''}.`}
		: {decision, text: `Asks, because ${why}.`};
}

/** Returns a rule with its number and where it comes from. */
function nameOf(by: 'mode' | Rule): string {
	if (by === 'mode') {
		return 'the mode';
	}

	return by.place
		? `rule ${by.place.number} of ${ruleSource(by.place.source)}: ${ruleText(by)}`
		: `the rule ${ruleText(by)}`;
}

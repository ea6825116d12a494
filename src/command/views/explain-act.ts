import {resolve} from 'node:path';
import type {KeptRule} from '../../agent/approval/rule-book.ts';
import {ruleOn, type Verdict} from '../../agent/approval/ruling.ts';
import {ruleText} from '../../agent/policy/rules/rule.ts';
import {isSecretFile} from '../../agent/policy/secret-files.ts';
import {AppError} from '../../core/error.ts';
import {ruleSource} from '../../core/session/allowed-text.ts';
import type {Act, ApprovalMode} from '../../core/session/approval.ts';

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

type Situation = {readonly mode: ApprovalMode; readonly rules: readonly KeptRule[]};

/** Returns what would happen to an act now, and why. */
export function explainAct(act: Act, verdict: Verdict, {mode, rules}: Situation): Explanation {
	const {kind} = ruleOn(act, mode, verdict);
	const named = (texts: readonly string[]) => texts.map(text => nameOf(text, verdict.effect, rules)).join(' and ');
	if (verdict.effect === 'deny') {
		return {decision: kind, text: `Denied by ${named([verdict.rule])}.`};
	}

	if (verdict.effect === 'ask' && verdict.outOfReach !== undefined) {
		return {decision: 'refuse', text: `Refused in every mode: ${verdict.outOfReach}.`};
	}

	if (act.kind === 'read-secret' && !isSecretFile(act.path.replaceAll('\\', '/'))) {
		return {decision: 'allow', text: 'Allowed: files of this folder are read without asking, but for secret ones.'};
	}

	if (kind === 'refuse') {
		return {decision: kind, text: 'Refused in plan mode: the agent only reads.'};
	}

	if (verdict.effect === 'allow') {
		const by =
			verdict.rules.length > 0 ? `Allowed by ${named(verdict.rules)}.` : 'Allowed: it only reads in this folder.';
		return {decision: kind, text: by};
	}

	const {why: clause, mayBeDenied, reveals = []} = verdict;
	const denies = act.kind === 'edit' || reveals.length > 0 ? '' : 'a rule may deny it';
	const shows = reveals.length > 0 ? `could show ${reveals.join(', ')} to the model` : undefined;
	const clauses = [...new Set([clause, shows])].filter(each => each !== undefined).join(' and ');
	const reasons = [mayBeDenied ? denies : '', clauses && `it ${clauses}`].filter(Boolean);
	const why = reasons.join(': ') || `no rule covers it, and the mode is ${mode}`;
	return kind === 'allow'
		? {decision: kind, text: `Allowed by the mode ${mode}${act.kind === 'command' ? ', if a sandbox holds it' : ''}.`}
		: {decision: kind, text: `Asks, because ${why}.`};
}

/** Returns a rule with its number and where it comes from. */
function nameOf(text: string, effect: string, rules: readonly KeptRule[]): string {
	const index = rules.findIndex(entry => entry.effect === effect && ruleText(entry.rule) === text);
	const source = rules[index]?.source;
	return source ? `rule ${index + 1} of ${ruleSource(source)}: ${text}` : `the rule ${text}`;
}

import {relative, sep} from 'node:path';
import type {Act} from '../../../core/session/approval.ts';
import {allowsCommand, suggestRule} from '../rules/match-command.ts';
import type {Rule} from '../rules/rule.ts';
import type {Judging, RuleEntry, Verdict} from '../verdict.ts';
import {findDenying} from './find-denying.ts';
import {parseCommand, type SimpleCommand} from './parse-command.ts';

type CommandAct = Extract<Act, {kind: 'command'}>;

/** Decides about a shell command. It is allowed only if each simple command in it is read-only or covered by a rule. */
export async function judgeCommand<Entry extends RuleEntry>(
	act: CommandAct,
	judging: Judging<Entry>,
): Promise<Verdict<Entry>> {
	const {rules, workspace} = judging;
	const {denying, mayBeDenied} = findDenying(act.command, rules);
	if (denying) {
		return {effect: 'deny', by: denying};
	}

	const parsed = parseCommand(act.command);
	if ('why' in parsed) {
		return {effect: 'ask', why: parsed.why, suggested: [], mayBeDenied};
	}

	const allowing = rules.filter(({effect}) => effect === 'allow');
	const by = new Set<Entry>();
	const suggested: Rule[] = [];
	let why: string | undefined;
	const folder = relative(workspace, act.folder).replaceAll(sep, '/') || '.';
	for (const command of parsed.commands) {
		const entry = allowing.find(({rule}) => allowsCommand(rule, command, folder));
		if (entry && command.redirections.length === 0) {
			by.add(entry);
		} else {
			why ??= command.redirections.length > 0 ? 'writes to a file' : undefined;
			suggested.push(...suggestionFor(command, folder));
		}
	}

	if (suggested.length === 0 && why === undefined && by.size > 0 && !mayBeDenied) {
		return {effect: 'allow', by: [...by]};
	}

	return {effect: 'ask', ...(why !== undefined && {why}), suggested: why === undefined ? suggested : [], mayBeDenied};
}

function suggestionFor(command: SimpleCommand, folder: string): readonly Rule[] {
	const rule = suggestRule(command, folder);
	return rule ? [rule] : [];
}

import {createApprovals, type Decide, type Kept} from '../agent/approval/approval.ts';
import {judgeByRules} from '../agent/approval/judge-by-rules.ts';
import type {RuleBook} from '../agent/approval/rule-book.ts';
import {decideUnasked} from '../agent/approval/unasked.ts';
import {parseRule} from '../agent/policy/rules/rule.ts';
import type {SessionRule} from '../core/session/session-rules.ts';
import type {AppStore} from '../store/store.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** Creates what decides about acts of the agent: rules, the mode, and the user or the command line. */
export function createApprovalParts(
	{store, approve = 'never'}: ProgramOptions,
	{folder, home, rules, secrets, project}: LocalState,
	hookFiles: () => Promise<readonly string[]>,
) {
	if (approve !== 'never') {
		store.getState().setApprovalMode(approve);
	}

	const judge = judgeByRules({
		book: rules,
		workspace: folder.path,
		places: {stateFolder: home.path, hookFiles},
		hide: secrets.hide,
		unreadable: project.unreadable,
	});
	/** Without a screen the user isn't asked: the command line says what is allowed. */
	let decide: Decide = decideUnasked(approve);
	return {
		judge,
		/** Returns the approvals of a session with these rules of its own. */
		createApprovals(ofSession: readonly SessionRule[]) {
			rules.startSession(ofSession);
			return createApprovals({
				decide: (request, signal) => decide(request, signal),
				judge,
				mode: () => store.getState().approvalMode,
				keep: kept => keepAllowed(kept, rules, store),
				onRules: rules.noteUse,
			});
		},
		askWith(ask: Decide) {
			decide = ask;
		},
	};
}

/** Keeps what the user allowed for longer than once. */
async function keepAllowed(kept: Kept, rules: RuleBook, store: AppStore): Promise<void> {
	if (kept.scope === 'edits') {
		store.getState().setApprovalMode('edits');
		return;
	}

	for (const rule of kept.rules) {
		await rules.add(parseRule(rule), 'allow', kept.scope);
	}
}

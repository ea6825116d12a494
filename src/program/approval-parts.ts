import {createApprovals, type Decide, type Kept, type SessionApprovals} from '../agent/approval/approval.ts';
import type {RuleBook} from '../agent/approval/rule-book.ts';
import {type Judge, judgeByRules} from '../agent/approval/ruling.ts';
import {decideUnasked} from '../agent/approval/unasked.ts';
import {type FileRules, parseRule} from '../agent/policy/rules/rule.ts';
import {hookCommands} from '../agent/project/effects.ts';
import type {ApprovalMode} from '../core/session/approval.ts';
import type {SessionRule} from '../core/session/session-rules.ts';
import type {Slot} from '../session/conversations.ts';
import type {AppStore} from '../store/store.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** What decides about acts of the agent: rules, the mode, and the user or the command line. */
export type ApprovalParts = {
	readonly judge: Judge;
	/** Returns the rules of the moment about the files of a slot's folder. */
	readonly fileRulesIn: (slot: Slot) => () => FileRules;
	/**
	 * Returns what creates the approvals of sessions in a slot. In the background the rules of the session count, not those
	 * of the one in front, and questions wait until it is shown. No session begins with the mode of another one.
	 */
	readonly createApprovalsIn: (slot: Slot) => (ofSession: readonly SessionRule[]) => SessionApprovals;
	readonly askWith: (ask: Decide) => void;
};

export function createApprovalParts(
	{store, approve = 'never'}: ProgramOptions,
	{folder, home, rules, secrets, project}: LocalState,
): ApprovalParts {
	/** The mode that each session begins with: that of the command line, or the usual one. */
	const firstMode: ApprovalMode = approve === 'never' ? 'ask' : approve;

	const judgeBy = (book: Pick<RuleBook, 'list'>) =>
		judgeByRules({
			book,
			workspace: folder.path,
			places: {stateFolder: home.path, hooks: () => hookCommands(project)},
			hide: secrets.hide,
			unreadable: project.unreadable,
		});
	const judge = judgeBy(rules);
	/** Returns the rules that count in a slot: in the background those of its session, not those of the one in front. */
	const rulesIn = (slot: Slot) => (slot.isFront() ? rules : rules.forSession(slot.store.getState().transcript.rules));
	/** Without a screen the user isn't asked: the command line says what is allowed. */
	let decide: Decide = decideUnasked(approve);
	return {
		judge,
		fileRulesIn: slot => () => ({folder: folder.path(), entries: rulesIn(slot).list()}),
		createApprovalsIn: slot => ofSession => {
			rules.startSession(ofSession);
			slot.store.getState().setApprovalMode(firstMode);
			return createApprovals({
				decide: (request, signal) => decide(request, signal),
				ready: slot.whenFront,
				judge: act => judgeBy(rulesIn(slot))(act),
				mode: () => slot.store.getState().approvalMode,
				keep: kept => keepAllowed(kept, rules, store),
				onRules: rules.noteUse,
				onChange(listener) {
					const stopRules = rules.onChange(listener);
					const stopMode = store.subscribe(({approvalMode}, before) => {
						if (approvalMode !== before.approvalMode) {
							listener();
						}
					});
					return () => {
						stopRules();
						stopMode();
					};
				},
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

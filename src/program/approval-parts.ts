import {createApprovals} from '../agent/approval/approval.ts';
import {judgeByRules} from '../agent/approval/ruling.ts';
import {decideUnasked} from '../agent/approval/unasked.ts';
import {type FileRules, parseRule, type Rule, type Verdict} from '../agent/policy/rules/rule.ts';
import {hookCommands} from '../agent/project/effects.ts';
import type {SessionPart} from '../command/parts.ts';
import type {Act, ApprovalMode} from '../core/session/approval.ts';
import type {SessionRule} from '../core/session/session-rules.ts';
import type {Slot} from '../session/conversations.ts';
import type {SessionGrants} from '../session/start-run.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** What decides about acts of the agent: rules, the mode, and the user or the command line. */
export type ApprovalParts = {
	readonly judge: (act: Act) => Promise<Verdict>;
	/** Returns the rules of the moment about the files of a slot's folder. */
	readonly fileRulesIn: (slot: Slot) => () => FileRules;
	/**
	 * Returns what creates the approvals of sessions in a slot. In the background the rules of the session count, not those
	 * of the one in front, and questions wait until it is shown. No session begins with the mode of another one.
	 */
	readonly createApprovalsIn: (slot: Slot) => (ofSession: readonly SessionRule[]) => SessionGrants['approvals'];
	readonly askWith: SessionPart['askWith'];
};

export function createApprovalParts(
	{store, approve = 'never'}: ProgramOptions,
	{folder, home, rules, secrets, project}: LocalState,
): ApprovalParts {
	/** The mode that each session begins with: that of the command line, or the usual one. */
	const firstMode: ApprovalMode = approve === 'never' ? 'ask' : approve;

	const judgeBy = (list: () => readonly Rule[]) =>
		judgeByRules({
			list,
			workspace: folder.path,
			places: {stateFolder: home.path, hooks: () => hookCommands(project)},
			hide: secrets.hide,
			unreadable: project.unreadable,
		});
	const judge = judgeBy(rules.list);
	/** Returns the rules that count in a slot: in the background those of its session, not those of the one in front. */
	const rulesIn = (slot: Slot) =>
		slot.isFront() ? rules.list : rules.forSession(slot.store.getState().transcript.rules);
	/** Without a screen the user isn't asked: the command line says what is allowed. */
	let decide: Parameters<SessionPart['askWith']>[0] = decideUnasked(approve);
	return {
		judge,
		fileRulesIn: slot => () => ({folder: folder.path(), entries: rulesIn(slot)()}),
		createApprovalsIn: slot => ofSession => {
			rules.startSession(ofSession);
			slot.store.getState().setApprovalMode(firstMode);
			return createApprovals({
				decide: (question, signal) => decide(question, signal),
				whenAskable: slot.inFront,
				judge: act => judgeBy(rulesIn(slot))(act),
				mode: () => slot.store.getState().approvalMode,
				async keep(scope, texts) {
					if (scope === 'edits') {
						store.getState().setApprovalMode('edits');
						return;
					}

					for (const text of texts) {
						await rules.add(parseRule(text), scope);
					}
				},
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
		askWith(ask) {
			decide = ask;
		},
	};
}

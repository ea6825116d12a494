import type {StateCreator} from 'zustand/vanilla';
import {type ApprovalMode, approvalModes} from '../core/session/approval.ts';

export type ApprovalSlice = {
	/** What the agent may do without asking. */
	readonly approvalMode: ApprovalMode;

	setApprovalMode: (mode: ApprovalMode) => void;
};

export const createApprovalSlice: StateCreator<ApprovalSlice> = set => ({
	approvalMode: 'ask',

	setApprovalMode(approvalMode) {
		set({approvalMode});
	},
});

/** What each mode allows, as the user is told. */
export const modeEffects: Readonly<Record<ApprovalMode, string>> = {
	ask: 'Ask mode: edits and commands ask first.',
	edits: "Edits mode: edits in this folder don't ask.",
	all: "All mode: edits and sandboxed commands don't ask.",
	plan: 'Plan mode: the agent reads, then proposes a plan.',
};

/** Returns the mode that Shift+Tab selects next. */
export function nextApprovalMode(mode: ApprovalMode): ApprovalMode {
	return approvalModes[(approvalModes.indexOf(mode) + 1) % approvalModes.length] ?? 'ask';
}

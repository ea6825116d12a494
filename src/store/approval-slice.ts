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

/** Returns the mode that Shift+Tab selects next. */
export function nextApprovalMode(mode: ApprovalMode): ApprovalMode {
	return approvalModes[(approvalModes.indexOf(mode) + 1) % approvalModes.length] ?? 'ask';
}

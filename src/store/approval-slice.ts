import type {StateCreator} from 'zustand/vanilla';
import {type ApprovalMode, approvalModes} from '../core/session/approval.ts';

export type ApprovalSlice = {
	/** What the agent may do without asking. */
	readonly approvalMode: ApprovalMode;
	/** Returns whether all mode may begin here. If not, it asks the user, and the mode is `ask` until they agree. */
	readonly beginsAll: () => boolean;

	setApprovalMode: (mode: ApprovalMode) => void;
};

export const createApprovalSlice: StateCreator<ApprovalSlice> = (set, get) => ({
	approvalMode: 'ask',
	beginsAll: () => true,

	setApprovalMode(mode) {
		// Nothing may see a mode that the user has yet to agree to: questions that wait are answered by it.
		set({approvalMode: mode === 'all' && !get().beginsAll() ? 'ask' : mode});
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

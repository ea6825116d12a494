import type {ApprovalMode} from '../../core/session/approval.ts';
import {nextApprovalMode} from '../../store/approval-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {Palette, Role} from '../../terminal/text/style.ts';
import {textWidth} from '../../terminal/text/width.ts';

/** What the user is told when a mode begins. */
const effects: Readonly<Record<ApprovalMode, string>> = {
	ask: 'ask mode: edits and commands ask first.',
	edits: "edits mode: edits in this folder don't ask.",
	all: "all mode: edits and sandboxed commands don't ask.",
	plan: 'plan mode: the agent reads, then proposes a plan.',
};

/** Selects the next mode. */
export function walkApprovalModes(store: AppStore): void {
	const {approvalMode, setApprovalMode, setToast} = store.getState();
	const next = nextApprovalMode(approvalMode);
	setApprovalMode(next);
	setToast(`${effects[next]} Shift+Tab: next`);
}

/** Returns the sign before the prompt, which names every mode but `ask`. */
export function promptSign(mode: ApprovalMode): string {
	return mode === 'ask' ? '❯ ' : `${mode} ❯ `;
}

/** Returns the width of the sign before the prompt, in cells. */
export function promptWidth(mode: ApprovalMode): number {
	return textWidth(promptSign(mode));
}

/** Returns the colour of a mode. Its name is always beside it. */
export function modeRole(mode: ApprovalMode, palette: Palette): Role {
	return mode === 'all' ? palette.warning : mode === 'edits' ? palette.success : palette.accent;
}

import type {ApprovalMode} from '../../core/session/approval.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {modeEffects, nextApprovalMode} from '../../store/approval-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {Role} from '../../terminal/text/role.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {textWidth} from '../../terminal/text/width.ts';

/** Selects the next mode. */
export function walkApprovalModes(store: AppStore): void {
	const {approvalMode, setApprovalMode, setToast, keymap} = store.getState();
	const next = nextApprovalMode(approvalMode);
	setApprovalMode(next);
	if (store.getState().approvalMode !== next) {
		// The user is asked first.
		return;
	}

	const key = hintKey(keymap, 'app.approval-mode');
	setToast(`${modeEffects[next]}${key && ` ${key}: next`}`);
}

/** Returns the sign before the prompt, which names every mode but `ask`, and is another one for a command of the user's shell. */
export function promptSign(mode: ApprovalMode, isShell = false): string {
	const sign = isShell ? '$ ' : '❯ ';
	return mode === 'ask' ? sign : `${mode} ${sign}`;
}

/** Returns the width of the sign before the prompt, in cells. */
export function promptWidth(mode: ApprovalMode): number {
	return textWidth(promptSign(mode));
}

/** Returns the colour of a mode. Its name is always beside it. */
export function modeRole(mode: ApprovalMode, palette: Palette): Role {
	return mode === 'all' ? palette.warning : mode === 'edits' ? palette.success : palette.accent;
}

import {allLogs} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Opens the log in front in the viewer. Returns false if no log is open. */
	readonly openViewer: () => boolean;
};

/**
 * Handles keys for the log panel that the prompt does not use. None of them types anything: Ctrl+G is one byte in every
 * terminal (BEL), Alt with an arrow is `CSI 1;3 A`, Alt with a letter is the letter after ESC. Returns false for others.
 */
export function pressInLogs(chord: string, {store, openViewer}: Dependencies): boolean {
	const {logs, logPanel, showLogPanel, resizeLogPanel, cycleLog, setToast, composer} = store.getState();
	if (chord === 'ctrl+g') {
		if (!openViewer()) {
			setToast('No log is open. Open one: /env logs <id>');
		}

		return true;
	}

	if (logs.length === 0) {
		return false;
	}

	switch (chord) {
		case 'alt+l':
			showLogPanel(!logPanel.isShown);
			return true;
		case 'alt+up':
		case 'alt+down':
			resizeLogPanel(chord === 'alt+up' ? 1 : -1);
			return true;
		case 'tab':
			if (composer.text) {
				return false;
			}

			cycleLog(1);
			return true;
		default:
			return false;
	}
}

/** Focuses the log of a tool call, if it is open and the panel does not show all logs. */
export function focusLogOf(store: AppStore, environment: unknown): void {
	const {logs, logFocus, focusLog} = store.getState();
	const log = logs.find(open => open.environment === environment);
	if (log && logFocus !== allLogs) {
		focusLog(log.environment);
	}
}

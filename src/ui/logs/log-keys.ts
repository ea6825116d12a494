import {allLogs} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Gives the log in front the whole window; false where none is open. */
	readonly openViewer: () => boolean;
};

/**
 * What keys do to the dock of logs while the prompt has no use for them. None of them types anything: Ctrl+G is one byte
 * in every terminal (BEL), Alt with an arrow `CSI 1;3 A`, Alt with a letter the letter behind ESC. False for all others.
 */
export function pressInLogs(chord: string, {store, openViewer}: Dependencies): boolean {
	const {logs, logDock, showLogDock, resizeLogDock, cycleLog, setToast, composer} = store.getState();
	if (chord === 'ctrl+g') {
		if (!openViewer()) {
			setToast('No log is open: /env logs <id> opens one.');
		}

		return true;
	}

	if (logs.length === 0) {
		return false;
	}

	switch (chord) {
		case 'alt+l':
			showLogDock(!logDock.isShown);
			return true;
		case 'alt+up':
		case 'alt+down':
			resizeLogDock(chord === 'alt+up' ? 1 : -1);
			return true;
		case 'tab':
		case 'shift+tab':
			if (composer.text) {
				return false;
			}

			cycleLog(chord === 'tab' ? 1 : -1);
			return true;
		default:
			return false;
	}
}

/** Puts the log that a tool call was about in front, where it is open and not in front with all others. */
export function focusLogOf(store: AppStore, environment: unknown): void {
	const {logs, logFocus, focusLog} = store.getState();
	const log = logs.find(open => open.environment === environment);
	if (log && logFocus !== allLogs) {
		focusLog(log.environment);
	}
}

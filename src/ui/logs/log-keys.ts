import type {Action} from '../../editor/keymap/default-keys.ts';
import {allLogs} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Opens the log in front in the viewer. Returns false if no log is open. */
	readonly openViewer: () => boolean;
};

/** Handles the actions of the log panel, which the prompt does not use. Returns false for others. */
export function pressInLogs(action: Action | undefined, {store, openViewer}: Dependencies): boolean {
	const {logs, logPanel, showLogPanel, resizeLogPanel, cycleLog, setToast, composer} = store.getState();
	if (action === 'logs.viewer') {
		if (!openViewer()) {
			setToast('No log is open. Open one: /env logs <id>');
		}

		return true;
	}

	if (logs.length === 0) {
		return false;
	}

	switch (action) {
		case 'logs.panel':
			showLogPanel(!logPanel.isShown);
			return true;
		case 'logs.taller':
		case 'logs.shorter':
			resizeLogPanel(action === 'logs.taller' ? 1 : -1);
			return true;
		case 'logs.next':
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

import {followConnection} from '../../session/follow-connection.ts';
import type {Size} from '../../store/view-slice.ts';
import type {FollowedLogs} from './followed-logs.ts';
import type {LogDisplay} from './log-display.ts';
import {drawLogPanel} from './log-panel.ts';
import {
	createLogScreen,
	type LogScreen,
	type LogScreenOptions,
	panelPicture,
	viewerPicture,
	viewportOf,
} from './log-screen.ts';
import {placeAtTime} from './viewer/log-find.ts';
import {caretOf, drawLogScreen} from './viewer/log-view.ts';
import {withOnly, withRequestedFilter} from './viewer/log-viewer-state.ts';
import {moveTo, pressInViewer} from './viewer/viewer-actions.ts';

/** The logs of the app: followed, in the panel, and in the full-screen viewer. */
export type AppLogs = LogDisplay &
	Pick<FollowedLogs, 'suspend' | 'resume'> & {
		/** Returns the log panel at that size: its title, then the end of the log in front. */
		readonly panelLines: (size: Size) => readonly string[];
		/** Opens the viewer; with a time, at the first line that arrived then or later. Returns false if no log is open. */
		readonly openViewer: (at?: number) => boolean;
		/** Closes all logs and stops listening to the store. */
		readonly dispose: () => void;
	};

/** Creates the logs of the app, with none open. */
export function createAppLogs(options: LogScreenOptions): AppLogs {
	const {store} = options;
	const screen = createLogScreen(options);
	const {followed} = screen;
	const unsubscribe = followStore(screen);
	const unfollow = followConnection(store, {...followed, retry: followed.resume});
	return {
		...followed,
		follow(log) {
			followed.open(log);
			screen.viewer = withRequestedFilter(screen.viewer, log);
		},
		panelLines: size => drawLogPanel(panelPicture(screen, size), size),
		openViewer(at) {
			if (store.getState().logs.length === 0) {
				return false;
			}

			openViewer(screen);
			if (at !== undefined) {
				moveTo(screen, placeAtTime(viewportOf(screen).log, at), '');
			}

			return true;
		},
		dispose() {
			unsubscribe();
			unfollow();
			clearImmediate(screen.filterStep);
			screen.search.abort();
			followed.closeAll();
		},
	};
}

/** Redraws the viewer on each change, and drops what it knew of closed logs, and of places that another log moves. */
function followStore(screen: LogScreen): () => void {
	return screen.store.subscribe((state, before) => {
		if (state.logs.length !== before.logs.length) {
			screen.viewer = withOnly(screen.viewer, state.logs);
		}

		if (screen.isOpen && state !== before) {
			screen.fullScreen.invalidate();
		}
	});
}

function openViewer(screen: LogScreen): void {
	screen.fullScreen.open({
		draw(size) {
			screen.size = size;
			return drawLogScreen(viewerPicture(screen, size), size);
		},
		press: token => pressInViewer(screen, token),
		caret: () => caretOf(screen, screen.size),
		onClose() {
			screen.isOpen = false;
			screen.search.abort();
			screen.viewer = {...screen.viewer, field: undefined, help: undefined, note: ''};
			// The log panel shows the same filter.
			screen.store.getState().updateLogs(new Map());
		},
	});
	screen.isOpen = true;
}

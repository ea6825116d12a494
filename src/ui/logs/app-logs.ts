import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {keymapOf} from '../../editor/keymap/keymap.ts';
import {followConnection} from '../../session/follow-connection.ts';
import type {Size} from '../../store/view-slice.ts';
import {truncate} from '../../terminal/text/width.ts';
import {titleRule} from '../panels/panel-rows.ts';
import type {FollowedLogs} from './followed-logs.ts';
import type {LogDisplay} from './log-display.ts';
import {
	createLogScreen,
	type LogScreen,
	type LogScreenOptions,
	pictureAt,
	viewerPicture,
	viewportOf,
} from './log-screen.ts';
import {scrollAtEnd, visibleRows} from './log-scroll.ts';
import {tabsLine, titleLine} from './log-title.ts';
import {placeAtTime} from './viewer/log-find.ts';
import {caretOf, drawLogScreen, type LogPicture, whyEmpty, withOpenRows} from './viewer/log-view.ts';
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
		panelLines(size) {
			const viewer = {...screen.viewer, wrap: false, sideways: 0};
			return drawLogPanel(pictureAt(screen, size, Math.max(1, size.rows), viewer), size);
		},
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

/** Draws the log panel: a title with the state and the keys, the tabs if there are several logs, the newest lines. */
export function drawLogPanel(picture: LogPicture, {columns, rows}: Size): readonly string[] {
	const {logs, viewport, drawn, palette, ownKeys} = picture;
	if (rows < 1) {
		return [];
	}

	const isHidden = rows === 1;
	const several = logs.length > 1;
	const keys = hintsOf(keymapOf(defaultKeys, ownKeys), [
		['open', 'logs.viewer'],
		[isHidden ? 'show' : 'hide', 'logs.panel'],
		...(several ? [['next', 'logs.next'] as const] : []),
		...(isHidden ? [] : [['resize', 'logs.taller', 'logs.shorter'] as const]),
	]);
	const facts = titleLine({...picture, hides: viewport.shown.hidden()}, columns - 3, undefined, keys);
	const title = titleRule(facts, {columns, palette, rule: palette.dim});
	const tabs = several && rows > 3 ? [tabsLine(picture, columns)] : [];
	const room = rows - 1 - tabs.length;
	const {rest, open} = room > 0 ? withOpenRows(picture, room) : {rest: 0, open: []};
	const end = rest > 0 ? scrollAtEnd({...viewport, rows: rest}) : undefined;
	const ended = end
		? visibleRows({...viewport, rows: rest}, end).map(([place, row]) => {
				const {rows: parts, isMatch} = drawn(place);
				return `${isMatch && row === 0 ? palette.warning('•') : ' '} ${parts[row] ?? ''}`;
			})
		: rest > 0 && open.length === 0
			? [truncate(palette.dim(`  ${whyEmpty(viewport)}`), columns)]
			: [];
	const lines = [...ended, ...open];
	return [title, ...tabs, ...lines, ...Array.from({length: room - lines.length}, () => '')];
}

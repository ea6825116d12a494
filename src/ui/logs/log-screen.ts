import type {AppError} from '../../core/error.ts';
import type {TailClock} from '../../logs/tail-clock.ts';
import {allLogs} from '../../store/logs-slice.ts';
import {needsUser} from '../../store/panel-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {Size} from '../../store/view-slice.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {FullScreen} from '../screen/full-screen.ts';
import {createFollowedLogs, type FollowedLogs} from './followed-logs.ts';
import {createLogRenderer, type LogRenderer} from './log-renderer.ts';
import type {Viewport} from './log-scroll.ts';
import {bodyRows, gutter, type LogPicture} from './viewer/log-view.ts';
import {emptyViewer, type LogViewer, positionOf, withoutLastPattern} from './viewer/log-viewer-state.ts';

export type LogScreenOptions = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	/** The folder in which files are saved. */
	readonly folder: string;
	readonly homeFolder: string | undefined;
	readonly copy: (text: string) => boolean;
	readonly suspend: () => void;
	/** Shows the transcript at a moment, in milliseconds since the epoch. */
	readonly openTranscript: (at: number) => void;
	readonly clock?: TailClock;
};

/** What the log panel and the log viewer show, and what it is drawn from. */
export type LogScreen = LogScreenOptions & {
	readonly followed: FollowedLogs;
	readonly renderer: LogRenderer;
	viewer: LogViewer;
	/** True while the viewer is open. */
	isOpen: boolean;
	/** The size of the viewer when it was last drawn. */
	size: Size;
	search: AbortController;
	/** The next step of a filter that has more entries to examine. */
	filterStep: NodeJS.Immediate | undefined;
};

/** Creates the state of the log panel and viewer, with no log. */
export function createLogScreen(options: LogScreenOptions): LogScreen {
	const {store, palette, clock} = options;
	const screen: LogScreen = {
		...options,
		followed: createFollowedLogs({store, isSeen: environment => isSeen(screen, environment), ...(clock && {clock})}),
		renderer: createLogRenderer(palette, (error, focus) => removeFilter(screen, error, focus)),
		viewer: emptyViewer,
		isOpen: false,
		size: store.getState().size,
		search: new AbortController(),
		filterStep: undefined,
	};
	return screen;
}

/** Returns what the log in front is drawn from. A filter that has more to examine continues later. */
export function pictureAt(screen: LogScreen, {columns}: Size, rows: number, viewer = screen.viewer): LogPicture {
	const {store, followed, renderer, palette} = screen;
	const {logs, logFocus: focus, ownKeys} = store.getState();
	const log = followed.entriesOf(focus);
	const open = followed.openLines(focus);
	const rendered = renderer.render({viewer, logs, focus, log, open, rows, width: columns - gutter});
	if (rendered.isFiltering) {
		screen.filterStep ??= setImmediate(() => continueFiltering(screen));
	}

	const notice = needsUser(store.getState()) ? 'A question is waiting in the conversation · Esc close' : '';
	const order = log?.order?.();
	return {logs, focus, viewer, ...rendered, palette, ownKeys, now: followed.now(), notice, order};
}

/** Returns what the viewer is drawn from. */
export function viewerPicture(screen: LogScreen, size: Size): LogPicture {
	const {logs, logFocus: focus} = screen.store.getState();
	return pictureAt(screen, size, bodyRows({logs, focus, viewer: screen.viewer}, size.rows));
}

/** Returns the part of the log that the viewer shows now. */
export function viewportOf(screen: LogScreen): Viewport {
	return viewerPicture(screen, screen.size).viewport;
}

/** Shows a sentence at the lower edge of the viewer. */
export function showNote(screen: LogScreen, note: string): void {
	screen.viewer = {...screen.viewer, note};
	screen.fullScreen.invalidate();
}

/** Returns true if new lines of a log are on the screen. */
function isSeen({store, viewer, isOpen, fullScreen}: LogScreen, environment: string): boolean {
	const {logFocus, logPanel} = store.getState();
	const isInFront = logFocus === environment || logFocus === allLogs;
	return isInFront && (isOpen ? !positionOf(viewer, logFocus).scroll : logPanel.isShown && !fullScreen.isOpen());
}

/** Examines more entries in a task of its own, so that keys are handled in between. */
function continueFiltering(screen: LogScreen): void {
	screen.filterStep = undefined;
	if (!pictureAt(screen, screen.size, 1).isFiltering) {
		screen.fullScreen.invalidate();
		screen.store.getState().updateLogs(new Map());
	}
}

function removeFilter(screen: LogScreen, error: AppError, focus: string): void {
	screen.viewer = withoutLastPattern(screen.viewer, focus);
	showNote(screen, `${error.message} It was removed.`);
}

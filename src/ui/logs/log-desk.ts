import {reportError} from '../../core/error.ts';
import type {TailClock} from '../../logs/tail-clock.ts';
import {followConnection} from '../../session/follow-connection.ts';
import {allLogs, logPlaces} from '../../store/logs-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {Size} from '../../store/view-slice.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {FullScreen} from '../screen/full-screen.ts';
import {createFollowedLogs, type FollowedLogs} from './followed-logs.ts';
import {createLogRenderer} from './log-picture.ts';
import type {LogPlace} from './log-place.ts';
import {jumpTo, scrollAtEnd, type Viewport} from './log-scroll.ts';
import {drawLogDock} from './panel/log-panel.ts';
import {attachChosen, chosenPlaces, copyLines, fileNameOf, saveLines} from './viewer/log-chosen.ts';
import {findLine, placeAtTime, timeAt} from './viewer/log-find.ts';
import {bodyRows, caretOf, drawLogScreen, gutter, type LogPicture} from './viewer/log-view.ts';
import {reduceLogViewer} from './viewer/log-viewer.ts';
import {
	emptyViewer,
	type LogViewer,
	withRequestedFilter,
	positionOf,
	type ViewerAction,
	withoutLastPattern,
	withOnly,
	withPosition,
} from './viewer/log-viewer-state.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	/** The folder in which files are saved, and the user's own. */
	readonly folder: string;
	readonly homeFolder: string | undefined;
	readonly copy: (text: string) => boolean;
	readonly suspend: () => void;
	/** Shows the transcript at a moment, in milliseconds since the epoch. */
	readonly openTranscript: (at: number) => void;
	readonly clock?: TailClock;
};

/** The logs of the app: followed, in the dock, and in the whole window. */
export type LogDesk = LogPlace &
	Pick<FollowedLogs, 'suspend' | 'wake'> & {
		/** The dock at that size: its title, then the end of the log in front. Its height is `rows`. */
		readonly dockLines: (size: Size) => readonly string[];
		/** Gives the log in front the whole window; with a time, from its first line of then on. False where none is open. */
		readonly openViewer: (at?: number) => boolean;
		/** Lets go of the store, and ends everything. */
		readonly dispose: () => void;
	};

/** Keeps what the pure parts need: the tails, the viewer's state, and the one search that goes on. */
export function createLogDesk(dependencies: Dependencies): LogDesk {
	const {store, palette, fullScreen, folder, homeFolder, copy, suspend, openTranscript, clock} = dependencies;
	let viewer: LogViewer = emptyViewer;
	let isOpen = false;
	let looking: NodeJS.Immediate | undefined;
	let searching = new AbortController();
	let size: Size = store.getState().size;

	const focusNow = () => store.getState().logFocus;

	const say = (note: string) => {
		viewer = {...viewer, note};
		fullScreen.invalidate();
	};

	const renderer = createLogRenderer(palette, (error, focus) => {
		viewer = withoutLastPattern(viewer, focus);
		say(`${error.message} It is taken away again.`);
	});

	const isSeen = (environment: string) => {
		const {logFocus, logDock} = store.getState();
		const isInFront = logFocus === environment || logFocus === allLogs;
		return isInFront && (isOpen ? !positionOf(viewer, logFocus).scroll : logDock.isShown && !fullScreen.isOpen());
	};

	const tails = createFollowedLogs({store, isSeen, ...(clock && {clock})});

	/** What a drawing needs of the log in front. */
	const pictureAt = ({columns}: Size, rows: number, viewer: LogViewer): LogPicture => {
		const {logs, logFocus: focus, panel} = store.getState();
		const log = tails.entriesOf(focus) ?? renderer.nothing;
		const looked = renderer.look({viewer, logs, focus, log, rows, width: columns - gutter});
		if (looked.isFiltering) {
			looking ??= setImmediate(lookOn);
		}

		const waits = panel && panel.kind !== 'lines' ? 'A question waits in the conversation: q goes back to it.' : '';
		return {logs, focus, viewer, ...looked, palette, now: tails.now(), waits};
	};

	/** The filter looks at the rest in pieces, so that keys are heard meanwhile. */
	const lookOn = () => {
		looking = undefined;
		if (!pictureAt(size, 1, viewer).isFiltering) {
			fullScreen.invalidate();
			store.getState().updateLogs(new Map());
		}
	};

	const screenAt = (window: Size) => {
		const {logs, logFocus: focus} = store.getState();
		return pictureAt(window, bodyRows({logs, focus, viewer}, window.rows), viewer);
	};
	const viewportNow = (): Viewport => screenAt(size).viewport;

	const moveTo = (place: number, note: string) => {
		const [focus, viewport] = [focusNow(), viewportNow()];
		const position = positionOf(viewer, focus);
		const scroll = position.scroll ?? scrollAtEnd(viewport);
		if (scroll) {
			viewer = withPosition(viewer, focus, {...position, scroll: jumpTo(viewport, scroll, place)});
		}

		say(note);
	};

	/** Searches from the cursor on, and on from the other end where nothing was found. */
	const search = async (direction: 'forward' | 'backward') => {
		searching.abort();
		searching = new AbortController();
		const {signal} = searching;
		const {search: source} = viewer;
		const {scroll} = positionOf(viewer, focusNow());
		try {
			const found = await findLine({viewport: viewportNow(), scroll, matcher: renderer.matcherOf(source), direction, signal});
			if (found) {
				moveTo(found.place, found.isAround ? 'The search went on from the other end.' : '');
			} else {
				say(`Nothing matches ${source}`);
			}
		} catch (error) {
			if (!signal.aborted) {
				viewer = {...viewer, search: ''};
				say(reportError(error).message);
			}
		}
	};

	const act = (action: ViewerAction) => {
		const {cycleLog} = store.getState();
		const viewport = viewportNow();
		const chosen = () => chosenPlaces(viewport, positionOf(viewer, focusNow()));
		switch (action.type) {
			case 'leave':
				fullScreen.close();
				break;
			case 'redraw':
				fullScreen.redraw();
				break;
			case 'suspend':
				suspend();
				break;
			case 'cycle':
				cycleLog(action.steps);
				break;
			case 'copy':
				say(copyLines(viewport, chosen(), copy));
				break;
			case 'attach':
				if (attachChosen(store, viewport, chosen(), focusNow())) {
					fullScreen.close();
				}

				break;
			case 'transcript':
				openTranscript(timeAt(viewport, positionOf(viewer, focusNow())) ?? tails.now());
				break;
			case 'search':
				void search(action.direction);
				break;
			case 'save':
				void saveLines(viewport, positionOf(viewer, focusNow()), action.path, {folder, homeFolder}).then(say);
				break;
			default:
				action satisfies never;
		}
	};

	const press = (token: InputToken) => {
		const {logs, logFocus: focus} = store.getState();
		const title = logs.find(({environment}) => environment === focus)?.title ?? 'logs';
		const fileName = fileNameOf(title, tails.now());
		const step = reduceLogViewer(viewer, token, {focus, places: logPlaces(logs), viewport: viewportNow(), fileName});
		viewer = step.viewer;
		if (step.action) {
			act(step.action);
		}

		fullScreen.invalidate();
	};

	const unsubscribe = store.subscribe((state, before) => {
		if (state.logs.length < before.logs.length) {
			viewer = withOnly(viewer, state.logs);
		}

		if (isOpen && state !== before) {
			fullScreen.invalidate();
		}
	});
	const unfollow = followConnection(store, {...tails, retry: tails.wake});

	return {
		...tails,
		follow(log) {
			tails.open(log);
			viewer = withRequestedFilter(viewer, log);
		},
		dockLines: dock =>
			drawLogDock(pictureAt(dock, Math.max(1, dock.rows), {...viewer, wrap: false, sideways: 0}), dock),
		openViewer(at) {
			if (store.getState().logs.length === 0) {
				return false;
			}

			fullScreen.open({
				draw(window) {
					size = window;
					return drawLogScreen(screenAt(window), window);
				},
				press,
				caret: () => caretOf({viewer}, size),
				onLeave() {
					isOpen = false;
					searching.abort();
					viewer = {...viewer, field: undefined, help: undefined, note: ''};
				},
			});
			isOpen = true;
			if (at !== undefined) {
				moveTo(placeAtTime(viewportNow().log, at), '');
			}

			return true;
		},
		dispose() {
			unsubscribe();
			unfollow();
			clearImmediate(looking);
			searching.abort();
			tails.closeAll();
		},
	};
}

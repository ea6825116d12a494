import {reportError} from '../../../core/error.ts';
import {keymapOf} from '../../../editor/keymap/keymap.ts';
import {viewerKeys} from '../../../editor/keymap/view-keys.ts';
import {logPlaces} from '../../../store/logs-slice.ts';
import type {InputToken} from '../../../terminal/input/token.ts';
import {type LogScreen, showNote, viewportOf} from '../log-screen.ts';
import {jumpTo, scrollAtEnd} from '../log-scroll.ts';
import {attachChosen, chosenPlaces, copyLines, fileNameOf, saveLines} from './log-chosen.ts';
import {findLine, timeAt} from './log-find.ts';
import {pressTo, reduceLogViewer} from './log-viewer.ts';
import {positionOf, type ViewerAction, withOpenedAt, withPosition} from './log-viewer-state.ts';

/** Applies a key, a text or a paste to the viewer. */
export function pressInViewer(screen: LogScreen, token: InputToken): void {
	const {logs, logFocus: focus, ownKeys, keymap: promptKeymap} = screen.store.getState();
	const title = logs.find(({environment}) => environment === focus)?.title ?? 'logs';
	const fileName = fileNameOf(title, screen.followed.now());
	const viewport = viewportOf(screen);
	const keymap = keymapOf(viewerKeys, ownKeys);
	const places = logPlaces(logs);
	const step = reduceLogViewer(screen.viewer, token, {focus, places, viewport, fileName, keymap, promptKeymap});
	screen.viewer = step.viewer;
	if (step.action) {
		runAction(screen, step.action);
	}

	screen.fullScreen.invalidate();
}

/** Moves the cursor to a place, with a note. */
export function moveTo(screen: LogScreen, place: number, note: string): void {
	const focus = screen.store.getState().logFocus;
	const viewport = viewportOf(screen);
	const position = positionOf(screen.viewer, focus);
	const scroll = position.scroll ?? scrollAtEnd(viewport);
	if (scroll) {
		screen.viewer = withPosition(screen.viewer, focus, {
			...position,
			scroll: jumpTo(viewport, scroll, viewport.shown.rowOf(place) ?? place),
		});
	}

	showNote(screen, note);
}

function runAction(screen: LogScreen, action: ViewerAction): void {
	const {store, fullScreen, copy, folder, homeFolder, followed} = screen;
	const {cycleLog, logFocus, ownKeys} = store.getState();
	const saveHint = pressTo(keymapOf(viewerKeys, ownKeys), 'viewer.save', 'save a file');
	const viewport = viewportOf(screen);
	const position = positionOf(screen.viewer, logFocus);
	switch (action.type) {
		case 'close':
			fullScreen.close();
			break;
		case 'redraw':
			fullScreen.redraw();
			break;
		case 'suspend':
			screen.suspend();
			break;
		case 'cycle':
			cycleLog(action.steps);
			break;
		case 'copy':
			showNote(screen, copyLines(viewport, chosenPlaces(viewport, position), copy, saveHint));
			break;
		case 'attach':
			if (attachChosen(store, viewport, chosenPlaces(viewport, position), logFocus)) {
				fullScreen.close();
			}

			break;
		case 'transcript':
			screen.openTranscript(timeAt(viewport, position) ?? followed.now());
			break;
		case 'search':
			void search(screen, action.direction);
			break;
		case 'save':
			void saveLines(viewport, position, action.path, {folder, homeFolder}).then(note => showNote(screen, note));
			break;
		default:
			action satisfies never;
	}
}

/** Searches from the cursor to the end, then from the other end. */
async function search(screen: LogScreen, direction: 'forward' | 'backward'): Promise<void> {
	screen.search.abort();
	screen.search = new AbortController();
	const {signal} = screen.search;
	const {search: source} = screen.viewer;
	const focus = screen.store.getState().logFocus;
	const {scroll} = positionOf(screen.viewer, focus);
	const viewport = viewportOf(screen);
	try {
		const matcher = screen.renderer.matcherOf(source);
		const found = await findLine({viewport, scroll, matcher, direction, signal});
		if (found) {
			screen.viewer = withOpenedAt(screen.viewer, focus, viewport, found.place);
			moveTo(screen, found.place, found.isAround ? 'Search wrapped around.' : '');
		} else {
			showNote(screen, `No match for ${source}`);
		}
	} catch (error) {
		if (!signal.aborted) {
			screen.viewer = {...screen.viewer, search: ''};
			showNote(screen, reportError(error).message);
		}
	}
}

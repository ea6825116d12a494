import type {AppStore} from '../../../store/store.ts';
import {steadyNow} from '../../panels/question.ts';
import {eraseDown} from '../erase.ts';
import type {FullScreen} from '../full-screen.ts';
import type {Painter} from '../painter.ts';
import type {Resize} from '../region.ts';
import type {Screen} from '../screen.ts';
import {drawnSizeOf} from '../window-size.ts';
import {createNarrowest} from './follow-window.ts';
import type {Place, Size} from './questions.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	readonly highPanel: () => {readonly isOpen: () => boolean; readonly update: () => void};
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	/** Resolves with the row of the cursor in the window, its size, and what the terminal does with rows, as far as it tells. */
	readonly askPlace: () => Promise<Place & Pick<Resize, 'keepsBelow' | 'pullsDown'>>;
	/** Calls `resized` soon, also if the system doesn't tell of a resize. */
	readonly expectResize: () => void;
	/** Ends questions for the size: the system tells another one for good. */
	readonly distrustSizes: () => void;
	/** Returns true if the terminal leaves rows that it pushed up in its scrollback, but pulls them down on request. */
	readonly pullsDown: () => boolean;
	/** Returns true if the terminal wraps rows that are wider than a narrower window. */
	readonly reflows: () => boolean;
	/** True if the terminal restores its window after a full-screen view. */
	readonly hasAlternateScreen: boolean;
	/** Undefined until the conversation is open. */
	readonly painter: () => Painter | undefined;
};

export type WindowFit = {
	/** Draws what the painter has held since the start, if the window has room by now. */
	readonly begin: () => void;
	/** Clears the window and writes what fits in it again, after something else wrote there. */
	readonly redraw: () => void;
	/** Draws the live lines again after the terminal's cell widths were measured; printed lines stay as they are. */
	readonly remeasured: () => void;
	/** Draws what is certainly in the window again in other colours; the scrollback keeps its own. */
	readonly recolored: () => void;
	/** Stops drawing until `resized`: the size is changing, and lines for an old one would stay. */
	readonly pause: () => void;
	/** Stops drawing until `resized`, which is called soon: the terminal has another size than we draw for. */
	readonly lost: () => void;
	/** Draws everything for the current size, unless that has no room, once the terminal has told what it did with its rows. */
	readonly resized: () => void;
	/** Draws everything below what another program has written since our part of the screen was erased. */
	readonly resumed: () => void;
	/**
	 * Stops drawing while a full-screen view is open, and resumes. Draws everything again if the window was resized meanwhile,
	 * also if it has its old size again.
	 */
	readonly hold: () => void;
	readonly release: () => void;
	/** Erases the frame before the alternate screen has one, until `release`. */
	readonly holdBelow: () => void;
};

/** Keeps the drawing in step with the size of the window. */
export function createWindowFit(dependencies: Dependencies): WindowFit {
	const {store, screen, fullScreen, highPanel, hasAlternateScreen, reflows, pullsDown, painter} = dependencies;
	const fit = createFit(dependencies);
	let held = screen.size();
	return {
		begin() {
			if (!screen.isTooSmall() && !fullScreen().isOpen()) {
				painter()?.release();
			}
		},
		redraw: fit.redraw,
		remeasured() {
			isTaken(dependencies);
			screen.resize();
			painter()?.resize();
		},
		recolored: () => fit.inPlace({isRecolored: true}),
		pause: fit.pause,
		lost() {
			fit.pause();
			dependencies.expectResize();
		},
		resized() {
			// Where a terminal cuts rows, it does so out of sight of the view as well, and nobody knows which.
			fit.disturb(fullScreen().isOpen() && !reflows());
			fit.all();
		},
		resumed: () => fit.inPlace(),
		hold() {
			held = screen.size();
			store.setState({inSightSince: Number.POSITIVE_INFINITY});
			if (!hasAlternateScreen) {
				fit.disturb(true);
			} else if (pullsDown()) {
				// Below a view the terminal wraps the rows of the frame, and pushes them up for good.
				screen.erase({keepsAbove: true});
			}

			fit.pause();
		},
		holdBelow() {
			held = screen.size();
			screen.erase({keepsAbove: true});
		},
		release() {
			const {columns, rows} = screen.size();
			noteSight(dependencies);
			if (fit.isDisturbed() || columns !== held.columns || rows !== held.rows) {
				fit.all();
			} else {
				screen.release();
				painter()?.release();
				highPanel().update();
			}
		},
	};
}

/** How often in a row a terminal may tell the same size that the system doesn't before it isn't believed any more. */
const maxDoubts = 4;

/** Returns what waits for a resize, and returns true, if the terminal tells a size that the system hasn't told yet. */
function createSizeDoubt({screen, expectResize, distrustSizes}: Dependencies) {
	let doubts: readonly string[] = [];
	return (told: Size | undefined): boolean => {
		const drawn = screen.size();
		const {columns, rows} = told ? drawnSizeOf(told) : drawn;
		const doubt = [columns, rows, drawn.columns, drawn.rows].join();
		if (columns === drawn.columns && rows === drawn.rows) {
			doubts = [];
			return false;
		}

		doubts = [...doubts.filter(before => before === doubt), doubt];
		if (doubts.length === maxDoubts) {
			distrustSizes();
			return false;
		}

		expectResize();
		return true;
	};
}

function startAtTop({screen, painter}: Dependencies): void {
	screen.release();
	screen.resize();
	screen.startOver(`\u001B[H${eraseDown}`);
	painter()?.repaint();
}

/** Draws everything for the current size of the window. */
function createFit(dependencies: Dependencies) {
	const {screen, highPanel, askPlace, painter} = dependencies;
	/** What happened to the window since everything was drawn: its rows were moved, or lost. */
	let disturbed: 'moved' | 'lost' | undefined;
	/** Counts what makes the answer to an earlier question for the row of the cursor worthless. */
	let turn = 0;
	const waitsForSize = createSizeDoubt(dependencies);
	const narrowest = createNarrowest(dependencies);

	const drawn = () => {
		turn++;
		narrowest.forget();
		disturbed = undefined;
		painter()?.release();
		highPanel().update();
	};

	/** Draws what fits in the window again, at its top. */
	const redraw = () => {
		if (!isTaken(dependencies)) {
			startAtTop(dependencies);
			drawn();
		}
	};

	/** Draws what is in the window again, where it is. */
	const inPlace = (resize: Omit<Resize, 'rewrap'> = {}) => {
		if (!isTaken(dependencies) && !screen.isTooSmall()) {
			screen.release();
			screen.resize({rewrap: painter()?.rewrap, cutAt: narrowest.cutAt(), ...resize});
			painter()?.resize();
			drawn();
		}
	};

	const pause = () => {
		turn++;
		narrowest.note();
		screen.hold();
		painter()?.hold();
	};

	const ask = () => {
		pause();
		const asked = turn;
		void askPlace().then(({size, ...place}) => asked !== turn || waitsForSize(size) || inPlace(place));
	};

	return {
		...{redraw, inPlace, pause, isDisturbed: () => disturbed !== undefined},
		disturb(isLost: boolean) {
			disturbed = isLost || disturbed === 'lost' ? 'lost' : 'moved';
		},
		all() {
			if (!isTaken(dependencies) && !screen.isTooSmall()) {
				(disturbed === 'lost' ? redraw : ask)();
			}
		},
	};
}

/**
 * Updates the size. Returns true if something else has the window: another program, or a view or a high panel, which is drawn
 * again.
 */
function isTaken({store, screen, fullScreen, highPanel, isLent, painter}: Dependencies): boolean {
	if (isLent()) {
		return true;
	}

	store.getState().setSize(screen.size());
	noteSight({store, screen, fullScreen});
	fullScreen().redraw();
	if (highPanel().isOpen() && !screen.isTooSmall()) {
		screen.resize();
		screen.release();
		painter()?.resize();
		painter()?.release();
	}

	return fullScreen().isOpen() || highPanel().isOpen();
}

/** Notes when panels come in sight, and when a window without room or a view hides them: then no key answers a question. */
function noteSight({store, screen, fullScreen}: Pick<Dependencies, 'store' | 'screen' | 'fullScreen'>): void {
	const isHidden = screen.isTooSmall() || fullScreen().isOpen();
	if (isHidden !== (store.getState().inSightSince === Number.POSITIVE_INFINITY)) {
		store.setState({inSightSince: isHidden ? Number.POSITIVE_INFINITY : steadyNow()});
	}
}

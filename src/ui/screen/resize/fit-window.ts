import type {AppStore} from '../../../store/store.ts';
import type {Size} from '../../../store/view-slice.ts';
import type {RowHabits} from '../../../terminal/row-habits.ts';
import {steadyNow} from '../../answerable.ts';
import type {FullScreen} from '../full-screen.ts';
import {eraseDown} from '../pen.ts';
import type {Resize} from '../region.ts';
import type {Screen} from '../screen.ts';
import {drawnSizeOf} from '../window-size.ts';
import type {Rewrapped} from '../written.ts';
import type {CursorPlace} from './questions.ts';

/** What writes the lines of the conversation, for the size of the window. */
export type FittedPainter = {
	/** Writes the last lines again at the current width, after the screen was cleared. */
	readonly repaint: () => void;
	/** Draws the last of these lines, written at `oldWidth`, at the current width. */
	readonly rewrap: (lines: readonly string[], oldWidth: number) => Rewrapped;
	/** Draws what may still change at the current size of the window; written lines stay as they are. */
	readonly resize: () => void;
	/** Writes nothing until `release`, which writes everything that arrived meanwhile. */
	readonly hold: () => void;
	/** Draws the live lines of the time when it was held at the current width. */
	readonly fitHeld: () => void;
	readonly release: () => void;
};

type FitDependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	readonly highPanel: () => {readonly isOpen: () => boolean; readonly update: () => void};
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	/** Resolves with the row of the cursor in the window, and its size, as far as the terminal tells. */
	readonly askPlace: () => Promise<CursorPlace>;
	/** Returns what the terminal does with its rows, as far as it has told. */
	readonly habits: () => RowHabits;
	/** Calls `resized` soon, also if the system doesn't tell of a resize to that size. */
	readonly expectResize: (size: Size) => void;
	/** Ends questions for the size: the system tells another one for good. */
	readonly distrustSizes: () => void;
	/**
	 * True in a multiplexer, whose size isn't certain: what is printed while it changes goes to rows that nobody knows. In other
	 * terminals those follow from the answers, and the fewer lines one frame prints, the fewer it may print twice.
	 */
	readonly isMultiplexed: boolean;
	/** True if the terminal restores its window after a full-screen view. */
	readonly hasAlternateScreen: boolean;
	/** Undefined until the conversation is open. */
	readonly painter: () => FittedPainter | undefined;
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
	/** Stops drawing until `resized`, which is called soon: the terminal has, or had, another size than we draw for. */
	readonly lost: (size: Size) => void;
	/**
	 * Draws everything for the current size, unless that has no room, once the terminal has told what it did with its rows. In
	 * a multiplexer only the frame: lines on their way, when that is resized again, would go to other rows.
	 */
	readonly resized: () => void;
	/** Draws everything that `resized` left. */
	readonly settled: () => void;
	/** Does so at once, without asking the terminal. */
	readonly finish: () => void;
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
export function createWindowFit(dependencies: FitDependencies): WindowFit {
	const {store, screen, fullScreen, highPanel, hasAlternateScreen, habits, painter} = dependencies;
	let held = screen.size();
	/** What happened to the window since everything was drawn: its rows were moved, or lost. */
	let disturbed: 'moved' | 'lost' | undefined;
	/** True from a resize until `resized`, even if the window has its old size again: its rows are elsewhere meanwhile. */
	let isMoving = false;
	const question = createPlaceQuestion(dependencies);
	const narrowest = createNarrowest(dependencies);
	const {inPlace, passing, redraw, isPassing} = createDraws(dependencies, {
		cutAt: narrowest.cutAt,
		onDrawn() {
			question.cancel();
			narrowest.forget();
			disturbed = undefined;
		},
	});

	const stop = () => {
		question.cancel();
		narrowest.note();
		screen.hold();
		painter()?.hold();
	};
	const pause = () => {
		isMoving = true;
		stop();
	};

	/** Draws everything, or only the frame, for the current size of the window. */
	const draw = (how: Draw = inPlace) => {
		if (isTaken(dependencies) || screen.isTooSmall()) {
			return;
		}

		if (disturbed === 'lost') {
			redraw();
		} else {
			stop();
			question.ask(how);
		}
	};

	const disturb = (isLost: boolean) => {
		disturbed = isLost || disturbed === 'lost' ? 'lost' : 'moved';
	};

	return {
		begin() {
			if (!screen.isTooSmall() && !fullScreen().isOpen()) {
				painter()?.release();
			}
		},
		redraw,
		remeasured() {
			isTaken(dependencies);
			screen.resize();
			painter()?.resize();
		},
		recolored: () => inPlace({isRecolored: true}),
		pause,
		lost(size) {
			pause();
			dependencies.expectResize(size);
		},
		resized() {
			isMoving = false;
			// Where a terminal cuts rows, it does so out of sight of the view as well, and nobody knows which.
			disturb(fullScreen().isOpen() && !habits().reflows);
			draw(dependencies.isMultiplexed ? passing : inPlace);
		},
		settled() {
			// The terminal tells first that it still has the size: many lines may be printed.
			if (!question.change(inPlace) && (isPassing() || screen.isHeld())) {
				draw();
			}
		},
		finish: () => void (isPassing() && inPlace()),
		resumed: () => inPlace(),
		hold() {
			held = screen.size();
			store.setState({inSightSince: Number.POSITIVE_INFINITY});
			if (!hasAlternateScreen) {
				disturb(true);
			} else if (habits().blanksMarked) {
				// Below a view the terminal wraps the rows of the frame, and pushes them up for good.
				screen.erase({keepsAbove: true});
			}

			stop();
		},
		holdBelow() {
			held = screen.size();
			screen.erase({keepsAbove: true});
		},
		release() {
			const {columns, rows} = screen.size();
			noteSight(dependencies);
			const isResized = columns !== held.columns || rows !== held.rows;
			if (isMoving || isPassing() || disturbed !== undefined || isResized) {
				draw();
			} else {
				screen.release();
				painter()?.release();
				highPanel().update();
			}
		},
	};
}

/** What the terminal did with its rows when it was resized. */
type Happened = Omit<Resize, 'rewrap'>;

/** How often in a row a terminal may tell the same size that the system doesn't before it isn't believed any more. */
const maxDoubts = 4;

/** Returns what waits for a resize, and returns true, if the terminal tells a size that the system hasn't told yet. */
function createSizeDoubt({screen, expectResize, distrustSizes}: FitDependencies) {
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

		expectResize({columns, rows});
		return true;
	};
}

function startAtTop({screen, painter}: FitDependencies): void {
	screen.release();
	screen.resize();
	screen.startOver(`\u001B[H${eraseDown}`);
	painter()?.repaint();
}

type Draw = (place: Happened) => void;

/** Asks the terminal what it did with its rows, one question at a time, and draws with the answer. */
function createPlaceQuestion(dependencies: FitDependencies) {
	const waitsForSize = createSizeDoubt(dependencies);
	let asked: {draw: Draw} | undefined;
	return {
		ask(draw: Draw) {
			const question = {draw};
			asked = question;
			void dependencies.askPlace().then(({size, row}) => {
				if (asked === question) {
					asked = undefined;
					waitsForSize(size) || question.draw({row, habits: dependencies.habits()});
				}
			});
		},
		/** Draws otherwise with the answer. Returns false if nothing was asked. */
		change(draw: Draw) {
			asked &&= Object.assign(asked, {draw});
			return asked !== undefined;
		},
		/** Doesn't draw with the answer any more. */
		cancel() {
			asked = undefined;
		},
	};
}

/** Keeps the narrowest width since everything was drawn. */
function createNarrowest({screen, habits}: FitDependencies) {
	let columns = Number.POSITIVE_INFINITY;
	return {
		note() {
			columns = Math.min(columns, screen.isTooSmall() ? 0 : screen.size().columns);
		},
		forget() {
			columns = Number.POSITIVE_INFINITY;
		},
		/** Returns the width that rows were cut to; undefined in a terminal that wraps them. */
		cutAt: () => (habits().reflows ? undefined : columns),
	};
}

type DrawsOptions = {readonly cutAt: () => number | undefined; readonly onDrawn: () => void};

/** Returns what draws when the terminal's rows are known. */
function createDraws(dependencies: FitDependencies, {cutAt, onDrawn}: DrawsOptions) {
	const {screen, highPanel, painter} = dependencies;
	/** True while only the frame was drawn for the current size. */
	let isPassing = false;

	const drawn = () => {
		isPassing = false;
		onDrawn();
		painter()?.release();
		highPanel().update();
	};

	return {
		isPassing: () => isPassing,
		/** Draws what is in the window again, where it is. */
		inPlace(resize: Happened = {}) {
			if (!isTaken(dependencies) && !screen.isTooSmall()) {
				screen.release();
				screen.resize({rewrap: painter()?.rewrap, cutAt: cutAt(), ...resize});
				painter()?.resize();
				drawn();
			}
		},
		/** Draws only the frame, where it is. */
		passing(place: Happened) {
			if (!isTaken(dependencies) && !screen.isTooSmall()) {
				isPassing = true;
				screen.release();
				screen.resize({isPassing, ...place});
				painter()?.fitHeld();
				highPanel().update();
			}
		},
		/** Draws what fits in the window again, at its top. */
		redraw() {
			if (!isTaken(dependencies)) {
				startAtTop(dependencies);
				drawn();
			}
		},
	};
}

/**
 * Updates the size. Returns true if something else has the window: another program, or a view or a high panel, which is drawn
 * again.
 */
function isTaken(dependencies: FitDependencies): boolean {
	const {store, screen, fullScreen, highPanel, isLent, painter} = dependencies;
	if (isLent()) {
		return true;
	}

	store.getState().setSize(screen.size());
	noteSight(dependencies);
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
function noteSight({store, screen, fullScreen}: FitDependencies): void {
	const isHidden = screen.isTooSmall() || fullScreen().isOpen();
	if (isHidden !== (store.getState().inSightSince === Number.POSITIVE_INFINITY)) {
		store.setState({inSightSince: isHidden ? Number.POSITIVE_INFINITY : steadyNow()});
	}
}

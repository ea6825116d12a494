import type {AppStore} from '../../../store/store.ts';
import {steadyNow} from '../../answerable.ts';
import type {FullScreen} from '../full-screen.ts';
import type {Painter} from '../painter.ts';
import {eraseDown} from '../pen.ts';
import type {Resize} from '../region.ts';
import type {Screen} from '../screen.ts';
import {drawnSizeOf} from '../window-size.ts';
import {createNarrowest} from './follow-window.ts';
import type {Place, Size} from './questions.ts';

export type FitDependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	readonly highPanel: () => {readonly isOpen: () => boolean; readonly update: () => void};
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	/** Resolves with the row of the cursor in the window, its size, and what the terminal does with rows, as far as it tells. */
	readonly askPlace: () => Promise<Place & Pick<Resize, 'keepsBelow' | 'pullsDown' | 'keepsBreaks'>>;
	/** Calls `resized` soon, also if the system doesn't tell of a resize to that size. */
	readonly expectResize: (size: Size) => void;
	/** Ends questions for the size: the system tells another one for good. */
	readonly distrustSizes: () => void;
	/** Returns true if the terminal leaves rows that it pushed up in its scrollback, but pulls them down on request. */
	readonly pullsDown: () => boolean;
	/** Returns true if the terminal wraps rows that are wider than a narrower window. */
	readonly reflows: () => boolean;
	/**
	 * True in a multiplexer, whose size isn't certain: what is printed while it changes goes to rows that nobody knows. In other
	 * terminals those follow from the answers, and the fewer lines one frame prints, the fewer it may print twice.
	 */
	readonly isMultiplexed: boolean;
	/** True if the terminal restores its window after a full-screen view. */
	readonly hasAlternateScreen: boolean;
	/** Undefined until the conversation is open. */
	readonly painter: () => Painter | undefined;
};

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
			void dependencies.askPlace().then(({size, ...place}) => {
				if (asked === question) {
					asked = undefined;
					waitsForSize(size) || question.draw(place);
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

/** Draws everything, or only the frame, for the current size of the window. */
export function createFit(dependencies: FitDependencies) {
	const {screen, painter} = dependencies;
	/** What happened to the window since everything was drawn: its rows were moved, or lost. */
	let disturbed: 'moved' | 'lost' | undefined;
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

	const pause = () => {
		question.cancel();
		narrowest.note();
		screen.hold();
		painter()?.hold();
	};

	const all = (draw: Draw = inPlace) => {
		if (isTaken(dependencies) || screen.isTooSmall()) {
			return;
		}

		if (disturbed === 'lost') {
			redraw();
		} else {
			pause();
			question.ask(draw);
		}
	};

	return {
		...{redraw, inPlace, all, pause},
		isDisturbed: () => isPassing() || disturbed !== undefined,
		disturb(isLost: boolean) {
			disturbed = isLost || disturbed === 'lost' ? 'lost' : 'moved';
		},
		/** Draws only the frame. */
		pass: () => all(passing),
		/** Draws what that left, once the terminal has told that it still has the size: it may print many lines. */
		settle() {
			if (!question.change(inPlace) && (isPassing() || screen.isHeld())) {
				all();
			}
		},
		/** Draws it at once, without asking the terminal. */
		finish: () => void (isPassing() && inPlace()),
	};
}

type Narrowest = {readonly cutAt: () => number | undefined; readonly onDrawn: () => void};

/** Returns what draws when the terminal's rows are known. */
function createDraws(dependencies: FitDependencies, {cutAt, onDrawn}: Narrowest) {
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
export function isTaken({store, screen, fullScreen, highPanel, isLent, painter}: FitDependencies): boolean {
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
export function noteSight({store, screen, fullScreen}: Pick<FitDependencies, 'store' | 'screen' | 'fullScreen'>): void {
	const isHidden = screen.isTooSmall() || fullScreen().isOpen();
	if (isHidden !== (store.getState().inSightSince === Number.POSITIVE_INFINITY)) {
		store.setState({inSightSince: isHidden ? Number.POSITIVE_INFINITY : steadyNow()});
	}
}

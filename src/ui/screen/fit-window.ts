import type {AppStore} from '../../store/store.ts';
import {eraseDown} from './erase.ts';
import type {FullScreen} from './full-screen.ts';
import type {Painter} from './painter.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
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
	/** Stops drawing until `fitWindow`: the size is changing, and lines for an old one would stay. */
	readonly pause: () => void;
	/**
	 * Draws everything for the current size of the window, unless it has no room. If `isRecolored`, what is in the window is
	 * drawn again at the same size, too; the scrollback keeps its colours.
	 */
	readonly fitWindow: (isRecolored?: boolean) => void;
	/**
	 * Stops drawing while a full-screen view is open, and resumes. Redraws if the window was resized meanwhile, also if it
	 * has its old size again.
	 */
	readonly hold: () => void;
	readonly release: () => void;
};

/** Keeps the drawing in step with the size of the window. */
export function createWindowFit(dependencies: Dependencies): WindowFit {
	const {screen, fullScreen, hasAlternateScreen, painter} = dependencies;
	let held = screen.size();
	/** True if the rows of the window may be lost: it was resized while a view had it, even if it has its old size again. */
	let isDisturbed = false;

	const isTaken = () => {
		const isElsewhere = updateView(dependencies);
		isDisturbed ||= isElsewhere;
		return isElsewhere;
	};

	const redraw = () => {
		if (!isTaken()) {
			repaint(dependencies);
		}
	};

	const pause = () => {
		screen.hold();
		painter()?.hold();
	};

	return {
		begin() {
			if (!screen.isTooSmall() && !fullScreen().isOpen()) {
				painter()?.release();
			}
		},
		redraw,
		remeasured() {
			isTaken();
			screen.resize();
			painter()?.resize();
		},
		pause,
		fitWindow(isRecolored = false) {
			if (!isTaken() && !screen.isTooSmall()) {
				fitInPlace(dependencies, isRecolored);
			}
		},
		hold() {
			held = screen.size();
			isDisturbed = !hasAlternateScreen;
			pause();
		},
		release() {
			const {columns, rows} = screen.size();
			if (columns === held.columns && rows === held.rows && !isDisturbed) {
				screen.release();
			} else {
				redraw();
			}

			painter()?.release();
		},
	};
}

/** Updates the size. Returns true if something else has the window: another program, or a view, which is redrawn. */
function updateView({store, screen, fullScreen, isLent}: Dependencies): boolean {
	if (isLent()) {
		return true;
	}

	store.getState().setSize(screen.size());
	const isOpen = fullScreen().isOpen();
	if (isOpen) {
		fullScreen().redraw();
	}

	return isOpen;
}

/** Draws what fits in the window again, at its top. */
function repaint({screen, painter}: Dependencies): void {
	screen.release();
	screen.resize();
	screen.startOver(`\u001B[H${eraseDown}`);
	painter()?.repaint();
	painter()?.release();
}

/** Draws what is certainly in the window again, where it is. */
function fitInPlace({screen, painter}: Dependencies, isRecolored: boolean): void {
	screen.release();
	screen.resize(painter()?.rewrap, isRecolored);
	painter()?.resize();
	painter()?.release();
}

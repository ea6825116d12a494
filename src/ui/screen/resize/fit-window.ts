import {createFit, type FitDependencies, isTaken, noteSight} from './fit.ts';
import type {Size} from './questions.ts';

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
		lost(size) {
			fit.pause();
			dependencies.expectResize(size);
		},
		resized() {
			// Where a terminal cuts rows, it does so out of sight of the view as well, and nobody knows which.
			fit.disturb(fullScreen().isOpen() && !reflows());
			(dependencies.isMultiplexed ? fit.pass : fit.all)();
		},
		...{settled: fit.settle, finish: fit.finish},
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

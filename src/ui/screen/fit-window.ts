import type {AppStore} from '../../store/store.ts';
import type {FullScreen} from './full-screen.ts';
import type {Painter} from './painter.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	/** Returns true while another program has the terminal. */
	readonly isLent: () => boolean;
	/** Undefined until the conversation is open. */
	readonly painter: () => Painter | undefined;
};

export type WindowFit = {
	/** Clears the window and writes what fits in it again, after something else wrote there. */
	readonly redraw: () => void;
	/** Draws the live lines again after the terminal's cell widths were measured; printed lines stay as they are. */
	readonly remeasured: () => void;
	/** Draws everything for the current size of the window. */
	readonly fitWindow: () => void;
	/** Stops drawing while a full-screen view is open, and resumes. Redraws if the window was resized meanwhile. */
	readonly hold: () => void;
	readonly release: () => void;
};

/** Keeps the drawing in step with the size of the window. */
export function createWindowFit({store, screen, fullScreen, isLent, painter}: Dependencies): WindowFit {
	let held = screen.size();

	/** Updates the size. Returns true if something else has the window: another program, or a view, which was redrawn. */
	const updateFullScreen = () => {
		if (isLent()) {
			return true;
		}

		store.getState().setSize(screen.size());
		if (fullScreen().isOpen()) {
			fullScreen().redraw();
			return true;
		}

		return false;
	};

	const redraw = () => {
		if (!updateFullScreen()) {
			screen.release();
			screen.resize();
			screen.startOver('\u001B[H\u001B[J');
			painter()?.repaint();
		}
	};

	return {
		redraw,
		remeasured() {
			updateFullScreen();
			screen.resize();
			painter()?.resize();
		},
		fitWindow() {
			if (!updateFullScreen() && !screen.isTooSmall()) {
				screen.release();
				screen.resize(painter()?.rewrap);
				painter()?.resize();
			}
		},
		hold() {
			held = screen.size();
			screen.hold();
			painter()?.hold();
		},
		release() {
			const {columns, rows} = screen.size();
			if (columns === held.columns && rows === held.rows) {
				screen.release();
			} else {
				redraw();
			}

			painter()?.release();
		},
	};
}

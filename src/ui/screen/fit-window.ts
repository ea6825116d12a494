import type {AppStore} from '../../store/store.ts';
import type {FullScreen} from './full-screen.ts';
import type {Painter} from './painter.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fullScreen: () => FullScreen;
	/** Undefined until the conversation is open. */
	readonly painter: () => Painter | undefined;
};

export type WindowFit = {
	/** Wipes the window and writes what fits in it again, after something else wrote there. */
	readonly redraw: () => void;
	/** Draws what may still change again, by the cells that the terminal counts; what is printed stays as it is. */
	readonly remeasured: () => void;
	/** Fits what is drawn to the size that the window has now. */
	readonly fitWindow: () => void;
	/** Gives the window to a full screen, and takes it back as it was, unless its size changed meanwhile. */
	readonly hold: () => void;
	readonly release: () => void;
};

/** Keeps what is drawn in step with the window. */
export function createWindowFit({store, screen, fullScreen, painter}: Dependencies): WindowFit {
	let held = screen.size();

	/** True where a full screen has the window, which draws itself. */
	const isTaken = () => {
		store.getState().setSize(screen.size());
		if (fullScreen().isOpen()) {
			fullScreen().redraw();
			return true;
		}

		return false;
	};

	const redraw = () => {
		if (!isTaken()) {
			screen.release();
			screen.resize();
			screen.startOver('\u001B[H\u001B[J');
			painter()?.repaint();
		}
	};

	return {
		redraw,
		remeasured() {
			isTaken();
			screen.resize();
			painter()?.resize();
		},
		fitWindow() {
			if (!isTaken() && !screen.isTooSmall()) {
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

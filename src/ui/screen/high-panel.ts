import type {AppState, AppStore} from '../../store/store.ts';
import type {TerminalSession} from '../../terminal/terminal-session.ts';
import type {LiveLines} from './frame.ts';
import {rowsAbove} from './layout.ts';
import type {WindowFit} from './resize/fit-window.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fit: WindowFit;
	readonly session: TerminalSession;
	readonly live: LiveLines;
	/** Returns the rows that the open panel needs. */
	readonly heightOf: (state: AppState) => number;
	/** Returns true if the terminal keeps what it wraps or pushes up of a frame, and has an alternate screen without a view. */
	readonly isNeeded: () => boolean;
};

export type HighPanel = {
	readonly isOpen: () => boolean;
	/** Opens it if the panel is high, and closes it without a panel. */
	readonly update: () => void;
	/** Leaves the alternate screen to a view. */
	readonly yield: () => void;
};

/** The part of the window that the frame may take with a panel: in one half as wide or as high, it still fits. */
const inlineShare = 1 / 2;

/**
 * Draws high panels on the alternate screen, in the place that they have otherwise: rows that a resized terminal wraps and
 * pushes up from there are not in its scrollback. Elsewhere panels stay on the normal screen: below the alternate one, a
 * terminal that cuts rows loses them, and one that blanks marked rows needs no other screen.
 */
export function followHighPanels({store, screen, live, fit, session, heightOf, isNeeded}: Dependencies): HighPanel {
	const isHigh = (state: AppState) => {
		const {rows} = state.size;
		const others = rows - rowsAbove(state, live.getState().length);
		return state.panel !== undefined && heightOf(state) + others > rows * inlineShare;
	};
	const canOpen = () => isNeeded() && !session.isLent() && !screen.isTooSmall() && !screen.isHeld();

	const leave = () => {
		session.disable('no-wheel');
		screen.alternate.close();
	};

	const close = () => {
		leave();
		session.disable('alternate-screen');
		if (!session.isLent()) {
			fit.release();
		}
	};

	const follow = () => {
		const state = store.getState();
		if (screen.alternate.isOpen()) {
			if (!state.panel) {
				close();
			}
		} else if (canOpen() && isHigh(state)) {
			fit.holdBelow();
			session.enable('alternate-screen');
			screen.alternate.open();
		}

		if (screen.alternate.isOpen()) {
			session[state.manner === 'asks' ? 'enable' : 'disable']('no-wheel');
		}
	};

	const update = () => screen.together(follow);
	store.subscribe(({panel}, before) => {
		if (panel !== before.panel) {
			update();
		}
	});
	return {isOpen: screen.alternate.isOpen, update, yield: leave};
}

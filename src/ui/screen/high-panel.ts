import type {AppState, AppStore} from '../../store/store.ts';
import type {Panel} from '../../store/view-slice.ts';
import type {TerminalSession} from '../../terminal/terminal-session.ts';
import type {WindowFit} from './resize/fit-window.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly screen: Screen;
	readonly fit: WindowFit;
	readonly session: Pick<TerminalSession, 'enable' | 'disable' | 'isLent'>;
	/** Returns the rows that the open panel needs. */
	readonly heightOf: (state: AppState) => number;
	/** Returns true if the terminal keeps what it wraps or pushes up of a frame, and has an alternate screen without a view. */
	readonly isNeeded: () => boolean;
};

export type HighPanel = {
	readonly isOpen: () => boolean;
	/** Opens it if the panel is high. Returns true if it is open. */
	readonly update: () => boolean;
	/** Leaves the alternate screen to a view. */
	readonly yield: () => void;
};

/** Panels that users open to look something up. Questions stay below what they are about, which can be scrolled to. */
const kinds: readonly Panel['kind'][] = ['pick', 'table', 'lines', 'edit'];

/** The part of the window that a panel may take without: in a window half as wide it needs twice the rows, and a prompt. */
const inlineShare = 1 / 3;

/**
 * Draws high panels on the alternate screen, in the place that they have otherwise: rows that a resized terminal wraps and
 * pushes up from there are not in its scrollback.
 */
export function followHighPanels({store, screen, fit, session, heightOf, isNeeded}: Dependencies): HighPanel {
	const isHigh = (state: AppState) =>
		state.panel !== undefined && kinds.includes(state.panel.kind) && heightOf(state) > state.size.rows * inlineShare;
	const canOpen = () => isNeeded() && !session.isLent() && !screen.isTooSmall() && !screen.isHeld();

	const close = () => {
		screen.alternate.close();
		session.disable('alternate-screen');
		if (!session.isLent()) {
			fit.release();
		}
	};

	const update = () => {
		const state = store.getState();
		if (screen.alternate.isOpen()) {
			if (!state.panel || !kinds.includes(state.panel.kind)) {
				close();
			}
		} else if (canOpen() && isHigh(state)) {
			fit.holdBelow();
			session.enable('alternate-screen');
			screen.alternate.open();
		}

		return screen.alternate.isOpen();
	};

	store.subscribe(({panel}, before) => {
		if (panel !== before.panel) {
			update();
		}
	});
	return {isOpen: screen.alternate.isOpen, update, yield: screen.alternate.close};
}

import type {Size} from '../../store/view-slice.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {beginSync, endSync} from './screen.ts';

/** Something that has the whole window to itself for a while, such as the viewer of a log. */
export type FullScreenView = {
	/** The lines to show, safe and cut to the width; missing ones are blank, those that do not fit are left out. */
	readonly draw: (size: Size) => readonly string[];
	/** What a key, a text or a paste does. */
	readonly press: (token: InputToken) => void;
	/** Where the caret stands, from 0; hidden where this is left out or gives nothing. */
	readonly caret?: () => {readonly row: number; readonly column: number} | undefined;
	/** Told once when the view is left, however that came about. */
	readonly onLeave?: () => void;
};

type Dependencies = {
	readonly size: () => Size;
	/** Writes to the terminal as it is. */
	readonly write: (data: string) => void;
	/** Switches to the alternate screen, and back. */
	readonly enter: () => void;
	readonly leave: () => void;
	readonly showCursor: (isShown: boolean) => void;
	/** Keeps everything else from drawing, and has it all drawn again. */
	readonly hold: () => void;
	readonly release: () => void;
	/** Runs something after so many milliseconds; gives how to call it off. */
	readonly later?: (run: () => void, milliseconds: number) => () => void;
};

export type FullScreen = {
	/** Shows a view instead of the conversation, until `close`. A view that is open already makes room for it. */
	readonly open: (view: FullScreenView) => void;
	readonly close: () => void;
	/** Something changed: it is drawn soon, however often this is called. Nothing happens without a view. */
	readonly invalidate: () => void;
	/** Draws every row again, after the screen was spoilt or has another size. */
	readonly redraw: () => void;
	/** Hands the view what was typed. False without one. */
	readonly press: (token: InputToken) => boolean;
	readonly isOpen: () => boolean;
};

/** At most 15 paints a second (LOG-TAIL); the first one after a while comes at once. */
const paintInterval = 1000 / 15;

/** Draws views on the alternate screen: a row that did not change is not written again. */
export function createFullScreen(dependencies: Dependencies): FullScreen {
	const {size, write, enter, leave, showCursor, hold, release} = dependencies;
	const {later = laterByTimer} = dependencies;
	let view: FullScreenView | undefined;
	let shown: readonly string[] = [];
	let paintedAt = Number.NEGATIVE_INFINITY;
	let waiting: (() => void) | undefined;

	const paint = () => {
		waiting = undefined;
		if (!view) {
			return;
		}

		paintedAt = performance.now();
		const {columns, rows} = size();
		const drawn = view.draw({columns, rows});
		const lines = Array.from({length: rows}, (_, row) => drawn[row] ?? '');
		// Erased first: behind a row as wide as the window that would take its last character in some terminals.
		const changed = lines.flatMap((line, row) =>
			line === shown[row] ? [] : [`\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`],
		);
		shown = lines;
		const caret = view.caret?.();
		const place = caret ? `\u001b[${caret.row + 1};${caret.column + 1}H` : '';
		if (changed.length > 0 || place) {
			write(`${beginSync}${changed.join('')}${place}${endSync}`);
		}

		showCursor(caret !== undefined);
	};

	const redraw = () => {
		shown = [];
		if (view) {
			write('\u001b[2J');
			paint();
		}
	};

	const closeView = () => {
		const closed = view;
		view = undefined;
		waiting?.();
		waiting = undefined;
		closed?.onLeave?.();
	};

	return {
		open(next) {
			if (view) {
				closeView();
			} else {
				hold();
				enter();
			}

			view = next;
			redraw();
		},
		close() {
			if (view) {
				closeView();
				showCursor(true);
				leave();
				release();
			}
		},
		invalidate() {
			if (view && !waiting) {
				waiting = later(paint, Math.max(0, paintedAt + paintInterval - performance.now()));
			}
		},
		redraw,
		press(token) {
			const isTaken = view !== undefined;
			view?.press(token);
			return isTaken;
		},
		isOpen: () => view !== undefined,
	};
}

function laterByTimer(run: () => void, milliseconds: number): () => void {
	const timer = setTimeout(run, milliseconds);
	return () => clearTimeout(timer);
}

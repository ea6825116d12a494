import type {Size} from '../../store/view-slice.ts';
import {type InputToken, textToken} from '../../terminal/input/token.ts';

/** A view that has the whole window, such as the log viewer. */
export type FullScreenView = {
	/** Returns the lines to show, safe and cut to the width. Missing ones are blank; those that don't fit are left out. */
	readonly draw: (size: Size) => readonly string[];
	/** Handles a key, a character or a paste. */
	readonly press: (token: InputToken) => void;
	/** Returns the cell of the cursor, from 0. It is hidden by default. */
	readonly caret?: () => {readonly row: number; readonly column: number} | undefined;
	/** Called once when the view closes, for any reason. */
	readonly onClose?: () => void;
};

type Dependencies = {
	readonly size: () => Size;
	/** Writes data unchanged to the terminal. */
	readonly write: (data: string) => void;
	/** Switches to the alternate screen, and back. */
	readonly enter: () => void;
	readonly leave: () => void;
	readonly showCursor: (isShown: boolean) => void;
	/** Writes everything that `change` writes at once. */
	readonly together: (change: () => void) => void;
	/** Stops everything else from drawing, and resumes it. */
	readonly hold: () => void;
	readonly release: () => void;
	/** Runs a function after a delay. Returns a function that cancels it. */
	readonly later?: (run: () => void, delayMs: number) => () => void;
};

export type FullScreen = {
	/** Shows a view instead of the conversation until `close`. Closes the view that is open, if any. */
	readonly open: (view: FullScreenView) => void;
	readonly close: () => void;
	/** Schedules a repaint; does nothing without a view. */
	readonly invalidate: () => void;
	/** Draws every row again, after the screen was disturbed or resized. */
	readonly redraw: () => void;
	/**
	 * Passes a token to the view: a text by characters, because each may be a key, and the last one that the view gets closes
	 * it. Returns what it didn't get; undefined for nothing.
	 */
	readonly press: (token: InputToken) => InputToken | undefined;
	readonly isOpen: () => boolean;
};

/** At most 15 paints a second (LOG-TAIL). The first one after a pause isn't delayed. */
const paintIntervalMs = 1000 / 15;

/** Draws views on the alternate screen, writing only the rows that changed. */
export function createFullScreen(dependencies: Dependencies): FullScreen {
	const {enter, leave, showCursor, together, hold, release, later = laterByTimer} = dependencies;
	const painter = createViewPainter(dependencies);
	let view: FullScreenView | undefined;

	const schedule = createPaintSchedule(() => view && painter.paint(view), later);

	const redraw = () => {
		painter.forget();
		if (view) {
			schedule.run();
		}
	};

	const closeView = () => {
		const closed = view;
		view = undefined;
		schedule.cancel();
		closed?.onClose?.();
	};

	return {
		open: next =>
			together(() => {
				if (view) {
					closeView();
				} else {
					hold();
					enter();
				}

				view = next;
				redraw();
			}),
		close() {
			if (view) {
				together(() => {
					closeView();
					showCursor(true);
					leave();
					release();
				});
			}
		},
		invalidate() {
			if (view) {
				schedule.request();
			}
		},
		redraw,
		press: token => pressIn(() => view, token),
		isOpen: () => view !== undefined,
	};
}

/** Passes a token to the view, or the characters of a text to the view of that moment. Returns what no view got. */
function pressIn(view: () => FullScreenView | undefined, token: InputToken): InputToken | undefined {
	if (token.type !== 'text') {
		const open = view();
		open?.press(token);
		return open ? undefined : token;
	}

	let left = token.text;
	for (const character of token.text) {
		const open = view();
		if (!open) {
			return textToken(left);
		}

		open.press(textToken(character));
		left = left.slice(character.length);
	}

	return undefined;
}

/** Writes the rows of a view that changed since the last paint. */
function createViewPainter({size, write, showCursor, together}: Dependencies) {
	let shown: readonly string[] = [];
	return {
		paint(view: FullScreenView) {
			const {lines, data, isCaretShown} = drawView(view, size(), shown);
			shown = lines;
			together(() => {
				write(data);
				showCursor(isCaretShown);
			});
		},
		forget() {
			shown = [];
		},
	};
}

/** Runs `paint` at most once an interval, however often it is requested. */
function createPaintSchedule(paint: () => void, later: NonNullable<Dependencies['later']>) {
	let paintedAt = Number.NEGATIVE_INFINITY;
	let cancelTimer: (() => void) | undefined;

	const run = () => {
		cancelTimer = undefined;
		paintedAt = performance.now();
		paint();
	};

	return {
		/** Paints now. */
		run,
		/** Paints as soon as the interval allows. */
		request() {
			cancelTimer ??= later(run, Math.max(0, paintedAt + paintIntervalMs - performance.now()));
		},
		cancel() {
			cancelTimer?.();
			cancelTimer = undefined;
		},
	};
}

/** Returns the lines of a view and the bytes that turn the shown ones into them. */
function drawView(view: FullScreenView, {columns, rows}: Size, shown: readonly string[]) {
	const drawn = view.draw({columns, rows});
	const lines = Array.from({length: rows}, (_, row) => drawn[row] ?? '');
	// Erase first: after a row as wide as the window, some terminals would erase its last character.
	const changed = lines.flatMap((line, row) =>
		line === shown[row] ? [] : [`\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`],
	);
	const caret = view.caret?.();
	const place = caret ? `\u001b[${caret.row + 1};${caret.column + 1}H` : '';
	return {lines, data: changed.join('') + place, isCaretShown: caret !== undefined};
}

function laterByTimer(run: () => void, delayMs: number): () => void {
	const timer = setTimeout(run, delayMs);
	return () => clearTimeout(timer);
}

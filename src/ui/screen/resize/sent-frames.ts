import type {Size} from '../../../store/view-slice.ts';
import type {RowHabits} from '../../../terminal/row-habits.ts';
import {continues} from '../../../terminal/text/wrap.ts';
import type {Region} from '../region.ts';
import {applyFrame, linesOf, ownRow, rewrapRows, rowsOf, type ShownRows} from './emulated-rows.ts';
import type {Questions} from './questions.ts';
import {isLeftover} from './resize-region.ts';

type Arriving = SentFrame & {row: number | undefined; arrivedAt: Size | undefined};

type Dependencies = {
	readonly questions: Questions;
	/** Returns true for a terminal whose frames are to be followed: it wraps rows again. */
	readonly isNeeded: () => boolean;
	/** Returns what the terminal does with rows that continue in the next one. */
	readonly habits: () => RowHabits;
	/** Called with the size of the window when a frame has arrived at another one than it was drawn for. */
	readonly onLost: (size: Size) => void;
};

export type SentFrames = {
	/** Notes a frame, and returns the questions that go before it. */
	readonly send: (frame: SentFrame) => string;
	/** Returns what the terminal shows since frames went to other rows; undefined if none did. Forgets all frames. */
	readonly landed: () => Region | undefined;
};

/** How long the first answer may take before the terminal isn't asked any more. */
const firstAnswerMs = 2000;
/** The most frames that are kept without an answer. */
const maxSent = 300;

/** What moves or erases rows, and not only text within them: which ones follows from the top of the window, where the cursor stops. */
const movesRows = /\n|\u001B\[\d*(?:[JLM]|\+T)/;

/**
 * Follows frames on their way to a terminal that wraps rows again. Before each it asks for the size of the window. A frame
 * that arrives at another size than it was drawn for goes to other rows, but not to unknown ones: they follow from the rows
 * before, the sizes and the bytes. All that the terminal shows since then becomes the frame to replace, and lines printed
 * since then are printed again.
 */
export function createSentFrames({questions, isNeeded, habits, onLost}: Dependencies): SentFrames {
	let sent: readonly Arriving[] = [];
	let isLost = false;
	let firstAskedAt: number | undefined;

	const arrive = (frame: Arriving, size: Size | undefined) => {
		frame.arrivedAt = size;
		if (isLost || !sent.includes(frame)) {
			return;
		}

		if (!size || (size.columns === frame.size.columns && size.rows === frame.size.rows)) {
			sent = sent.slice(sent.indexOf(frame) + 1);
		} else {
			isLost = true;
			onLost(size);
		}
	};

	return {
		send(frame) {
			firstAskedAt ??= Date.now();
			if (!isNeeded() || (!questions.sizes.isKnown() && Date.now() - firstAskedAt > firstAnswerMs)) {
				return '';
			}

			const arriving: Arriving = {...frame, row: undefined, arrivedAt: undefined};
			sent = [...sent, arriving].slice(-maxSent);
			const row = movesRows.test(frame.data)
				? questions.add('cursor-position', answer => {
						arriving.row = answer?.reply === 'cursor-position' ? answer.row : undefined;
					})
				: '';
			return (
				row +
				questions.add('window-size', answer =>
					arrive(arriving, answer?.reply === 'window-size' ? questions.sizes.readFirst(answer, frame.size) : undefined),
				)
			);
		},
		landed() {
			const [first, ...others] = sent;
			const wasLost = isLost;
			sent = [];
			isLost = false;
			return wasLost && first ? landedRegion([first, ...others], habits()) : undefined;
		},
	};
}

/** A frame on its way to the terminal. */
type SentFrame = {
	/** What the terminal shows before it, and the lines that it prints. */
	readonly before: Region;
	/** How many of the lines above the frame before it are left alone. */
	readonly kept: number;
	readonly data: string;
	/** The size of the window that it is drawn for. */
	readonly size: Size;
};

/** A frame with the row of the cursor, from 0, and the size of the window before it, as the terminal tells them. */
type LandedFrame = SentFrame & {readonly row: number | undefined; readonly arrivedAt: Size | undefined};

/** The most lines above a frame that may be in a window. */
const maxAbove = 150;

/**
 * Returns what the terminal shows after frames that arrived at other sizes than they were drawn for. What they left of the
 * frame before them, printed and drew is the frame of the region; the lines in it that were printed are its `back`.
 */
function landedRegion(frames: readonly [LandedFrame, ...LandedFrame[]], {joins, keepsBreaks}: RowHabits): Region {
	const [{before, kept, size}] = frames;
	const shown = shownBefore(before, size.rows, keepsBreaks);
	for (const {data, row, arrivedAt} of frames) {
		rewrapRows(shown, arrivedAt ?? {columns: shown.columns, rows: shown.height});
		shown.top = row === undefined ? shown.top : shown.y - row;
		applyFrame(shown, data, joins);
	}

	const cut = Math.min(kept, before.above.length, shown.touched, shown.rows[shown.y]?.source ?? ownRow);
	const start = Math.min(
		shown.y,
		shown.rows.findIndex(({source}) => source >= cut),
	);
	const at = shown.y - start;
	const printed = frames.flatMap(frame => frame.before.printed);
	const lines = [...before.above.slice(cut), ...before.back, ...printed];
	return {
		...before,
		drawn: {rows: linesOf(shown.rows.slice(start)), caret: {row: at, column: shown.x}, at, isCursorShown: true},
		columns: shown.columns,
		above: before.above.slice(0, cut),
		near: Math.max(0, before.near - (before.above.length - cut)),
		printed: [],
		prefix: '',
		back: lines.filter(line => !isLeftover(line)),
	};
}

/** Returns the rows of a region: those of the last lines above its frame, each with its index as the source, and of the frame. */
function shownBefore({above, drawn, columns}: Region, height: number, keepsBreaks: boolean): ShownRows {
	const from = Math.max(0, above.length - maxAbove);
	// Only a full row continues, and the last one above the frame doesn't.
	const lines = above.slice(from).map((text, index) => ({text, source: from + index}));
	const own = (drawn.rows.length > 0 ? drawn.rows : ['']).map(text => ({text, source: ownRow}));
	const last = lines.pop();
	const all = last ? [...lines, {...last, text: last.text.replace(continues, '')}, ...own] : own;
	return {
		rows: rowsOf(all, columns),
		x: drawn.caret?.column ?? 0,
		y: above.length - from + drawn.at,
		top: undefined,
		columns,
		height,
		wraps: false,
		keepsBreaks,
		touched: ownRow,
	};
}

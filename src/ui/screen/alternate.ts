import {continues, wrapWide} from '../../terminal/text/wrap.ts';
import {type Drawn, type Frame, nothingDrawn, redraw} from './live-region.ts';
import {eraseDown} from './pen.ts';
import type {Region} from './region.ts';
import {isLeftover} from './resize/resize-region.ts';

type Size = {readonly columns: number; readonly rows: number};

/**
 * Draws frames on the alternate screen, at its lower end, below the lines that are above them on the normal one. From there a
 * terminal moves nothing to its scrollback when it is resized.
 */
export function createAlternate({onOpen, onClose}: {readonly onOpen: () => void; readonly onClose: () => void}) {
	let shown: Drawn | undefined;
	return {
		isOpen: () => shown !== undefined,
		open() {
			shown = nothingDrawn;
			onOpen();
		},
		close() {
			shown = undefined;
			onClose();
		},
		/** Draws all rows of the next frame: something else was drawn there, or the window was resized. */
		forget() {
			shown &&= nothingDrawn;
		},
		/** Returns the bytes that show a frame. */
		draw(region: Region, {rows, caret}: Frame, size: Size): string {
			const before = shown ?? nothingDrawn;
			const above = lastLines(region, size.columns, size.rows - rows.length);
			const frame = {rows: [...above, ...rows], caret: caret && {...caret, row: above.length + caret.row}};
			const next = redraw(before, [], frame, {height: size.rows, insertsLines: true, marks: false});
			shown = next.drawn;
			return (before.rows.length === 0 ? `\u001B[H${eraseDown}` : '') + next.data;
		},
	};
}

/** Returns the last lines above the frame, as at most so many rows. */
function lastLines({earlier, above, back, printed}: Region, columns: number, room: number): readonly string[] {
	const last = room > 0 ? -room : Number.POSITIVE_INFINITY;
	const lines = [...earlier, ...above, ...back, ...printed.slice(last)].filter(line => !isLeftover(line)).slice(last);
	const plain = lines.map(line => line.replace(continues, '').trimEnd());
	return wrapWide(plain, columns).slice(last);
}

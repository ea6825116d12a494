import {formatDuration} from '../../core/format.ts';
import type {DrawingStyle} from '../../terminal/text/drawing.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';

/** Shorter calls don't say how long they took. */
const silentMs = 1000;

const gap = 2;

/** With less room for the text there is no clock. */
const leastRoom = 24;

/** Where clocks end in a wider window: near their text, and in rows that don't wrap if the window becomes narrower. */
const lastColumn = 80;

/** Returns the clock of something that has ended; empty for what took no time worth a word. */
export function clockOf(milliseconds: number | undefined): string {
	return milliseconds !== undefined && milliseconds >= silentMs ? formatDuration(milliseconds) : '';
}

/**
 * Returns a row, never wider than the window, with a clock at its right end. `draw` is given the room for the text, and cuts what
 * may be cut of it. The clock is left out where the rest needs its room, and in a narrow window. One that is heard follows the text.
 */
export function clockRow(clock: string, {width, palette}: DrawingStyle, draw: (room: number) => string): string {
	const cells = lineWidth(clock);
	const room = width - gap - cells;
	const text = clock === '' || room < leastRoom ? undefined : draw(palette.spoken ? room - 1 : room);
	if (text === undefined || lineWidth(text) > room) {
		return truncate(draw(width), width);
	}

	const blanks = Math.max(gap, Math.min(width, lastColumn) - lineWidth(text) - cells);
	return palette.spoken ? `${text} · ${clock}` : text + ' '.repeat(blanks) + palette.dim(clock);
}

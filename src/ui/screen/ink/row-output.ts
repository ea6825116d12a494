import {lineWidth, padEnd, sliceLine} from '../../../terminal/text/width.ts';

type Transformer = (line: string, index: number) => string;

/** The part of the frame that may be drawn on: columns from `x1` up to `x2`, rows from `y1` up to `y2`. */
type Clip = {
	readonly x1?: number | undefined;
	readonly x2?: number | undefined;
	readonly y1?: number | undefined;
	readonly y2?: number | undefined;
};

type RowOutput = {
	readonly write: (
		x: number,
		y: number,
		text: string,
		options: {readonly transformers: readonly Transformer[]},
	) => void;
	readonly clip: (clip: Clip) => void;
	readonly unclip: () => void;
	readonly get: () => {readonly output: string; readonly height: number};
};

/**
 * Creates what Ink draws a frame on, in place of its `Output`: that one takes each line apart into styled characters. Ours
 * are finished, so a line that has a row for itself becomes the row as it is.
 */
export function createRowOutput({height}: {readonly height: number}): RowOutput {
	const rows: string[] = Array.from({length: height}, () => '');
	const clips: Clip[] = [];

	const put = (x: number, y: number, line: string) => {
		const row = rows[y];
		if (row !== undefined && line) {
			rows[y] = x === 0 && row === '' ? line : overlay(row, x, line);
		}
	};

	return {
		write(x, y, text, {transformers}) {
			const {left, top, lines} = clipped(x, y, text.split('\n'), clips.at(-1));
			for (const [index, line] of lines.entries()) {
				put(
					left,
					top + index,
					transformers.reduce((drawn, transform) => transform(drawn, index), line),
				);
			}
		},
		clip: clip => void clips.push(clip),
		unclip: () => void clips.pop(),
		get: () => ({output: rows.map(row => row.trimEnd()).join('\n'), height}),
	};
}

/** Returns the lines that are inside of the clip, with the place of the first. */
function clipped(x: number, y: number, lines: readonly string[], clip: Clip = {}) {
	const {x1 = x, x2 = Number.POSITIVE_INFINITY, y1 = y, y2 = Number.POSITIVE_INFINITY} = clip;
	const left = Math.max(x, x1);
	const top = Math.max(y, y1);
	const inside = lines.slice(top - y, Math.max(0, y2 - y));
	return {left, top, lines: inside.map(line => sliceLine(line, left - x, x2 - x))};
}

/** Returns the row with the line over its cells from column `x` on. */
function overlay(row: string, x: number, line: string): string {
	const before = padEnd(sliceLine(row, 0, x), x);
	return before + line + sliceLine(row, x + lineWidth(line));
}
